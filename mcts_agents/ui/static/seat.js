// The choice of who sits in a seat: a person or an agent, its budget and its options.
import { copy, get, h, post } from "./common.js";

const UNITS = [
  ["seconds", "seconds a move"],
  ["simulations", "simulations"],
  ["forward_model_calls", "model calls"],
  ["nodes", "nodes"],
];
const AMOUNTS = { seconds: "1", simulations: "10000", forward_model_calls: "100000", nodes: "10000" };
// A second of a fast game fills gigabytes with nodes, so trees may only take so much.
const MEMORY = { agent: "256" };

export class SeatChoice {
  // `person` says whether a person may sit here; `game` returns the game's spec.
  constructor(title, agents, game, { person = true, start = "mcts", seconds = "1" } = {}) {
    this.agents = agents;
    this.game = game;
    this.seconds = seconds;
    this.form = null;
    this.fields = new Map();
    this.who = h("select", { "aria-label": `${title}: who plays`, onchange: () => this.changed() });
    if (person) this.who.append(h("option", { value: "human" }, "You"));
    for (const group of new Set(agents.map((agent) => agent.group))) {
      const own = agents.filter((agent) => agent.group === group);
      this.who.append(h("optgroup", { label: group }, own.map((agent) =>
        h("option", { value: agent.name, title: agent.about }, agent.name))));
    }
    this.who.append(h("optgroup", { label: "Custom" }, h("option", { value: "*" }, "enter a spec")));
    this.amount = h("input", { inputmode: "decimal", "aria-label": `${title}: budget` });
    this.unit = h("select", { "aria-label": `${title}: unit of the budget`, onchange: () => this.unitChanged() });
    this.budget = h("div", { class: "budget" }, this.amount, this.unit);
    this.file = h("input", { placeholder: "models/hex.onnx", "aria-label": `${title}: file of the policy`, spellcheck: "false", autocapitalize: "off" });
    this.spec = h("input", { placeholder: "mcts:tree=multi,simulations=1000", "aria-label": `${title}: spec`, spellcheck: "false" });
    this.about = h("p", { class: "muted small" });
    this.options = h("details", { ontoggle: () => this.opened() }, h("summary", {}, "Options"));
    this.error = h("p", { class: "error", role: "alert", hidden: true });
    this.element = h("div", { class: "seat" },
      h("div", { class: "who" }, h("span", { class: "label" }, title), this.who, this.budget, this.file, this.spec),
      this.about, this.error, this.options);
    this.who.value = start;
    this.changed();
  }

  get agent() {
    return this.agents.find((agent) => agent.name === this.who.value);
  }

  changed() {
    const agent = this.agent;
    this.form = null;
    this.fields = new Map();
    this.options.open = false;
    this.options.hidden = !agent;
    this.options.replaceChildren(this.options.firstElementChild);
    this.about.textContent = agent?.about ?? "";
    this.about.hidden = !this.about.textContent;
    this.spec.hidden = this.who.value !== "*";
    this.file.hidden = !agent?.file;
    const units = UNITS.filter(([name]) => agent?.budgets.includes(name));
    this.budget.hidden = units.length === 0;
    this.unit.replaceChildren(...units.map(([name, text]) => h("option", { value: name }, text)));
    this.unitChanged();
    this.refuse("");
  }

  unitChanged() {
    this.amount.value = this.unit.value === "seconds" ? this.seconds : AMOUNTS[this.unit.value] ?? "";
  }

  refuse(reason) {
    this.error.textContent = reason;
    this.error.hidden = !reason;
  }

  // What the server is sent for this seat; throws what is wrong with it.
  async chosen() {
    this.refuse("");
    if (this.who.value === "human") return "human";
    if (this.who.value === "*") {
      if (this.spec.value.trim()) return this.spec.value.trim();
      this.refuse("Write the spec of an agent.");
      throw new Error("A seat has no agent.");
    }
    if (this.agent.file && !this.file.value.trim()) {
      this.refuse("Write the path of a policy's file: .onnx, .npz, .safetensors, .pt or .zip.");
      throw new Error("A seat has no policy.");
    }
    const told = await this.check();
    if (!told) throw new Error("Some agent options are invalid; see the messages beside them.");
    return told.mapping;
  }

  // The options as texts, those of the form and the budget.
  texts() {
    const texts = {};
    for (const [name, field] of this.fields) {
      if (field.input.value.trim() !== field.start) texts[name] = field.input.value;
    }
    if (!this.budget.hidden && this.amount.value.trim()) {
      texts[this.unit.value] = this.amount.value;
      if (this.unit.value === "seconds" && this.agent.memory) {
        texts.memory ??= MEMORY.agent;
      }
    }
    if (this.agent.file) texts.file = this.file.value;
    return texts;
  }

  async check() {
    const asked = { agent: this.who.value, options: this.texts(), game: this.game() };
    const told = await post("/api/agents/check", asked);
    const errors = told.errors;
    for (const [name, field] of this.fields) {
      field.error.textContent = errors[name] ?? "";
      field.input.setAttribute("aria-invalid", name in errors);
    }
    const others = Object.entries(errors).filter(([name]) => !this.fields.has(name));
    this.refuse(others.map(([, reason]) => reason).join(" "));
    if (this.written) this.write(told);
    return Object.keys(errors).length ? null : told;
  }

  async opened() {
    if (!this.options.open || this.form) return;
    this.form = h("div", { class: "options" });
    this.options.append(this.form);
    const told = await get(`/api/agents/form?name=${encodeURIComponent(this.who.value)}`);
    const hidden = new Set([...this.agent.budgets, ...(this.agent.file ? ["file"] : [])]);
    const groups = new Map();
    for (const field of told.fields) {
      if (hidden.has(field.name)) continue;
      if (!groups.has(field.group)) groups.set(field.group, []);
      groups.get(field.group).push(this.field(field));
    }
    this.written = h("div", { class: "stack" });
    for (const [name, fields] of groups) {
      this.form.append(h("h3", {}, name), h("div", { class: "fields" }, fields));
    }
    this.form.append(this.written);
    await this.check();
  }

  field(field) {
    const check = () => this.check();
    const listed = field.kind === "bool" ? ["true", "false"] : field.choices;
    const input = listed.length && !(field.kind !== "bool" && /, or [a-z]/.test(field.allowed.replace(", or none", "")))
      ? h("select", { onchange: check },
        field.optional ? h("option", { value: "" }, "the default") : null,
        listed.map((word) => h("option", { value: word }, word)))
      : h("input", { onchange: check, spellcheck: "false", placeholder: field.optional ? "none" : "" });
    input.value = field.default;
    const error = h("span", { class: "error", role: "alert" });
    this.fields.set(field.name, { input, error, start: field.default });
    return h("label", {},
      h("span", {}, field.name), input, error,
      h("span", { class: "help" }, marked(`${field.text} Allowed: ${field.allowed}.`)));
  }

  write(told) {
    if (!told.command) return this.written.replaceChildren();
    const block = (title, text) => {
      const button = h("button", { type: "button", class: "plain" }, "Copy");
      button.addEventListener("click", () => copy(text, button));
      return h("div", {}, h("div", { class: "row spread" }, h("span", { class: "label" }, title), button), h("pre", {}, text));
    };
    this.written.replaceChildren(
      block("Command", told.command), block("Python", told.python), block("YAML", told.yaml));
  }
}

// Words between backticks, as the options' texts have them, become code.
function marked(text) {
  return text.split("`").map((part, index) => (index % 2 ? h("code", {}, part) : part));
}
