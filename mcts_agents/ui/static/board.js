// The picture of a position, the regions that can be clicked, and marks over them.
import { h, svg } from "./common.js";

const MOST_MARKS = 12;
const MOST_ARROWS = 6;

export class Board {
  // `play` is called with the action of a click; `choosing` when a piece was chosen,
  // which is at `from`, or let go.
  constructor(place, play, choosing) {
    this.play = play;
    this.choosing = choosing;
    this.image = h("img", { alt: "", draggable: "false" });
    this.layer = svg("svg", { role: "group", "aria-label": "Board" });
    this.spots = svg("g");
    this.marks = svg("g", { class: "marks" });
    this.layer.append(this.marks, this.spots);
    this.element = h("div", { class: "board" }, this.image, this.layer);
    place.append(this.element);
    this.regions = [];
    this.from = null;
    this.place = null; // where the keyboard is
    // A drag ends wherever it is let go.
    document.addEventListener("pointerup", (event) => this.released(event));
    document.addEventListener("pointercancel", () => (this.drag = null));
    this.layer.addEventListener("pointerdown", () => (this.place = null));
    this.layer.addEventListener("keydown", (event) => this.key(event));
  }

  show(position) {
    this.element.hidden = !position.picture;
    this.image.src = position.picture;
    this.image.alt = `${position.title}: ${position.text}`;
    this.image.width = position.width;
    this.image.height = position.height;
    this.element.style.maxWidth = `min(100%, ${Math.max(position.width, 560)}px, ${Math.round((position.width / position.height) * 82)}vh)`;
    this.layer.setAttribute("viewBox", `0 0 ${position.width} ${position.height}`);
    this.regions = position.regions;
    this.open = position.asked;
    this.from = this.drag = null;
    this.draw();
    this.refocus();
  }

  // The shapes were drawn anew, so the focus goes where the keyboard was before.
  refocus() {
    if (document.activeElement !== document.body) this.place = null;
    if (!this.place || !this.open) return;
    const [x, y] = this.place;
    const far = (spot) => Math.hypot(spot.centre[0] - x, spot.centre[1] - y);
    const [next] = [...this.spots.children].sort((one, other) => far(one) - far(other));
    if (next) this.focus(next);
  }

  // The shapes of first clicks, or, when a piece is chosen, those where it can go.
  draw() {
    const shapes = new Map();
    for (const region of this.regions) {
      const key = JSON.stringify(region.shape);
      if (!shapes.has(key)) shapes.set(key, { shape: region.shape, regions: [] });
      shapes.get(key).regions.push(region);
    }
    const spots = [...shapes.entries()].map(([key, { shape, regions }]) => {
      const chosen = this.from === key;
      const label = regions.length === 1 && !regions[0].until ? regions[0].label : `${regions.length} moves from here`;
      const kind = `${chosen ? "chosen" : ""} ${regions.some((one) => one.until) ? "drags" : ""}`;
      return this.spot(shape, kind, label, () => this.clicked(key, regions));
    });
    const targets = [];
    if (this.from !== null) {
      for (const region of shapes.get(this.from)?.regions ?? []) {
        if (region.until) targets.push(this.spot(region.until, "target", region.label, () => this.play(region.action), region));
      }
    }
    // The first region lies on top, as a click is looked up.
    this.spots.replaceChildren(...spots.reverse(), ...targets.reverse());
    this.spots.lastElementChild?.setAttribute("tabindex", this.open ? "0" : "-1");
  }

  spot(shape, kind, label, act, region = null) {
    const element = outline(shape);
    element.setAttribute("class", `spot ${this.open ? "open" : ""} ${kind}`);
    if (this.open) {
      element.setAttribute("role", "button");
      element.setAttribute("aria-label", label);
      element.setAttribute("tabindex", "-1");
      element.append(svg("title", {}, label));
      element.addEventListener("click", act);
      element.addEventListener("pointerdown", (event) => this.pressed(event, element, act));
    }
    element.region = region;
    element.centre = centre(shape);
    element.act = act;
    return element;
  }

  clicked(key, regions) {
    if (this.dragged) return;
    const single = regions.find((region) => !region.until);
    const pairs = regions.filter((region) => region.until);
    if (single && (!pairs.length || this.from === key)) return this.play(single.action);
    this.choose(this.from === key ? null : key);
  }

  choose(key) {
    // The shapes are drawn anew, and the focus would be lost with the old ones.
    const held = this.element.contains(document.activeElement);
    this.from = key;
    this.choosing();
    this.draw();
    if (!held) return;
    const target = [...this.spots.children].find((spot) => spot.region);
    if (target) this.focus(target);
    else this.refocus();
  }

  // A piece can be dragged to where it goes, too.
  pressed(event, element, act) {
    this.dragged = false;
    const key = JSON.stringify(element.shape);
    const pairs = this.regions.filter((region) => region.until && JSON.stringify(region.shape) === key);
    this.drag = pairs.length && !element.region ? { pairs, x: event.clientX, y: event.clientY } : null;
    if (this.drag) element.releasePointerCapture?.(event.pointerId);
  }

  released(event) {
    const drag = this.drag;
    this.drag = null;
    if (!drag || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 12) return;
    const box = this.layer.getBoundingClientRect();
    const view = this.layer.viewBox.baseVal;
    const x = ((event.clientX - box.left) / box.width) * view.width;
    const y = ((event.clientY - box.top) / box.height) * view.height;
    const found = drag.pairs.find((region) => contains(region.until, x, y));
    this.dragged = true;
    setTimeout(() => (this.dragged = false), 0);
    if (found) this.play(found.action);
  }

  key(event) {
    const spot = event.target;
    if (!spot.centre) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (event.repeat) return;
      this.place = spot.centre;
      spot.act();
    } else if (event.key === "Escape") {
      this.choose(null);
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const next = nearest([...this.spots.children], spot, event.key);
      if (next) this.focus(next);
    }
  }

  focus(spot) {
    for (const one of this.spots.children) one.setAttribute("tabindex", "-1");
    spot.setAttribute("tabindex", "0");
    spot.focus();
    this.place = spot.centre;
  }

  point(action) {
    for (const spot of this.spots.querySelectorAll(".pointed")) spot.classList.remove("pointed");
    const region = this.regions.find((one) => one.action === action);
    if (!region) return;
    const element = outline(region.until ?? region.shape);
    element.setAttribute("class", "spot pointed");
    element.style.pointerEvents = "none";
    this.pointed?.remove();
    this.pointed = element;
    this.marks.append(element);
  }

  unpoint() {
    this.pointed?.remove();
    this.pointed = null;
  }

  // Bars of visits at the regions of the actions, arrows where a move has two ends.
  bars(actions, best) {
    const places = new Map(this.regions.map((region) => [region.action, region]));
    const shown = actions.filter((row) => places.has(row.action) && row.share >= 0.005);
    const most = Math.max(...shown.map((row) => row.share), 0.0001);
    const pairs = shown.filter((row) => places.get(row.action).until).slice(0, MOST_ARROWS);
    const single = shown.filter((row) => !places.get(row.action).until).slice(0, MOST_MARKS);
    this.marks.replaceChildren(
      ...pairs.reverse().map((row) => arrow(places.get(row.action), row.share / most, row.action === best, row.share, this.unit())),
      ...single.map((row) => bar(places.get(row.action).shape, row.share, row.share / most, row.action === best, this.unit())),
    );
  }

  // The moves of the principal variation, numbered.
  line(places, player) {
    this.marks.replaceChildren(...places.filter(Boolean).slice(0, 6).map((region, index) => {
      const at = centre(region.until ?? region.shape);
      const size = this.unit() * 1.15;
      const color = index % 2 ? "#b4560a" : "#0b62a8";
      const parts = [];
      if (region.until) {
        const begin = centre(region.shape);
        parts.push(svg("path", { class: `arrow ${index % 2 ? "best" : ""}`, d: `M${begin} L${at}`, "stroke-width": size * 0.3 }));
      }
      parts.push(svg("circle", { class: "step", cx: at[0], cy: at[1], r: size, fill: color }),
        svg("text", { x: at[0], y: at[1], "font-size": size * 1.15 }, String(index + 1)));
      return svg("g", {}, ...parts);
    }));
  }

  clear() {
    this.marks.replaceChildren();
  }

  unit() {
    const view = this.layer.viewBox.baseVal;
    return Math.max(11, Math.min(view.width, view.height) / 38);
  }
}

function outline(shape) {
  let element;
  if (shape.kind === "rectangle") {
    element = svg("rect", { x: shape.left, y: shape.top, width: shape.width, height: shape.height, rx: Math.min(10, shape.width / 6, shape.height / 6) });
  } else if (shape.kind === "circle") {
    element = svg("circle", { cx: shape.x, cy: shape.y, r: shape.radius });
  } else {
    element = svg("polygon", { points: shape.corners.map((corner) => corner.join(",")).join(" ") });
  }
  element.shape = shape;
  return element;
}

export function bounds(shape) {
  if (shape.kind === "rectangle") return [shape.left, shape.top, shape.width, shape.height];
  if (shape.kind === "circle") return [shape.x - shape.radius, shape.y - shape.radius, 2 * shape.radius, 2 * shape.radius];
  const xs = shape.corners.map((corner) => corner[0]);
  const ys = shape.corners.map((corner) => corner[1]);
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return [left, top, Math.max(...xs) - left, Math.max(...ys) - top];
}

export function centre(shape) {
  const [left, top, width, height] = bounds(shape);
  return [left + width / 2, top + height / 2];
}

function contains(shape, x, y) {
  if (shape.kind === "circle") return Math.hypot(x - shape.x, y - shape.y) <= shape.radius;
  if (shape.kind === "rectangle") {
    return x >= shape.left && x < shape.left + shape.width && y >= shape.top && y < shape.top + shape.height;
  }
  let inside = false;
  let before = shape.corners.at(-1);
  for (const corner of shape.corners) {
    if (corner[1] > y !== before[1] > y) {
      const share = (y - before[1]) / (corner[1] - before[1]);
      if (x < before[0] + share * (corner[0] - before[0])) inside = !inside;
    }
    before = corner;
  }
  return inside;
}

// A bar at the lower edge of a shape: its length is the share of visits, beside the
// greatest one.
function bar(shape, share, length, best, unit) {
  const [left, top, width, height] = bounds(shape);
  const wide = Math.max(Math.min(width * 0.82, 120), unit * 1.8);
  const high = unit * 0.62;
  const x = left + (width - wide) / 2;
  const y = top + height - high * 1.7;
  const label = `${Math.round(100 * share)}%`;
  const parts = [
    svg("rect", { class: "track", x, y, width: wide, height: high, rx: high / 2 }),
    svg("rect", { class: `fill ${best ? "best" : ""}`, x, y, width: Math.max(wide * length, high), height: high, rx: high / 2 }),
  ];
  if (wide > unit * 2.2) {
    const size = unit * 0.98;
    const half = size * (label.length * 0.36 + 0.3);
    parts.push(
      svg("rect", { class: `tag ${best ? "best" : ""}`, x: left + width / 2 - half, y: y - size * 1.75, width: 2 * half, height: size * 1.45, rx: size * 0.5 }),
      svg("text", { x: left + width / 2, y: y - size, "font-size": size }, label));
  }
  return svg("g", {}, ...parts);
}

function arrow(region, length, best, share, unit) {
  const [begin, end] = [centre(region.shape), centre(region.until)];
  const kind = best ? "best" : "";
  const size = unit * 0.95;
  const label = `${Math.round(100 * share)}%`;
  const half = size * (label.length * 0.36 + 0.3);
  return svg("g", {},
    svg("path", { class: `arrow ${kind}`, d: `M${begin} L${end}`, "stroke-width": 2 + length * unit * 0.55 }),
    svg("rect", { class: `tag ${kind}`, x: end[0] - half, y: end[1] - size * 0.75, width: 2 * half, height: size * 1.5, rx: size * 0.5 }),
    svg("text", { x: end[0], y: end[1], "font-size": size }, label));
}

function nearest(spots, from, key) {
  const [x, y] = from.centre;
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let [best, least] = [null, Infinity];
  for (const spot of spots) {
    const [sx, sy] = [spot.centre[0] - x, spot.centre[1] - y];
    const along = sx * dx + sy * dy;
    if (spot === from || along <= 0.5) continue;
    const cost = along + 3 * Math.abs(sx * dy - sy * dx);
    if (cost < least) [best, least] = [spot, cost];
  }
  return best;
}
