// Tournaments: ratings with their intervals, pairings as a heat map, and games.
import { $, get, h, post, query, svg, toast } from "./common.js";

const main = $("#main");
const number = query.get("store");

function percent(value) {
  return value === null ? "" : `${Math.round(100 * value)}%`;
}

function ratings(agents) {
  const known = agents.filter((agent) => agent.rating.value !== null);
  if (!known.length) return h("p", { class: "muted" }, "There are too few games to rate the agents.");
  const sorted = [...known].sort((a, b) => b.rating.value - a.rating.value);
  const ends = sorted.flatMap(({ rating }) => [rating.low ?? rating.value, rating.high ?? rating.value]);
  let [low, high] = [Math.min(...ends), Math.max(...ends)];
  if (high - low < 20) [low, high] = [low - 10, high + 10];
  const [width, left, right, row] = [640, 20, 64, 50];
  const height = sorted.length * row + 26;
  const x = (value) => left + ((width - left - right) * (value - low)) / (high - low);
  const parts = [low, (low + high) / 2, high].flatMap((value) => [
    svg("line", { x1: x(value), x2: x(value), y1: 0, y2: height - 20 }),
    svg("text", { class: "axis", x: x(value), y: height - 5, "text-anchor": "middle" }, String(Math.round(value))),
  ]);
  sorted.forEach(({ name, rating }, index) => {
    const y = index * row + 34;
    parts.push(
      svg("text", { x: left, y: y - 15 }, name),
      svg("line", { class: "span", x1: x(rating.low ?? rating.value), x2: x(rating.high ?? rating.value), y1: y, y2: y }),
      svg("circle", { cx: x(rating.value), cy: y, r: 6 }),
      svg("text", { x: width - right + 16, y: y + 4 }, String(Math.round(rating.value))),
    );
  });
  return svg("svg", { class: "ratings", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Ratings with their 95% intervals" }, ...parts);
}

// From orange (loses) over white to blue (wins), which colour-blind people tell apart.
function shade(share) {
  const strength = Math.abs(share - 0.5) * 2;
  const [red, green, blue] = share < 0.5 ? [217, 119, 33] : [43, 121, 194];
  const mixed = [red, green, blue].map((part) => Math.round(244 + (part - 244) * strength));
  const dark = 0.3 * mixed[0] + 0.59 * mixed[1] + 0.11 * mixed[2] < 150;
  return `background:rgb(${mixed});color:${dark ? "#fff" : "#22252c"}`;
}

function heat(told, choose) {
  const letters = told.agents.map((_, index) => String(index + 1));
  const body = told.agents.map((agent, row) => h("tr", {},
    h("th", { scope: "row" }, `${letters[row]}  ${agent.name}`),
    told.agents.map((other, column) => {
      const meetings = told.meetings[row][column];
      if (!meetings || row === column) return h("td", { class: "none" });
      const share = told.before[row][column] / meetings;
      return h("td", {}, h("button", {
        type: "button", style: shade(share), onclick: () => choose(row, column),
        title: `${agent.name} against ${other.name}: ${percent(share)} of ${meetings} meetings`,
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
  const rows = found.games.map((game) => h("tr", {},
    h("td", {}, String(game.number)),
    h("td", {}, game.setting),
    h("td", {}, game.seats.map((seat) => h("div", {}, `${seat.agent}: ${seat.result}`))),
    h("td", {}, String(game.moves)),
    h("td", {}, h("button", { type: "button", onclick: () => replay(game.number) }, "Replay"))));
  const shown = found.total > found.games.length ? `The newest ${found.games.length} of ${found.total} games.` : "";
  return h("section", { class: "card stack", id: "games" },
    h("h2", {}, `${found.row} against ${found.column}`), h("p", { class: "muted small", hidden: !shown }, shown),
    h("div", { class: "heat" }, h("table", { class: "list" },
      h("thead", {}, h("tr", {}, ["Game", "Setting", "Results", "Moves", ""].map((text) => h("th", {}, text)))),
      h("tbody", {}, rows))));
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
  const failed = told.failures ? ` ${told.failures} games failed.` : "";
  const split = told.apart
    ? h("p", { class: "note" }, "Not all agents are connected by games, so ratings can only be compared within a group.")
    : null;
  main.replaceChildren(h("div", { class: "stack" },
    h("div", {}, h("h1", {}, told.name), h("p", { class: "muted" }, `${told.played} of ${told.total} games played.${failed}`)),
    h("section", { class: "card stack" }, h("h2", {}, "Ratings"), split ?? "", ratings(told.agents),
      h("p", { class: "muted small" }, "The bar is the 95% interval.")),
    h("section", { class: "card stack" }, h("h2", {}, "Pairings"),
      h("p", { class: "muted small" }, "How often the agent of a row came out ahead of the agent of a column. Choose a cell to list its games."),
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
