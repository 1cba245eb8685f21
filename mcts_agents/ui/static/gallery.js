// The gallery of games.
import { $, get, h, toast } from "./common.js";

const FILTERS = {
  "Two players": (game) => game.players?.includes(2),
  "Three or more": (game) => game.players?.some((count) => count > 2),
  "Hidden information": (game) => game.tags?.includes("hidden information"),
  Simultaneous: (game) => game.tags?.includes("simultaneous"),
  "No chance": (game) => game.tags && !game.tags.includes("chance"),
};
const chosen = new Set();
let games = [];

function players(counts) {
  const [low, high] = [counts[0], counts.at(-1)];
  if (low === high) return low === 1 ? "1 player" : `${low} players`;
  const whole = counts.length === high - low + 1;
  return whole ? `${low} to ${high} players` : `${counts.join(", ")} players`;
}

function card(game) {
  const face = game.picture
    ? h("img", { class: "face", src: `/static/${game.picture}`, alt: "", loading: "lazy", width: 400, height: 300 })
    : h("span", { class: "face letter", "aria-hidden": "true" }, game.title.slice(0, 1));
  if (game.error) {
    return h("div", { class: "card game" }, face,
      h("div", { class: "about" }, h("h2", {}, game.title), h("p", { class: "error" }, game.error)));
  }
  return h("a", { class: "card game", href: `/new?game=${encodeURIComponent(game.game)}` }, face,
    h("div", { class: "about" },
      h("h2", {}, game.title),
      h("span", { class: "muted small" }, players(game.players)),
      h("span", { class: "muted small" }, game.tags.join(", "))));
}

function show() {
  const typed = $("#search").value.trim().toLowerCase();
  const found = games.filter((game) =>
    `${game.title} ${game.game}`.toLowerCase().includes(typed) &&
    [...chosen].every((name) => FILTERS[name](game)));
  $("#games").replaceChildren(...found.map(card));
  $("#none").hidden = found.length > 0;
}

function chip(name) {
  const button = h("button", { type: "button", "aria-pressed": "false" }, name);
  button.addEventListener("click", () => {
    if (!chosen.delete(name)) chosen.add(name);
    button.setAttribute("aria-pressed", chosen.has(name));
    show();
  });
  return button;
}

$("#filters").append(
  h("input", { id: "search", type: "search", placeholder: "Find a game", "aria-label": "Find a game", oninput: show }),
  ...Object.keys(FILTERS).map(chip),
);
try {
  games = (await get("/api/gallery")).games;
  show();
} catch (error) {
  toast(error.message);
}
