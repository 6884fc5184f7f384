// The page: controls, steps, and what is asked of the server. Text from tables only ever becomes textContent.
import { drawCurve, drawPlane, drawTree, picture, point, prepare, sharpness, themeColours } from "/draw.js";
import { readLink, request, writeLink } from "/state.js";

const $ = (id) => document.getElementById(id);
const el = (name, properties = {}, ...children) => { const e = Object.assign(document.createElement(name), properties); e.append(...children); return e; };
const isNarrow = window.matchMedia("(max-width: 860px)"), isDark = window.matchMedia("(prefers-color-scheme: dark)");

let about = null, state = null, series = null, playing = null, asked = 0, waiting = null, owned = null, ownText = null;
let frames = new Map(); // canvas -> where its plane is, for clicks

// --- asking ---------------------------------------------------------------------------------------------------------------
async function ask(path, body, kind = "application/json") {
  let answer;
  try {
    answer = await fetch(path, body === undefined ? {} : { method: "POST", headers: { "Content-Type": kind }, body: kind === "application/json" ? JSON.stringify(body) : body });
  } catch { throw new Error("The lab does not respond. Is `spinney lab` still running?"); }
  let found;
  try { found = await answer.json(); } catch { throw new Error(`The lab sent an unreadable response (${answer.status}).`); }
  if (!answer.ok || found.error) throw new Error(found.error ?? `The lab responded with ${answer.status}.`);
  return found;
}
function complain(message, beside = null) { // beside a button, or over the panels
  $("error").textContent = message; $("error").hidden = !message;
  if (beside) $(beside).after($("error")); else $("sentence").after($("error"));
}
let bringing = false; // after something in the settings: the steps, where they would be out of sight
function bringStage() { if (bringing && (isNarrow.matches || $("stage").getBoundingClientRect().top < 0)) $("stage").scrollIntoView({ block: "start" }); bringing = false; }

async function load() {
  const own = ++asked;
  const slow = setTimeout(() => { if (own === asked) { document.body.classList.add("busy"); $("said").textContent = "Fitting … The first fit of a method compiles its code, which can take some seconds."; } }, 250);
  try {
    const found = await ask("/api/series", request(state));
    if (own !== asked) return;
    series = found;
    complain("");
    showTable();
    show(Math.min(state.step, series.steps.length - 1));
    bringStage();
  } catch (error) {
    if (own === asked) { complain(error.message, bringing || null); bringing = false; stop(); if (!series) $("sentence").textContent = ""; }
  } finally {
    clearTimeout(slow);
    if (own === asked) { document.body.classList.remove("busy"); if ($("said").textContent.startsWith("Fitting")) $("said").textContent = ""; document.body.dataset.ready = String(own); }
  }
}
function loadSoon() { clearTimeout(waiting); document.body.dataset.ready = ""; waiting = setTimeout(load, 90); }

// --- choosing ---------------------------------------------------------------------------------------------------------------
const method = () => about.methods.find((m) => m.name === state.method);
const source = () => about.tables.find((t) => t.name === state.table);
const suits = (table, m) => m.tables.includes(table.name);
function chooseMethod(name) {
  stop();
  const before = state.table;
  state.method = name; state.params = {}; state.step = 0;
  if (before !== "own" && !suits(source(), method())) chooseTable(method().default, false);
  fillAll(); loadSoon();
}
function chooseTable(name, then = true) {
  stop();
  if (name === "own" && !owned) { $("own").open = true; $("csv").focus(); fillTables(); return; }
  Object.assign(state, { table: name, tableParams: {}, columns: null, points: [], step: 0 });
  if (then) { fillAll(); loadSoon(); }
}
function choosePreset(preset) {
  stop();
  const { method, table, params, tableParams } = preset;
  Object.assign(state, { method, table, params: { ...params }, tableParams: { ...tableParams }, columns: null, points: [], step: 0 });
  fillAll(); loadSoon();
}
function fillAll() {
  const m = method();
  $("about").textContent = m.about;
  for (const b of $("methods").children) b.setAttribute("aria-pressed", String(b.dataset.name === m.name));
  $("method").value = m.name;
  fillTables();
  fillParams($("params"), m.parameters, state.params);
  fillParams($("tableParams"), source()?.parameters ?? [], state.tableParams);
  fillColumns();
}
function fillTables() {
  const all = about.tables.filter((t) => suits(t, method())).map((t) => el("option", { value: t.name, textContent: t.title }));
  $("table").replaceChildren(...all, el("option", { value: "own", textContent: owned ? "Your own table" : "Your own table …" }));
  $("table").value = state.table;
}
function fillParams(place, parameters, values) {
  place.replaceChildren(...parameters.map((p) => {
    const value = values[p.name] ?? p.default;
    values[p.name] = value;
    if (p.choices) {
      const select = el("select", {}, ...p.choices.map(([v, words]) => el("option", { value: v, textContent: words })));
      select.value = value; select.dataset.param = p.name;
      select.addEventListener("change", () => { values[p.name] = select.value; state.step = 0; loadSoon(); });
      return el("label", { className: "param" }, p.label, select);
    }
    const out = el("output", { textContent: String(value) });
    const slider = el("input", { type: "range", min: p.low, max: p.high, step: p.step, value, ariaLabel: p.label }); // the label element is the output's
    slider.dataset.param = p.name;
    slider.addEventListener("input", () => { values[p.name] = Number(slider.value); out.textContent = slider.value; loadSoon(); });
    return el("label", { className: "param" }, el("span", {}, p.label, out), slider);
  }));
}
function fillColumns() {
  const names = state.table === "own" ? owned?.columns ?? [] : source()?.columns ?? [];
  const parts = [];
  const choose = (label, names, value, set) => {
    const select = el("select", {}, ...names.map((n) => el("option", { value: n, textContent: n })));
    select.value = value;
    select.addEventListener("change", () => { set(select.value); state.points = []; state.step = 0; fillColumns(); loadSoon(); });
    parts.push(el("label", { className: "line" }, label, select));
  };
  if (state.table === "own" && owned) choose("Class", owned.targets, state.target ?? owned.target, (v) => { state.target = v; state.columns = null; owned.columns = owned.numbers.filter((n) => n !== v); });
  if (method().kind !== "words" && names.length > 1) {
    const now = state.columns ?? names.slice(0, 2);
    ["Horizontal", "Vertical"].forEach((label, i) => choose(label, names, now[i], (v) => {
      const next = [...now]; next[i] = v;
      if (next[0] === next[1]) next[1 - i] = now[i];
      state.columns = next;
    }));
  }
  $("columns").replaceChildren(...parts);
}

// --- showing ----------------------------------------------------------------------------------------------------------------
function look() { return { ...themeColours(), classes: about.colours }; }
function showTable() {
  const t = series.table;
  $("note").textContent = [`${t.rows} rows.`, t.note].join(" ").trim();
  $("adding").hidden = !t.isPlane;
  if (!t.isPlane) return;
  const before = $("class").value;
  $("class").replaceChildren(...t.classes.map((c, k) => el("option", { value: k, textContent: c })));
  $("class").value = before && before < t.classes.length ? before : "0";
  $("classLine").hidden = t.classes.length < 2;
  $("xName").textContent = t.names[0]; $("yName").textContent = t.names[1];
  $("undo").disabled = $("clear").disabled = state.points.length === 0;
}
function show(step) {
  state.step = step;
  const now = series.steps[step], last = series.steps.length - 1;
  $("sentence").textContent = now.sentence;
  $("slider").max = last; $("slider").value = step; $("slider").setAttribute("aria-valuetext", `step ${step + 1} of ${last + 1}`);
  $("count").textContent = `step ${step + 1} of ${last + 1}`;
  $("first").disabled = $("back").disabled = step === 0;
  $("next").disabled = $("last").disabled = step === last;
  document.title = `${method().title}, step ${step + 1} – Spinney lab`;
  drawPanels(now);
  link();
}
function link() {
  const defaults = {};
  for (const p of method().parameters) defaults["p." + p.name] = p.default;
  for (const p of source()?.parameters ?? []) defaults["q." + p.name] = p.default;
  history.replaceState(null, "", writeLink({ ...state, csv: ownText }, defaults));
}
function drawPanels(now) {
  const colours = look(), t = series.table;
  frames = new Map();
  fillLegend(t, now, colours);
  const smalls = now.panels.filter((p) => p.kind === "curve" && p.small).length;
  const lastCell = now.panels.findLast((p) => p.kind !== "tree" && !p.bars);
  const beside = now.panels.length === 2 && now.panels[0].kind === "plane" && now.panels[1].kind === "tree" && now.panels[1].width < 420; // a small tree
  const figures = now.panels.map((panel, i) => {
    const figure = el("figure", {}, el("figcaption", { textContent: panel.title }));
    const alone = panel === lastCell && cells(now.panels, smalls) % 2 === 1 && panel.kind !== "table" && !beside;
    if ((panel.kind === "tree" && !beside) || panel.bars || alone) figure.classList.add("wide");
    if (i === 0 && panel.kind === "plane" && smalls === 2 && now.panels[1].kind === "curve") figure.classList.add("tall");
    if (panel.kind === "table") figure.append(table(panel));
    else {
      const canvas = el("canvas", { role: "img", ariaLabel: `${panel.title}. ${now.sentence}` });
      const scroll = el("div", { className: panel.kind === "tree" ? "scroll" : "fit" }, canvas);
      if (panel.kind === "tree") { scroll.tabIndex = 0; scroll.setAttribute("aria-label", panel.title); }
      figure.append(scroll);
    }
    return figure;
  });
  $("panels").classList.toggle("duo", now.panels.length === 2 && now.panels[0].kind === "plane" && now.panels[1].kind === "curve");
  $("panels").replaceChildren(...figures);
  now.panels.forEach((panel, i) => {
    const canvas = figures[i].querySelector("canvas");
    if (!canvas) return;
    const width = canvas.parentElement.clientWidth;
    if (panel.kind === "plane") { frames.set(canvas, drawPlane(canvas, panel, t, colours, width, figures[i].classList.contains("tall") && $("panels").clientWidth > 640)); figures[i].classList.add("adds"); }
    if (panel.kind === "curve") {
      const f = drawCurve(canvas, panel, colours, width, figures[i].classList.contains("wide"));
      if (panel.adds) { frames.set(canvas, f); figures[i].classList.add("adds"); }
    }
    if (panel.kind === "tree") drawTree(canvas, panel, colours, width);
  });
}
function cells(panels, smalls) {
  let n = panels.filter((p) => p.kind !== "tree" && !p.bars).length;
  if (smalls === 2 && panels[0].kind === "plane" && panels[1].kind === "curve") n += 1; // the first takes two
  return n;
}
function table(panel) {
  const numeric = panel.columns.map((_, k) => panel.rows.every((r) => /^[-–\d.]+$/.test(r[k])));
  const cell = (name, text, k) => el(name, { textContent: text, className: numeric[k] ? "number" : "", ...(name === "th" ? { scope: "col" } : {}) });
  const most = Math.max(...panel.rows.map((r) => parseFloat(r.at(-1)) || 0));
  const bar = (row) => { const inner = el("div"); inner.style.width = `${(100 * (parseFloat(row.at(-1)) || 0)) / (most || 1)}%`; return el("td", { className: "bar" }, inner); };
  const body = panel.rows.map((row, i) => el("tr", { className: i === panel.chosen ? "chosen" : "" }, ...row.map((text, k) => cell("td", text, k)), ...(panel.bars ? [bar(row)] : [])));
  const head = el("tr", {}, ...panel.columns.map((text, k) => cell("th", text, k)), ...(panel.bars ? [el("td")] : []));
  return el("div", { className: "scroll" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...body)));
}
function fillLegend(t, now, colours) {
  const planes = now.panels.filter((p) => p.kind === "plane"), parts = [];
  const sign = (k, words, how) => {
    const canvas = el("canvas");
    point(prepare(canvas, 20, 20), 10, 10, k, 4.5, colours, how);
    parts.push(el("span", {}, canvas, words));
  };
  if (planes.length && t.isPlane && !planes[0].colours && !planes[0].shares) t.classes.forEach((c, k) => sign(k, c));
  if (planes.some((p) => p.wrong?.length)) sign(0, "ringed: wrong", { wrong: true, colour: "#9aa39e" });
  if (planes.some((p) => p.hollow?.length)) sign(0, planes.some((p) => p.hollow?.length && p.bag) ? "hollow: out-of-bag" : "hollow: held out", { hollow: true });
  $("legend").replaceChildren(...parts);
}

// --- stepping ---------------------------------------------------------------------------------------------------------------
function go(to) { if (series) show(Math.max(0, Math.min(to, series.steps.length - 1))); }
function stop() { clearInterval(playing); playing = null; $("play").textContent = "Play"; }
function play() {
  if (playing) { stop(); return; }
  if (!series) return;
  if (state.step === series.steps.length - 1) go(0);
  $("play").textContent = "Pause";
  playing = setInterval(() => { if (state.step >= series.steps.length - 1) stop(); else go(state.step + 1); }, 1400);
}
function keys(event) {
  const on = event.target;
  if (event.ctrlKey || event.metaKey || event.altKey || $("codeBox").open || on.matches?.("input, select, textarea")) return;
  const move = { ArrowRight: () => go(state.step + 1), ArrowLeft: () => go(state.step - 1), Home: () => go(0), End: () => go(Infinity), p: play, P: play }[event.key];
  if (!move || (on.matches?.(".scroll") && event.key.startsWith("Arrow") && on.scrollWidth > on.clientWidth)) return;
  event.preventDefault();
  if (!/^p$/i.test(event.key)) stop();
  move();
}

// --- adding points ------------------------------------------------------------------------------------------------------------
function add(x, y, from = null) {
  if (!series || ![x, y].every(Number.isFinite)) { complain("A point needs two numbers.", from); return; }
  if (state.points.length >= 500) { complain("At most 500 points can be added.", from); return; }
  bringing = from;
  state.points.push([+x.toPrecision(6), +y.toPrecision(6), Number($("class").value || 0)]);
  loadSoon();
}
let pressed = null;
function press(event) { pressed = { x: event.clientX, y: event.clientY, target: event.target }; }
function release(event) {
  if (!pressed) return;
  const dx = event.clientX - pressed.x, dy = event.clientY - pressed.y, f = frames.get(event.target);
  if (event.pointerType === "touch" && Math.abs(dx) > 50 && Math.abs(dy) < 40 && !pressed.target.matches("input")) { stop(); go(state.step + (dx < 0 ? 1 : -1)); }
  else if (Math.hypot(dx, dy) < 6 && f && pressed.target === event.target) {
    const box = event.target.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
    if (px >= f.left && px <= f.right && py >= f.top && py <= f.bottom) add(...f.inverse(px, py));
  }
  pressed = null;
}

// --- one's own table ------------------------------------------------------------------------------------------------------------
async function useOwn(table, text = table) {
  if ((table.length ?? table.size) > 20 * 2 ** 20) { complain("The table is larger than 20 MB.", "use"); return; }
  try {
    owned = await ask("/api/table", table, "application/octet-stream");
    ownText = text;
    Object.assign(state, { own: owned.id, target: owned.target });
    complain("");
    if (method().kind === "plane" && owned.columns.length < 2) { complain(`This method needs two numeric columns besides the class. Methods for this table: ${about.methods.filter((m) => m.kind !== "plane").map((m) => m.title).join(", ")}.`, "use"); return; }
    bringing = "use";
    chooseTable("own");
    state.target = owned.target;
  } catch (error) { complain(error.message, "use"); }
}

// --- taking away -----------------------------------------------------------------------------------------------------------------
function save(blob, name) {
  const a = el("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(a); a.click(); a.remove();
  setTimeout(() => URL.revokeObjectURL(a.href), 2000);
}
async function copy(text, said) {
  try { await navigator.clipboard.writeText(text); $("said").textContent = said; } catch { window.prompt("Copy this:", text); }
}
export function stepPicture() {
  const now = series.steps[state.step], colours = look();
  sharpness.ratio = 2; // whatever the screen has
  const figures = [...$("panels").children].map((figure, i) => {
    const panel = now.panels[i], wide = figure.classList.contains("wide"), width = wide ? 1168 : 576;
    if (panel.kind === "table") return { ...panel, wide };
    const canvas = el("canvas");
    if (panel.kind === "plane") drawPlane(canvas, panel, series.table, colours, width, figure.classList.contains("tall"));
    if (panel.kind === "curve") drawCurve(canvas, panel, colours, width, wide);
    if (panel.kind === "tree") drawTree(canvas, panel, colours, width);
    return { title: panel.title, canvas, wide };
  });
  sharpness.ratio = 0;
  return picture(`${method().title}, ${$("count").textContent}`, now.sentence, figures, colours);
}
function savePicture() { if (series) stepPicture().toBlob((blob) => save(blob, `${state.method}-${state.step + 1}.png`), "image/png"); }
async function showCode() {
  try {
    const found = await ask("/api/code", { ...request(state), step: state.step });
    $("codeText").textContent = found.code;
    $("codeBox").showModal();
  } catch (error) { complain(error.message); }
}

// --- light and dark ----------------------------------------------------------------------------------------------------------------
function theme(chosen) {
  const now = chosen ?? localStorage.getItem("spinney-theme") ?? "system";
  if (chosen) localStorage.setItem("spinney-theme", chosen);
  document.documentElement.dataset.theme = now === "system" ? (isDark.matches ? "dark" : "light") : now;
  $("theme").textContent = `Theme: ${now}`;
  if (series) drawPanels(series.steps[state.step]);
}
const nextTheme = { system: "dark", dark: "light", light: "system" };

// --- starting -----------------------------------------------------------------------------------------------------------------------
async function fromLink() {
  state = readLink(location.hash);
  if (!about.methods.some((m) => m.name === state.method)) state.method = about.methods[0].name;
  if (state.table === "own" && state.csv) {
    try { owned = await ask("/api/table", state.csv, "text/csv"); ownText = state.csv; state.own = owned.id; owned.columns = owned.numbers.filter((n) => n !== (state.target ?? owned.target)); } catch (error) { complain(error.message); }
  }
  if (state.table !== "own" && !(source() && suits(source(), method()))) state.table = method().default;
  fillAll();
  await load();
}
function connect() {
  $("methods").append(...about.methods.map((m) => { const b = el("button", { type: "button", textContent: m.title }); b.dataset.name = m.name; b.addEventListener("click", () => chooseMethod(m.name)); return b; }));
  $("method").append(...about.methods.map((m) => el("option", { value: m.name, textContent: m.title })));
  const click = (id, work) => $(id).addEventListener("click", work);
  $("method").addEventListener("change", () => chooseMethod($("method").value));
  $("preset").append(el("option", { value: "", textContent: "Choose …" }), ...about.presets.map((p, k) => el("option", { value: k, textContent: p.title })));
  $("preset").addEventListener("change", () => { if ($("preset").value) choosePreset(about.presets[Number($("preset").value)]); $("preset").value = ""; });
  $("table").addEventListener("change", () => chooseTable($("table").value));
  for (const [id, to] of [["first", () => 0], ["back", () => state.step - 1], ["next", () => state.step + 1], ["last", () => Infinity]]) click(id, () => { stop(); go(to()); });
  click("play", play);
  $("slider").addEventListener("input", () => { stop(); go(Number($("slider").value)); });
  document.addEventListener("keydown", keys);
  $("stage").addEventListener("pointerdown", press);
  $("stage").addEventListener("pointerup", release);
  $("stage").addEventListener("pointercancel", () => { pressed = null; });
  click("add", () => add(parseFloat($("x").value), parseFloat($("y").value), "addButtons"));
  click("undo", () => { state.points.pop(); loadSoon(); });
  click("clear", () => { state.points = []; loadSoon(); });
  click("use", () => useOwn($("csv").value));
  $("file").addEventListener("change", async () => {
    const file = $("file").files[0];
    if (!file) return;
    if (file.size > 20 * 2 ** 20) complain(`The file has ${(file.size / 2 ** 20).toFixed(0)} MB, but at most 20 MB are supported.`, "use");
    else { // for links, text that is UTF-8
      const text = /\.(csv|tsv|txt)$/i.test(file.name) ? await file.text() : "\ufffd";
      await useOwn(file, text.includes("\ufffd") ? null : text);
    }
  });
  click("copy", () => { link(); copy(location.href, ownText && ownText.length > 3000 && state.table === "own" ? "Copied. The table is too large for a link: it works while this lab runs." : "Copied."); });
  click("png", savePicture);
  click("code", showCode);
  click("codeCopy", () => copy($("codeText").textContent, "Copied."));
  click("codeSave", () => save(new Blob([$("codeText").textContent], { type: "text/x-python" }), `${state.method}_step_${state.step + 1}.py`));
  click("codeClose", () => $("codeBox").close());
  click("theme", () => theme(nextTheme[localStorage.getItem("spinney-theme") ?? "system"]));
  click("skip", (event) => { event.preventDefault(); $("stage").focus(); });
  isDark.addEventListener("change", () => theme());
  const fold = () => { $("settings").open = !isNarrow.matches; };
  isNarrow.addEventListener("change", fold);
  fold();
  let width = 0;
  new ResizeObserver(() => { const now = $("panels").clientWidth; if (series && now !== width) { width = now; drawPanels(series.steps[state.step]); } }).observe($("panels"));
  window.addEventListener("hashchange", fromLink);
}
theme();
try {
  about = await ask("/api/about");
  connect();
  await fromLink();
} catch (error) { complain(error.message); $("sentence").textContent = ""; }
