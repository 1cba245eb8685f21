// Tournaments: ratings with their intervals, pairings as a heat map, and games.
import { $, breakable, get, h, post, query, toast } from "./common.js";

const main = $("#main");
const number = query.get("store");

function percent(value) {
  return value === null ? "" : `${Math.round(100 * value)}%`;
}

function ratings(agents) {
  const known = agents.filter((agent) => agent.rating.value !== null);
  if (!known.length) return h("p", { class: "muted" }, "There are no ratings, since no agents have met.");
  const sorted = [...known].sort((a, b) => b.rating.value - a.rating.value);
  const ends = sorted.flatMap(({ rating }) => [rating.low ?? rating.value, rating.value, rating.high ?? rating.value]);
  const low = Math.min(...ends);
  const span = Math.max(Math.max(...ends) - low, 1);
  const x = (value) => `${2 + (96 * (value - low)) / span}%`;
  return h("div", { class: "ratings" }, sorted.map(({ name, rating, games }) => {
    const interval = h("i");
    if (rating.low !== null && rating.high !== null) {
      interval.style.left = x(rating.low);
      interval.style.right = `calc(100% - ${x(rating.high)})`;
    }
    const dot = h("em");
    dot.style.left = x(rating.value);
    const told = rating.low === null ? "no interval" : `95% interval ${Math.round(rating.low)} to ${Math.round(rating.high)}`;
    return h("div", { class: "rating", title: `${Math.round(rating.value)}, ${told}, ${games} games` },
      h("span", {}, breakable(name)),
      h("span", { class: "range", role: "img", "aria-label": told }, interval, dot),
      h("b", {}, String(Math.round(rating.value))));
  }));
}

// From orange (loses) over white to blue (wins), which colour-blind people tell apart.
function shade(share) {
  const strength = Math.abs(share - 0.5) * 2;
  const [red, green, blue] = share < 0.5 ? [217, 119, 33] : [43, 121, 194];
  const mixed = [red, green, blue].map((part) => Math.round(244 + (part - 244) * strength));
  const dark = 0.299 * mixed[0] + 0.587 * mixed[1] + 0.114 * mixed[2] < 128;
  return `background:rgb(${mixed});color:${dark ? "#fff" : "#22252c"}`;
}

function heat(told, choose) {
  const letters = told.agents.map((_, index) => String(index + 1));
  const body = told.agents.map((agent, row) => h("tr", {},
    h("th", { scope: "row" }, `${letters[row]}  `, breakable(agent.name)),
    told.agents.map((other, column) => {
      const meetings = told.meetings[row][column];
      if (!meetings || row === column) return h("td", { class: "none" });
      const share = told.before[row][column] / meetings;
      return h("td", {}, h("button", {
        type: "button", style: shade(share), onclick: () => choose(row, column),
        title: `${agent.name} before ${other.name}: ${percent(share)} of ${meetings}`,
      }, percent(share)));
    })));
  return h("div", { class: "heat" }, h("table", {},
    h("thead", {}, h("tr", {}, h("th"), letters.map((letter) => h("th", { scope: "col" }, letter)))),
    h("tbody", {}, body)));
}

async function replay(game) {
  try {
    const { id } = await post(`/api/stores/${number}/games/${game}/replay`);
    location.href = `/replay?id=${id}&store=${number}`;
  } catch (error) {
    toast(error.message);
  }
}

function gameList(found) {
  const rows = found.games.map((game) => h("div", {},
    h("span", {}, `Game ${game.number}, ${game.moves} moves`, h("br"), h("span", { class: "muted small" }, game.setting)),
    h("span", {}, game.seats.map((seat) => h("div", {}, breakable(seat.agent), `: ${seat.outcome}`))),
    h("button", { type: "button", onclick: () => replay(game.number) }, "Replay")));
  const shown = found.total > found.games.length ? `The newest ${found.games.length} of ${found.total} games.` : "";
  return h("section", { class: "card stack", id: "games" },
    h("h2", {}, breakable(found.row), " against ", breakable(found.column)), h("p", { class: "muted small", hidden: !shown }, shown),
    h("div", { class: "games" }, rows));
}

async function showStore() {
  const told = await get(`/api/stores/${number}`);
  document.title = `${told.name} - mcts-agents`;
  const games = h("div", {});
  const choose = async (row, column) => {
    try {
      games.replaceChildren(gameList(await get(`/api/stores/${number}/games?row=${row}&column=${column}`)));
      games.scrollIntoView({ block: "nearest" });
    } catch (error) {
      toast(error.message);
    }
  };
  const failed = told.failures ? ` ${told.failures} game${told.failures > 1 ? "s" : ""} failed.` : "";
  const split = told.apart
    ? h("p", { class: "note" }, "Not all agents are connected by games, so ratings can only be compared within a group.")
    : null;
  const rated = told.agents.some((agent) => agent.rating.value !== null);
  const known = told.agents.some((agent) => agent.rating.low !== null);
  const missing = told.one_sided ? "since some agents always finished ahead of others" : "since one game is too few for them";
  const bars = known ? "The bar is the 95% interval." : `There are no intervals, ${missing}.`;
  main.replaceChildren(h("div", { class: "stack" },
    h("div", {}, h("h1", {}, told.name), h("p", { class: "muted" }, `${told.played} of ${told.total} games played.${failed}`)),
    h("section", { class: "card stack" }, h("h2", {}, "Ratings"), split ?? "", ratings(told.agents),
      h("p", { class: "muted small", hidden: !rated }, `On the scale of Elo ratings. ${bars}`)),
    h("section", { class: "card stack" }, h("h2", {}, "Head to head"),
      h("p", { class: "muted small" }, "How often the agent of the row was placed before the agent of the column; equal places count half. Choose a cell to list the games of the two."),
      heat(told, choose)),
    games));
}

async function showList() {
  const stores = await get("/api/stores");
  main.replaceChildren(h("div", { class: "stack" }, h("h1", {}, "Tournaments"),
    stores.length
      ? h("div", { class: "row" }, stores.map((store) => h("a", { class: "button", href: `/store?store=${store.number}` }, store.name)))
      : h("div", { class: "card stack" }, h("p", {}, "No tournament is open. Name its file when you start the page:"),
        h("pre", {}, "mcts-agents ui --store results.sqlite"))));
}

try {
  await (number === null ? showList() : showStore());
} catch (error) {
  main.replaceChildren(h("p", { class: "error" }, error.message), h("a", { href: "/store" }, "All tournaments"));
}
