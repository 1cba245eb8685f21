// What all pages share: elements, requests, and the socket of a table.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== false));
  return element;
}

export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) set(element, name, value);
  element.append(...children.flat());
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined) return;
  if (value === false && !name.startsWith("aria-")) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "value") element.value = value;
  else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : value);
}

export const $ = (selector) => document.querySelector(selector);
export const query = new URLSearchParams(location.search);

export async function get(address) {
  return answer(await fetch(address));
}

export async function post(address, body) {
  const request = { method: "POST", body: JSON.stringify(body ?? {}) };
  return answer(await fetch(address, request));
}

async function answer(response) {
  const data = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(data.reason || `The server answered ${response.status}.`);
  return data;
}

let toastTimer = 0;
export function toast(text) {
  let shown = $(".toast");
  if (!shown) document.body.append((shown = h("div", { class: "toast", role: "status" })));
  shown.textContent = text;
  shown.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => (shown.hidden = true), 6000);
}

// Follows a table; `on` has a function for each kind of message. It waits for news and
// asks for nothing, so an idle page takes no processor time.
export function follow(id, on, seat = null) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const asked = seat === null ? "" : `?seat=${seat}`;
  const address = `${scheme}://${location.host}/api/tables/${encodeURIComponent(id)}${asked}`;
  let socket = null;
  let wait = 500;
  let opened = false;
  const table = {
    send: (message) => {
      if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
      else toast("The server cannot be reached.");
    },
    close: () => {
      wait = 0;
      socket?.close();
    },
  };
  function connect() {
    socket = new WebSocket(address);
    opened = false;
    socket.onopen = () => ([wait, opened] = [500, true]);
    socket.onmessage = (event) => {
      const message = JSON.parse(event.data);
      if (message.kind === "gone" || message.kind === "failed" || message.full) wait = 0;
      (on[message.kind] || on.other || (() => {}))(message);
    };
    socket.onclose = async () => {
      // A socket does not say why it was refused; an ordinary answer does.
      if (wait && !opened && (await fetch("/api/stores").catch(() => null))?.status === 403) {
        const told = "The server was restarted. Open the address that its terminal shows.";
        $("#main").prepend(h("p", { class: "error", role: "alert" }, told));
        return;
      }
      if (!wait) return;
      on.lost?.();
      setTimeout(connect, wait);
      wait = Math.min(2 * wait, 15000);
    };
  }
  connect();
  return table;
}

// Shows what is being compiled, with an estimate once there is something to go by.
export function readiness(place) {
  const doing = h("p", {}, "Starting");
  const left = h("p", { class: "muted small" }, "");
  const bar = h("progress", { max: 1, hidden: true });
  place.replaceChildren(
    h("div", { class: "ready" },
      h("div", { class: "dots", "aria-hidden": "true" }, h("i"), h("i"), h("i")),
      h("h2", {}, "Getting the game ready"), doing, bar, left),
  );
  let task = "";
  let began = 0;
  return (message) => {
    if (message.doing !== task) {
      task = message.doing;
      began = performance.now();
    }
    doing.textContent = message.doing;
    bar.hidden = !message.functions;
    left.textContent = "";
    if (!message.functions) return;
    bar.max = message.functions;
    bar.value = message.done;
    const seconds = (performance.now() - began) / 1000;
    left.textContent = `${message.done} of ${message.functions} functions. ` +
      "This happens once; later games start at once.";
    if (message.done >= 3 && seconds > 2 && message.done < message.functions) {
      const rest = (seconds / message.done) * (message.functions - message.done);
      left.textContent = `${message.done} of ${message.functions} functions, about ` +
        `${Math.ceil(rest)} s left. This happens once; later games start at once.`;
    }
  };
}

// A spec whose lines may break behind its signs.
export const breakable = (text) => text.split(/(?<=[:,=])/).flatMap((part) => [part, h("wbr")]);

export const number = (value) => Math.round(value).toLocaleString("en");

export function short(value) {
  if (value >= 1e6) return `${(value / 1e6).toFixed(2)} M`;
  if (value >= 1e4) return `${Math.round(value / 1e3)} k`;
  return number(value);
}

export const shownValue = (value) => (value === null || value === undefined ? "" : value.toFixed(3));

export async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
    const before = button.textContent;
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = before), 1500);
  } catch {
    toast("The browser does not allow copying. Select the text instead.");
  }
}
