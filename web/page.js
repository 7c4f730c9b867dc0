// The fleet's status as a table, asked for anew every few seconds with the token that was typed in.
// A shape stands before each word, so that nothing hangs on colour alone.
const SHAPES = {
  ok: "●", marked: "◆", contested: "◆", degraded: "▲", blocked: "⊘", unreachable: "✕", down: "✕",
  no_data: "○", pending: "○", disabled: "–",
};
const EVERY_MS = 3000;
const table = document.querySelector("#servers");
const summary = document.querySelector("#summary");
let timer;

document.querySelector("#sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(timer);
  show(document.querySelector("#token").value.trim());
});

async function show(token) {
  try {
    const servers = [];
    let after = "";
    do {
      const page = await ask(`/api/v1/servers?limit=1000${after && `&after=${encodeURIComponent(after)}`}`, token);
      servers.push(...page.items);
      after = page.next ?? "";
    } while (after);
    draw(servers);
  } catch (error) {
    summary.textContent = `What is shown may be old: ${error.message}`;
    if (error.refused) return;
  }
  timer = setTimeout(() => show(token), EVERY_MS);
}

async function ask(path, token) {
  const response = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
  const body = await response.json();
  if (response.ok) return body;
  const error = new Error(body.detail ?? response.statusText);
  error.refused = response.status === 401 || response.status === 403;
  throw error;
}

function draw(servers) {
  const counts = {};
  const rows = servers.map((server) => {
    counts[server.status] = (counts[server.status] ?? 0) + 1;
    const row = document.createElement("tr");
    cell(row, server.id);
    cell(row, server.country ?? "");
    const status = cell(row, `${SHAPES[server.status] ?? "?"} ${server.status.replace("_", " ")}`);
    status.className = "status";
    status.dataset.status = server.status;
    cell(row, server.stale ? `${server.text} (stale)` : server.text);
    cell(row, server.reason ?? "");
    cell(row, server.last_report_at_ms ? new Date(server.last_report_at_ms).toLocaleTimeString() : "never");
    return row;
  });
  table.hidden = false;
  table.tBodies[0].replaceChildren(...rows);
  const words = Object.entries(counts).map(([status, count]) => `${count} ${status.replace("_", " ")}`);
  summary.textContent = `${servers.length} servers: ${words.join(", ") || "none yet"}`;
}

function cell(row, text) {
  const made = document.createElement("td");
  made.textContent = text;
  row.append(made);
  return made;
}
