// The state of the page, and the link that stands for it. In and out: a plain object and the part of an address after '#'.
const MOST_TEXT = 3000; // characters of one's own table that a link carries

export function readLink(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const state = { method: given.get("m"), table: given.get("t"), step: Math.max(0, parseInt(given.get("s") ?? "0", 10) || 0),
    params: {}, tableParams: {}, columns: null, points: [], own: given.get("own"), target: given.get("target"), csv: given.get("csv") };
  for (const [name, value] of given) {
    const number = value !== "" && !Number.isNaN(Number(value)) ? Number(value) : value;
    if (name.startsWith("p.")) state.params[name.slice(2)] = number;
    if (name.startsWith("q.")) state.tableParams[name.slice(2)] = number;
  }
  if (given.has("x") && given.has("y")) state.columns = [given.get("x"), given.get("y")];
  for (const one of (given.get("add") ?? "").split(";")) {
    const parts = one.split(",").map(Number);
    if (one && parts.length === 3 && parts.every(Number.isFinite)) state.points.push(parts);
  }
  return state;
}

export function writeLink(state, defaults) {
  const out = new URLSearchParams({ m: state.method, t: state.table, s: String(state.step) });
  for (const [prefix, values] of [["p.", state.params], ["q.", state.tableParams]]) {
    for (const [name, value] of Object.entries(values)) if (value !== defaults[prefix + name]) out.set(prefix + name, value);
  }
  if (state.columns) { out.set("x", state.columns[0]); out.set("y", state.columns[1]); }
  if (state.points.length) out.set("add", state.points.map((p) => p.map((v) => +v.toPrecision(6)).join(",")).join(";"));
  if (state.table === "own") {
    if (state.own) out.set("own", state.own);
    if (state.target) out.set("target", state.target);
    if (state.csv && state.csv.length <= MOST_TEXT) out.set("csv", state.csv);
  }
  return "#" + out.toString();
}

export function request(state) {
  const { method, params, table, tableParams, columns, points, own, target } = state;
  return { method, params, table, tableParams, columns, points, ...(table === "own" ? { own, target } : {}) };
}
