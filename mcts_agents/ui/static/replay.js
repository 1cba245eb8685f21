// A stored game, moment by moment, with what the agents' searches find there.
import { $, breakable, follow, h, number, query, readiness, shownValue } from "./common.js";
import { barOf, lineOf } from "./search.js";

const main = $("#main");
const store = query.get("store");
let wanted = 0;
let lost = false;

const title = h("h1", {}, "");
const about = h("p", { class: "muted small" }, "");
const image = h("img", { alt: "" });
const board = h("div", { class: "board" }, image);
const slider = h("input", { type: "range", min: 0, value: 0, "aria-label": "Move", oninput: () => go(Number(slider.value)) });
const where = h("span", { class: "muted small" });
const moves = h("div", { class: "stack" });
const results = h("div", { class: "seats" });
const step = (text, label, by) => h("button", { type: "button", "aria-label": label, title: label, onclick: () => go(by(wanted)) }, text);
const page = h("div", { class: "stack", hidden: true },
  h("div", {}, title, about),
  h("div", { class: "play" },
    h("div", { class: "stack" }, board,
      h("div", { class: "row" }, step("«", "Opening", () => 0), step("◀", "Back", (now) => now - 1),
        step("▶", "Forward", (now) => now + 1), step("»", "End", () => Number(slider.max)), slider, where)),
    h("div", { class: "stack" }, h("section", { class: "card" }, results), h("section", { class: "card" }, moves))),
  h("a", { href: store === null ? "/store" : `/store?store=${store}` }, "Back to the tournament"));
const ready = h("div", {});
main.append(ready, page);
const preparing = readiness(ready);

function go(to) {
  if (page.hidden) return;
  const before = wanted;
  wanted = Math.max(0, Math.min(Number(slider.max), to));
  if (wanted !== before) table.send({ do: "go", moment: wanted });
}

function searchOf(search) {
  const effort = h("p", { class: "muted small" }, search.effort);
  if (!search.searched) return [effort];
  const most = Math.max(1, ...search.actions.map((row) => row.visits));
  const rows = search.actions.map((row) => h("tr", { class: row.played ? "best" : "" },
    h("td", {}, row.name, row.played ? h("span", { class: "muted small" }, "  played") : null),
    h("td", {}, h("span", { class: "bar" }, barOf(row.visits / most))),
    h("td", {}, number(row.visits)), h("td", {}, shownValue(row.value))));
  return [
    effort,
    h("div", { class: "scroll" }, h("table", { class: "found" },
      h("colgroup", {}, ["", "24%", "17%", "22%"].map((width) => h("col", { style: width && `width:${width}` }))),
      h("thead", {}, h("tr", {}, ["action", "", "visits", "value"].map((text) => h("th", {}, text)))), h("tbody", {}, rows))),
    search.variation.length ? h("span", { class: "label" }, "Principal variation") : "",
    search.variation.length ? lineOf(search.variation) : "",
  ];
}

function moveOf(move) {
  return h("div", { class: "stack" },
    h("h2", {}, `player_${move.player} plays ${move.name}`), h("p", { class: "muted small" }, move.agent),
    move.changed ? h("p", { class: "note" }, move.changed) : "",
    ...(move.search ? searchOf(move.search) : [h("p", { class: "muted" }, "This agent has no search to show.")]));
}

function show(message) {
  page.hidden = false;
  ready.replaceChildren();
  document.title = `${message.game}, replay - mcts-agents`;
  title.textContent = message.game;
  about.textContent = message.title;
  board.hidden = !message.picture;
  image.src = message.picture;
  image.alt = message.text;
  board.style.maxWidth = `min(100%, ${Math.max(message.width, 560)}px, ${Math.round((message.width / message.height) * 78)}vh)`;
  slider.max = message.last;
  slider.value = message.number;
  // A page that comes again is shown the first moment.
  const again = lost && !message.number ? wanted : 0;
  lost = false;
  wanted = message.number;
  if (again) setTimeout(() => go(again));
  where.textContent = `move ${message.number} of ${message.last}`;
  results.replaceChildren(...message.seats.map((seat, player) => h("div", {},
    h("span", {}, `player_${player}`), h("span", { class: "muted" }, breakable(seat.agent)), h("span", {}, seat.outcome))));
  moves.replaceChildren(...(message.moves.length ? message.moves.map(moveOf)
    : [h("p", { class: "muted" }, "The opening position.")]));
}

const table = follow(query.get("id") ?? "", {
  preparing: (message) => (page.hidden ? preparing(message) : (where.textContent = "Searching again")),
  moment: show,
  lost: () => (lost = true),
  failed: (message) => ready.replaceChildren(h("p", { class: "error" }, message.reason), h("a", { href: "/store" }, "All tournaments")),
  gone: () => {
    page.hidden = true;
    ready.replaceChildren(h("div", { class: "ready" }, h("h2", {}, "This replay is not open any more"), h("a", { class: "button main", href: "/store" }, "All tournaments")));
  },
});

document.addEventListener("keydown", (event) => {
  if (event.target.matches("input") || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowLeft") go(wanted - 1);
  if (event.key === "ArrowRight") go(wanted + 1);
});
