// A new game: the variant, who sits where, the seed; then getting ready.
import { $, follow, get, h, post, query, readiness, toast } from "./common.js";
import { SeatChoice } from "./seat.js";

const main = $("#main");
const from = query.get("from");
const moves = Number(query.get("moves") ?? 0);
let source = null;
let game = null;
let agents = [];
let seats = [];

let all = [];

function gameNamed(spec) {
  return all.find((one) => spec === one.game || spec.startsWith(`${one.game}:`));
}

const count = h("select", { "aria-label": "Number of players", onchange: () => seat() });
const seed = h("input", { inputmode: "numeric", value: String(Math.floor(Math.random() * 1e6)) });
const seatList = h("div", {});
const errors = Object.fromEntries(["game", "players", "adviser"].map((place) =>
  [place, h("p", { class: "error", role: "alert", hidden: true })]));
const variant = new Map();
let adviser = null;

function spec() {
  if (source) return source.game;
  const given = [...variant].filter(([name, input]) => input.value.trim() !== game.options[name])
    .map(([name, input]) => `${name}=${input.value.trim() || "none"}`);
  return given.length ? `${game.game}:${given.join(",")}` : game.game;
}

function seat() {
  const wanted = Number(count.value);
  while (seats.length > wanted) seats.pop();
  while (seats.length < wanted) {
    const start = seats.length === 0 ? "human" : "mcts";
    seats.push(new SeatChoice(`player_${seats.length}`, agents, spec, { start }));
  }
  seatList.replaceChildren(...seats.map((one) => one.element));
}

function refuse(place, reason) {
  for (const error of Object.values(errors)) error.hidden = true;
  const number = /^seat (\d+)$/.exec(place)?.[1];
  if (number) return seats[Number(number)].refuse(reason);
  if (place === "adviser") return adviser.refuse(reason);
  const error = errors[place] ?? errors.game;
  error.textContent = reason;
  error.hidden = false;
}

async function start() {
  let id;
  try {
    const chosen = [];
    for (const one of seats) chosen.push(await one.chosen());
    const asked = source
      ? [`/api/games/${from}/fork`, { moves, seats: chosen }]
      : ["/api/games", {
        game: spec(), players: Number(count.value), seats: chosen,
        adviser: await adviser.chosen(), seed: Number(seed.value),
        pace: chosen.includes("human") ? 0.25 : 0.6,
      }];
    id = (await post(...asked)).id;
  } catch (error) {
    return toast(error.message);
  }
  getReady(id);
}

function getReady(id) {
  const place = h("div", {});
  form.hidden = true;
  main.append(place);
  const show = readiness(place);
  const table = follow(id, {
    preparing: show,
    position: () => {
      table.close();
      location.replace(`/play?id=${id}`);
    },
    refused: () => location.replace(`/play?id=${id}`),
    failed: (message) => {
      place.remove();
      form.hidden = false;
      refuse(message.place, message.reason);
    },
  });
}

const form = h("form", { class: "stack", novalidate: true, onsubmit: (event) => {
  event.preventDefault();
  start();
} });

async function build() {
  [all, agents] = [(await get("/api/gallery")).games, await get("/api/agents")];
  if (from) source = await get(`/api/games/${from}`);
  game = gameNamed(source ? source.game : query.get("game") ?? "");
  if (!game) throw new Error("There is no such game.");
  document.title = `${game.title} - mcts-agents`;
  const counts = source ? [source.seats.length] : game.players;
  count.append(...counts.map((one) => h("option", { value: one }, String(one))));
  count.value = source ? source.seats.length : game.default_players;
  adviser = new SeatChoice("Hints come from", agents, spec, { person: false, seconds: "2" });
  const about = source
    ? `From the position after ${moves} ${moves === 1 ? "move" : "moves"}. Choose who plays on.`
    : game.tags.join(", ");
  const options = Object.entries(game.options).map(([name, value]) => {
    const input = h("input", { value, spellcheck: "false" });
    variant.set(name, input);
    return h("label", {}, h("span", {}, name), input);
  });
  form.replaceChildren(
    h("div", {}, h("h1", {}, game.title), h("p", { class: "muted" }, about)),
    h("div", { class: "setup" },
      h("div", { class: "stack" },
        h("section", { class: "card" },
          h("div", { class: "row spread" }, h("h2", {}, "Who plays"),
            counts.length > 1 ? h("label", { class: "row" }, h("span", {}, "Players"), count) : null),
          errors.players, seatList),
        source ? null : h("section", { class: "card" }, adviser.element),
        source ? null : h("section", { class: "card stack" }, h("h2", {}, "The game"),
          h("div", { class: "fields" }, options, h("label", {}, h("span", {}, "seed"), seed))),
        errors.game,
        h("div", { class: "row" }, h("button", { class: "main", type: "submit" }, "Play"),
          h("a", { class: "button", href: from ? `/play?id=${from}` : "/" }, "Back"))),
      game.picture ? h("div", { class: "aside" }, h("img", { src: `/static/${game.picture}`, alt: "" })) : null));
  main.replaceChildren(form);
  seat();
}

try {
  await build();
} catch (error) {
  main.replaceChildren(h("p", { class: "error" }, error.message),
    h("p", {}, h("a", { href: "/" }, "Back to the games")));
}
