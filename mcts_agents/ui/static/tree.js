// The tree of a search, opened node by node: the server sends a node when it is opened.
import { h, number, shownValue } from "./common.js";
import { barOf } from "./search.js";

export class Tree {
  constructor(ask) {
    this.ask = ask;
    this.waiting = new Map();
    this.element = h("div", { class: "stack" });
    this.search = null;
  }

  // Another search begins with closed trees; the same one keeps what is open.
  show(search) {
    const key = search ? `${search.id} ${search.trees}` : "";
    const done = search?.done ?? false;
    if (key === this.key && (!done || this.wasDone)) return;
    [this.key, this.wasDone, this.search] = [key, done, search];
    this.waiting.clear();
    if (!search || !search.trees.length) {
      const why = search ? "This search has no tree to show." : "No search has been made yet.";
      this.element.replaceChildren(h("p", { class: "muted" }, why));
      return;
    }
    this.player = search.trees.includes(this.player) ? this.player : search.player;
    const place = h("ul", { class: "tree" });
    const tabs = search.trees.length > 1
      ? h("div", { class: "row", role: "tablist" }, search.trees.map((player) =>
        h("button", { type: "button", role: "tab", "aria-selected": player === this.player, onclick: () => {
          this.player = player;
          this.key = null;
          this.show(this.search);
        } }, `player_${player}`)))
      : null;
    const refresh = h("button", { type: "button", class: "plain", onclick: () => {
      this.key = null;
      this.show(this.search);
    } }, "Refresh");
    this.element.replaceChildren(
      ...[tabs, h("div", { class: "row spread" }, h("p", { class: "muted small" }, "Visits and value to the player who moves."), refresh), place].filter(Boolean));
    this.open([], place);
  }

  open(path, place) {
    this.waiting.set(JSON.stringify([this.player, path]), place);
    this.ask({ do: "node", player: this.player, path });
  }

  receive(node) {
    if (node.id !== this.search?.id) return; // of an earlier search
    const key = JSON.stringify([node.player, node.path]);
    const place = this.waiting.get(key);
    if (!place) return;
    this.waiting.delete(key);
    place.replaceChildren(...this.rows(node));
  }

  rows(node) {
    const alone = node.bandits.length === 1;
    const rows = [];
    for (const bandit of node.bandits) {
      rows.push(h("li", { class: "who" }, `player_${bandit.player} to move` + (bandit.visits === null ? "" : `, ${number(bandit.visits)} visits`)));
      for (const action of bandit.actions) rows.push(this.row(node, bandit, action, alone));
      if (bandit.more) rows.push(h("li", { class: "who" }, `and ${bandit.more} more`));
    }
    if (!alone) {
      for (const child of node.children) rows.push(this.joint(node, child));
    }
    if (!rows.length) rows.push(h("li", { class: "who" }, "Nothing below was visited."));
    return rows;
  }

  row(node, bandit, action, alone) {
    const children = alone ? node.children.filter((child) => child.actions[bandit.player] === action.action) : [];
    const total = Math.max(1, ...bandit.actions.map((one) => one.visits ?? 0));
    const extra = action.proven ? ` (${action.proven})` : "";
    return this.edge(node, children, [
      h("span", {}, action.name + extra),
      h("span", { class: "bar" }, barOf((action.visits ?? 0) / total)),
      h("span", {}, action.visits === null ? "" : number(action.visits)),
      h("span", {}, action.visits === 0 ? "" : shownValue(action.value)),
    ], action.name);
  }

  joint(node, child) {
    const name = Object.entries(child.names).map(([player, text]) => `player_${player}: ${text}`).join(", ");
    const total = Math.max(1, node.visits ?? 1);
    return this.edge(node, [child], [
      h("span", {}, name),
      h("span", { class: "bar" }, barOf((child.visits ?? 0) / total)),
      h("span", {}, child.visits === null ? "" : number(child.visits)),
      h("span", {}),
    ], name);
  }

  edge(node, children, cells, name) {
    const below = h("div", { hidden: true });
    let opened = false;
    const button = children.length
      ? h("button", { type: "button", class: "open", "aria-expanded": "false", "aria-label": `Open what follows ${name}`, onclick: () => {
        below.hidden = !below.hidden;
        button.textContent = below.hidden ? "▸" : "▾";
        button.setAttribute("aria-expanded", !below.hidden);
        if (opened) return;
        opened = true;
        for (const child of children) {
          const place = h("ul", {}, h("li", { class: "who" }, "Reading"));
          below.append(place);
          this.open([...node.path, { actions: child.actions, movers: child.movers }], place);
        }
      } }, "▸")
      : h("span", {});
    return h("li", {}, h("div", { class: "edge" }, button, ...cells), below);
  }
}
