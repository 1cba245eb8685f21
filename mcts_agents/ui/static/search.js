// The search as tables, figures and a curve.
import { h, number, short, shownValue, svg } from "./common.js";

const NAMES = { simulations: "simulations", seconds: "s", forward_model_calls: "model calls", nodes: "nodes" };

export function figures(search) {
  const budget = Object.entries(search.budget).map(([name, amount]) => `${amountOf(amount)} ${NAMES[name]}`).join(" or ");
  const shown = [
    [short(search.simulations), "simulations"],
    [search.per_second ? short(search.per_second) : "", "a second"],
    [search.seconds.toFixed(search.seconds < 1 ? 3 : 1), "seconds"],
    [search.nodes ? short(search.nodes) : "", "nodes"],
    [search.depth ? String(search.depth) : "", "depth"],
  ].filter(([value]) => value && value !== "0");
  return h("div", { class: "stack" },
    h("div", { class: "figures" }, shown.map(([value, name]) => h("div", {}, h("b", {}, value), h("span", {}, name)))),
    search.solved ? h("p", { class: "small" }, search.proven ? `Solved: a ${search.proven} for the player to move.` : "Solved: the result under best play is proven.") : null,
    budget ? h("p", { class: "muted small" }, `Budget: ${budget}`) : null);
}

const amountOf = (amount) => (Number.isInteger(amount) ? number(amount) : String(amount));

// `act` has `point(action)`, `unpoint()` and `compare(action)`.
export function actionTable(search, hinted, act) {
  const most = Math.max(...search.actions.map((row) => row.share), 0.0001);
  const counted = search.actions.some((row) => row.visits);
  const rows = search.actions.map((row) => h("tr", {
    class: row.action === search.best ? "best" : "",
    onmouseenter: () => act.point(row.action), onmouseleave: () => act.unpoint(),
  },
  h("td", {}, row.name, row.action === hinted ? h("span", { class: "muted small" }, "  hint") : null),
  h("td", {}, counted ? h("span", { class: "bar" }, barOf(row.share / most)) : null),
  h("td", {}, counted ? number(row.visits) : ""),
  h("td", {}, shownValue(row.value)),
  h("td", {}, row.action === search.best || !search.trees.length && !row.visits ? null
    : h("button", { class: "plain", type: "button", title: `Why not ${row.name}?`, "aria-label": `Why not ${row.name}?`, onclick: () => act.compare(row.action) }, "why not?"))));
  return h("div", { class: "scroll" },
    h("table", { class: "found" },
      h("colgroup", {}, ["", "15%", "16%", "18%", "21%"].map((width) => h("col", { style: width && `width:${width}` }))),
      h("thead", {}, h("tr", {}, ["action", "", counted ? "visits" : "", "value", ""].map((text) => h("th", {}, text)))),
      h("tbody", {}, rows)),
    search.more ? h("p", { class: "muted small" }, `and ${search.more} more`) : null);
}

export function barOf(share) {
  const fill = h("i");
  fill.style.width = `${Math.max(0, Math.min(100, 100 * share))}%`;
  return fill;
}

export function lineOf(steps) {
  return h("div", { class: "line" }, steps.map((step, index) =>
    h("span", {}, h("small", {}, `${index + 1}  player_${step.player}`), step.name)));
}

export function curve(points) {
  const [width, height, left, bottom] = [380, 120, 44, 18];
  const values = points.map((point) => point[1]);
  let [low, high] = [Math.min(...values), Math.max(...values)];
  if (high - low < 0.02) [low, high] = [low - 0.01, high + 0.01];
  const most = points.at(-1)[0];
  const x = (simulations) => left + ((width - left - 4) * simulations) / most;
  const y = (value) => 6 + ((height - bottom - 10) * (high - value)) / (high - low);
  const path = points.map((point, index) => `${index ? "L" : "M"}${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`).join("");
  const text = (at, content, anchor) => svg("text", { x: at[0], y: at[1], "text-anchor": anchor }, content);
  return svg("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Value of the best move, from ${values[0].toFixed(3)} to ${values.at(-1).toFixed(3)}` },
    svg("line", { x1: left, x2: width - 4, y1: y(high), y2: y(high) }),
    svg("line", { x1: left, x2: width - 4, y1: y(low), y2: y(low) }),
    text([left - 6, y(high) + 4], high.toFixed(3), "end"),
    text([left - 6, y(low) + 4], low.toFixed(3), "end"),
    text([left, height - 3], "0", "start"),
    text([width - 4, height - 3], `${short(most)} simulations`, "end"),
    svg("path", { d: path }));
}

export function comparison(told) {
  const side = (row) => h("div", {},
    h("b", {}, row.name),
    h("span", { class: "small" }, `${number(row.visits)} visits, value ${shownValue(row.value) || "unknown"}`),
    row.line.length ? h("div", {}, h("span", { class: "label" }, "It expects"), lineOf(row.line)) : null);
  return h("div", { class: "stack" }, h("p", {}, told.verdict), h("div", { class: "versus" }, told.sides.map(side)));
}
