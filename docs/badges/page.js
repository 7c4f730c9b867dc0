// Shows the elements in four kinds of panel, twice each: on light and on dark. What is in the address (`?base=…&server=…&link=…`)
// is shown live; without it the samples beside this page are.

const STYLES = [
  ["chakra", "Like Chakra UI"],
  ["mantine", "Like Mantine"],
  ["tailwind", "Like Tailwind"],
  ["plain", "Plain HTML"],
];
const SAMPLES = ["nl-1", "ru-2", "fi-1", "de-2", "tr-1", "nl-2", "md-1", "ro-1", "es-1", "pl-1", "se-1", "xx-1"];

const wanted = Object.fromEntries(new URLSearchParams(location.search));
for (const field of document.forms[0].elements) {
  if (field.name && wanted[field.name]) field.value = wanted[field.name];
}
document.documentElement.lang = wanted.lang || "en";

const live = Boolean(wanted.base);
const base = live ? wanted.base : new URL("samples/", location.href).href;
const script = new URL("badge.js", live ? `${wanted.base.replace(/\/$/, "")}/` : new URL("../../web/dist/", location.href)).href;

import(script).catch(() => {
  const problem = document.querySelector("#problem");
  problem.textContent = `${script} cannot be loaded.${live ? "" : " Build it with: cargo xtask web"}`;
  problem.hidden = false;
});
document.querySelector("#panels").append(...STYLES.flatMap(([style, title]) => ["light", "dark"].map((theme) => panel(style, title, theme))));

function panel(style, title, theme) {
  const section = made("section", { className: `panel ${style} ${theme}` });
  section.append(made("h2", { textContent: `${title}, ${theme}` }), table(), card());
  return section;
}

function table() {
  const servers = live ? (wanted.server ? [wanted.server] : []) : SAMPLES;
  const element = made("table");
  const head = element.createTHead().insertRow();
  for (const text of ["Server", "Users", "Status"]) head.append(made("th", { textContent: text, scope: "col" }));
  const body = element.createTBody();
  for (const [index, server] of servers.entries()) {
    const row = body.insertRow();
    row.append(made("th", { textContent: server, scope: "row" }), made("td", { textContent: String(40 + ((index * 37) % 60)) }));
    const badge = made("quorate-badge");
    set(badge, { server, src: base, link: wanted.link });
    if (live) badge.setAttribute("evidence", "");
    row.insertCell().append(badge);
  }
  const box = made("div", { className: "table" });
  box.append(element);
  return box;
}

function card() {
  const route = live ? wanted.route : "eu";
  const element = made("article", { className: "user" });
  element.append(made("h3", { textContent: "User u42" }));
  if (!route) return element;
  const servers = made("quorate-servers");
  set(servers, { route, src: base, link: wanted.route_link });
  element.append(servers);
  return element;
}

function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) if (value) element.setAttribute(name, value);
}

function made(name, properties = {}) {
  return Object.assign(document.createElement(name), properties);
}
