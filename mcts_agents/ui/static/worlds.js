// Single determinizations: pictures of worlds that the search goes through.
import { h } from "./common.js";

const COUNT = 4;

export class Worlds {
  constructor(ask) {
    this.ask = ask;
    this.element = h("div", { class: "stack" });
    this.key = undefined;
  }

  // Another search has other worlds.
  show(search) {
    const key = search ? `${search.id} ${search.worlds}` : "";
    if (key === this.key) return;
    [this.key, this.id] = [key, search?.id];
    this.first = 0;
    if (!search?.worlds) {
      const why = !search ? "No search has been made yet."
        : "Nothing is hidden from this player, or the agent does not search: there is one world, the one on the board.";
      this.element.replaceChildren(h("p", { class: "muted" }, why));
      return;
    }
    this.place = h("div", { class: "worlds" });
    this.element.replaceChildren(
      h("p", { class: "muted small" }, `What player_${search.player} does not know is drawn at random, in agreement with what it has seen. The search goes through many such worlds (determinizations). These are drawn in the same way.`),
      this.place,
      h("div", {}, h("button", { type: "button", onclick: () => this.more() }, "Others")));
    this.more();
  }

  more() {
    this.ask({ do: "worlds", first: this.first, count: COUNT });
    this.first += COUNT;
  }

  receive(message) {
    if (message.id !== this.id) return; // of an earlier search
    this.place?.replaceChildren(...message.worlds.map((world) => h("figure", {},
      world.picture ? h("img", { src: world.picture, alt: world.text, width: world.width, height: world.height }) : h("pre", {}, world.text),
      h("figcaption", { class: "muted small" }, `World ${world.number + 1}`))));
  }
}
