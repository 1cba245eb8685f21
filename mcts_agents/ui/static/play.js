// A game: the board, whose turn it is, and what the agents' searches find.
import { $, breakable, follow, get, h, post, query, readiness, toast } from "./common.js";
import { Board } from "./board.js";
import { actionTable, comparison, curve, figures, lineOf } from "./search.js";
import { Tree } from "./tree.js";
import { Worlds } from "./worlds.js";

const id = query.get("id") ?? "";
const seat = query.get("seat");
const main = $("#main");
let position = null;
let told = null; // the newest message about a search
let compared = null;
let overlay = localStorage.getItem("overlay") ?? "bars";

// -- the page

const title = h("h1", {}, "");
const banner = h("div", { class: "note", hidden: true });
const status = h("div", { class: "status", role: "status" }, h("span", { class: "lamp" }), h("span", { id: "status" }, ""));
const boardPlace = h("div", {});
const texted = h("div", { class: "card texted", hidden: true });
const finder = h("input", { type: "search", placeholder: "Find a move", "aria-label": "Find a move", hidden: true, oninput: () => showMoves() });
// A key that is held plays one move, not one in each position that comes.
const once = (event) => event.repeat && event.key === "Enter" && event.preventDefault();
const movesOpen = h("div", { class: "moves-open", onkeydown: once });
const movesCard = h("section", { class: "card stack" }, h("div", { class: "row spread" }, h("h2", {}, "Your moves"), finder), movesOpen);
const seatsPlace = h("div", { class: "seats" });
const searchTitle = h("h2", {}, "The search");
const panel = h("div", { class: "stack" });
const board = new Board(boardPlace, (action) => play(action), () => showStatus());
const tree = new Tree((message) => table.send(message));
const worlds = new Worlds((message) => table.send(message));
const searchingRow = h("div", { class: "row" });
const whyWhole = h("p", { class: "muted small", hidden: true });

const buttons = {
  hint: button("Hint", "h", () => table.send({ do: "hint" })),
  undo: button("Undo", "u", () => table.send({ do: "undo", number: position.number })),
  fork: button("What if?", "w", () => fork(position.number)),
  again: h("a", { class: "button", href: "/" }, "New game from here"),
};
const searching = {
  pause: button("Pause", "p", () => table.send({ do: told?.paused ? "resume" : "pause" })),
  step: button("10 more", "s", () => table.send({ do: "step", simulations: 10 })),
  finish: button("Move now", "m", () => table.send({ do: "finish", number: position.number })),
};
searchingRow.append(...Object.values(searching));
const overlays = ["bars", "line", "off"].map((name) =>
  h("button", { type: "button", "aria-pressed": name === overlay, onclick: () => {
    overlay = name;
    localStorage.setItem("overlay", name);
    for (const one of overlays) one.setAttribute("aria-pressed", one.textContent.toLowerCase() === name);
    showMarks();
  } }, { bars: "Bars", line: "Line", off: "Off" }[name]));
const tabNames = ["Search", "Tree", "Worlds", "Why not?", "Moves"];
let tab = "Search";
const tabs = h("div", { class: "tabs", role: "tablist" }, tabNames.map((name) =>
  h("button", { type: "button", role: "tab", "aria-selected": name === tab, onclick: () => choose(name) }, name)));

function button(text, key, act) {
  const made = h("button", { type: "button", onclick: act, title: `Key ${key.toUpperCase()}` }, text);
  made.key = key;
  return made;
}

function choose(name) {
  tab = name;
  for (const one of tabs.children) one.setAttribute("aria-selected", one.textContent === name);
  showPanel();
}

const page = h("div", { class: "stack", hidden: true },
  h("div", { class: "row spread" }, title, status),
  banner,
  h("div", { class: "play" },
    h("div", { class: "stack" }, boardPlace, texted,
      h("div", { class: "row spread" },
        h("div", { class: "row" }, buttons.hint, buttons.undo, buttons.fork, buttons.again),
        h("div", { class: "row", role: "group", "aria-label": "On the board" }, h("span", { class: "muted small" }, "On the board"), overlays)),
      movesCard),
    h("div", { class: "stack" },
      h("section", { class: "card" }, seatsPlace),
      h("section", { class: "card stack" },
        h("div", { class: "row spread" }, searchTitle),
        searchingRow, whyWhole,
        tabs, panel))));
const ready = h("div", {});
main.append(ready, page);
const preparing = readiness(ready);

// -- what is asked of the server

function play(action) {
  if (position?.asked) table.send({ do: "play", action, number: position.number });
}

async function fork(moves) {
  try {
    const made = await post(`/api/games/${id}/fork`, { moves });
    location.href = `/play?id=${made.id}`;
  } catch (error) {
    toast(error.message);
  }
}

function compare(action) {
  if (told?.search?.best === undefined) return; // it has gone under the pointer
  table.send({ do: "compare", first: told.search.best, second: action });
  choose("Why not?");
}

// -- what is shown

const seatName = (player) => {
  if (position.viewer === player && position.seats[player].person) return "You";
  return position.seats[player].person ? `player_${player}` : `player_${player} (${agentName(player)})`;
};
const agentName = (player) => position.seats[player].agent.split(":")[0];

function showStatus() {
  const word = $("#status");
  const text = standing();
  status.className = `status ${position.outcome ? "" : position.asked ? "yours" : "thinking"}`;
  if (word.textContent !== text) word.textContent = text; // which is read out
}

function standing() {
  if (position.outcome) return outcome();
  if (position.asked) {
    if (board.from !== null) return "Choose the target";
    return position.viewer === null ? `player_${position.turn} to move` : "Your move";
  }
  const state = position.seats[position.turn].person ? "to move" : told?.paused ? "is paused" : "is thinking";
  return `${seatName(position.turn)} ${state}`;
}

function outcome() {
  const results = position.outcome.map((one) => one.result);
  if (position.viewer !== null) {
    return { won: "You won", drawn: "A draw", lost: "You lost" }[results[position.viewer]] ?? "The game is over";
  }
  const winners = results.flatMap((result, player) => (result === "won" ? [`player_${player}`] : []));
  return winners.length ? `${winners.join(" and ")} won` : "A draw";
}

function showPosition() {
  page.hidden = false;
  ready.replaceChildren();
  document.title = `${position.title} - mcts-agents`;
  title.textContent = position.title;
  board.show(position);
  texted.hidden = !!position.picture;
  texted.textContent = position.text;
  buttons.hint.disabled = !position.asked;
  buttons.undo.disabled = !position.can_undo;
  buttons.again.href = `/new?from=${id}&moves=${position.number}`;
  tabs.children[tabNames.indexOf("Worlds")].hidden = !position.hidden_information; // then there is one world
  showStatus();
  showSeats();
  showMoves();
  showMarks();
  if (tab === "Moves") showPanel();
}

function showSeats() {
  seatsPlace.replaceChildren(...position.seats.map((one, player) => h("div", { class: player === position.turn ? "now" : "" },
    h("span", {}, `player_${player}`),
    h("span", { class: one.person ? "" : "muted", title: one.agent }, one.person ? (position.viewer === player ? "you" : "human") : breakable(one.agent)),
    h("span", {}, position.outcome ? position.outcome[player].text : ""))));
}

function showMoves() {
  movesCard.hidden = !position.asked;
  finder.hidden = position.actions.length <= 30;
  const typed = finder.hidden ? "" : finder.value.trim().toLowerCase();
  const focused = [...movesOpen.children].indexOf(document.activeElement);
  const hinted = told?.hint && told.search?.number === position.number ? told.hinted : null;
  movesOpen.replaceChildren(...position.actions.filter((one) => one.name.toLowerCase().includes(typed)).map((one) =>
    h("button", { type: "button", class: one.action === hinted ? "hinted" : "", onclick: () => play(one.action),
      onmouseenter: () => board.point(one.action), onmouseleave: () => board.unpoint(),
      onfocus: () => board.point(one.action), onblur: () => board.unpoint() }, one.name)));
  if (focused >= 0) (movesOpen.children[focused] ?? movesOpen.lastElementChild)?.focus();
}

function showMarks() {
  const search = told?.search;
  if (!search?.actions || search.number !== position?.number || overlay === "off") return board.clear();
  if (overlay === "line") board.line(search.on_board ?? []);
  else board.bars(search.actions, search.best);
}

function showSearch() {
  if (!position) return;
  const search = told.search;
  const going = told.going;
  searchTitle.textContent = !search ? "The search"
    : told.hint ? `Hint for player_${search.player}, by ${told.agent.split(":")[0]}`
      : `Search of player_${search.player} (${told.agent.split(":")[0]})`;
  // Why the search that goes on, or would be the next one, is in one go.
  const whole = going && search ? search.why_whole
    : position.turn === null ? search?.why_whole ?? ""
      : position.seats[position.turn].person ? position.adviser_why_whole : position.seats[position.turn].why_whole;
  // What can be paused then is a game in which an agent is to move, between two moves.
  const agents = !position.outcome && position.seats.some((one) => !one.person);
  const between = agents && !(going && told.hint);
  searching.pause.textContent = told.paused ? "Resume" : !whole ? "Pause" : going ? "Pause after this move" : "Pause the game";
  searching.pause.disabled = !going && !agents;
  searching.pause.hidden = !!whole && !between;
  searching.step.disabled = !(going || (told.paused && !position.asked && !position.outcome));
  searching.finish.disabled = !going;
  for (const one of [searching.step, searching.finish]) one.hidden = !!whole;
  searchingRow.hidden = searching.pause.hidden && !!whole;
  whyWhole.hidden = !whole || !(going || search?.why_whole);
  whyWhole.textContent = `This decision cannot be paused, stepped or cut short: ${whole}.`;
  searching.finish.textContent = told.hint ? "Show hint now" : "Move now";
  showStatus();
  showMarks();
  if (!going) showMoves();
  showPanel();
}

// While one of its buttons is pressed, the panel is not drawn anew: a click needs the
// same button when it is let go.
let pressed = false;
panel.addEventListener("pointerdown", (event) => (pressed = event.button === 0 && !!event.target.closest("button")));
for (const end of ["pointerup", "pointercancel"]) {
  document.addEventListener(end, () => {
    if (!pressed) return;
    pressed = false;
    setTimeout(() => position && showPanel(), 0); // after the click
  });
}

function showPanel() {
  if (pressed) return;
  const search = told?.search;
  if (tab === "Moves") return panel.replaceChildren(log());
  if (told?.secret) {
    return panel.replaceChildren(h("p", { class: "muted" },
      `The search of player_${told.player} would show you what you may not see, so it is not sent to this page.`));
  }
  if (tab === "Tree") {
    tree.show(search ?? null);
    if (panel.firstChild !== tree.element) panel.replaceChildren(tree.element);
    return;
  }
  if (tab === "Worlds") {
    worlds.show(search ?? null);
    if (panel.firstChild !== worlds.element) panel.replaceChildren(worlds.element);
    return;
  }
  if (tab === "Why not?") {
    const text = "Choose “why not?” beside a move in the table of the search, to compare it with the best one.";
    return panel.replaceChildren(compared ? comparison(compared) : h("p", { class: "muted" }, text));
  }
  if (!search) {
    const text = position?.asked
      ? "Ask for a hint to see a search from your position. Agents' searches are shown here, too."
      : "The search appears here when an agent thinks.";
    return panel.replaceChildren(h("p", { class: "muted" }, text));
  }
  if (!search.actions) {
    return panel.replaceChildren(h("p", { class: "muted" }, "Thinking"));
  }
  if (search.unsearched) {
    const choice = h("p", {}, `player_${search.player} plays ${search.best_name}.`);
    return panel.replaceChildren(choice, h("p", { class: "muted" }, `${search.unsearched[0].toUpperCase()}${search.unsearched.slice(1)}.`));
  }
  const act = { point: (a) => board.point(a), unpoint: () => board.unpoint(), compare };
  const scrolled = panel.querySelector(".scroll")?.scrollTop ?? 0;
  panel.replaceChildren(...[
    figures(search),
    actionTable(search, told.hinted, act),
    search.variation?.length ? h("div", { class: "stack" }, h("span", { class: "label" }, "Principal variation"), lineOf(search.variation)) : null,
    search.steps && search.curve.length > 1 ? h("div", {}, h("span", { class: "label" }, "Value of the best move"), curve(search.curve)) : null,
  ].filter(Boolean));
  panel.querySelector(".scroll").scrollTop = scrolled;
}

function log() {
  if (!position?.log.length) return h("p", { class: "muted" }, "No move has been made.");
  const list = h("ol", { class: "log" }, position.log.map((row) => h("li", {},
    h("span", { class: "muted" }, String(row.number)),
    h("span", { class: "muted" }, `player_${row.player}`),
    h("span", {}, row.name ?? "hidden from you"),
    h("button", { class: "plain", type: "button", title: "Go on from before this move, in a game of its own", onclick: () => fork(row.number - 1) }, "what if?"))));
  setTimeout(() => (list.scrollTop = list.scrollHeight), 0);
  return list;
}

// -- the server

const table = follow(id, {
  preparing,
  position: (message) => {
    if (!position || message.number !== position.number) compared = null;
    position = message;
    showPosition();
    if (told) showSearch();
  },
  search: (message) => {
    if (message.search?.id !== told?.search?.id) compared = null;
    told = message;
    showSearch();
  },
  node: (message) => tree.receive(message),
  worlds: (message) => worlds.receive(message),
  comparison: (message) => {
    compared = message;
    showPanel();
  },
  refused: (message) => {
    if (!position) return seatChoice(message.reason);
    toast(message.reason);
  },
  failed: (message) => ready.replaceChildren(h("p", { class: "error" }, message.reason), h("a", { href: "/" }, "Back to the games")),
  gone: () => {
    page.hidden = true;
    ready.replaceChildren(h("div", { class: "ready" }, h("h2", {}, "This game is not open any more"),
      h("p", { class: "muted" }, "The server was restarted, or newer games replaced it."), h("a", { class: "button main", href: "/" }, "Choose a game")));
  },
  lost: () => toast("The connection is lost. Trying again."),
}, seat);

// Several people play a game that hides something: each opens the page for a seat.
async function seatChoice(reason) {
  const setup = await get(`/api/games/${id}`);
  const people = setup.seats.flatMap((one, player) => (one === "human" ? [player] : []));
  table.close();
  ready.replaceChildren(h("div", { class: "ready" }, h("h2", {}, "Who are you?"), h("p", { class: "muted" }, reason),
    h("div", { class: "row" }, people.map((player) => h("a", { class: "button", href: `/play?id=${id}&seat=${player}` }, `player_${player}`)))));
}

try {
  const setup = await get(`/api/games/${id}`);
  if (setup.origin) {
    banner.hidden = false;
    banner.append("This game branched off from another one. ", h("a", { href: `/play?id=${setup.origin}` }, "Back to that game"));
  }
} catch {
  // The socket says that the game is gone.
}

document.addEventListener("keydown", (event) => {
  if (event.repeat || event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const found = [...Object.values(buttons), ...Object.values(searching)].find((one) => one.key === event.key.toLowerCase());
  if (found && !found.disabled && !found.hidden) found.click();
});
