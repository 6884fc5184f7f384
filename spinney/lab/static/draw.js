// Panels on canvases. In: a panel of a step, the table, colours of classes and of the theme. Out: pixels.
// It knows nothing of methods: planes, curves and trees are plain data (spinney/lab/panels.py).
const LEVELS = 8, CELLS = 96;
const FONT = '"DejaVu Sans", system-ui, "Segoe UI", Roboto, sans-serif';

export function themeColours() {
  const style = getComputedStyle(document.documentElement);
  const get = (name) => style.getPropertyValue("--" + name).trim();
  return { card: get("card"), text: get("text"), quiet: get("quiet"), line: get("line"), grid: get("grid"), strong: get("strong"), ring: get("ring"), mark: get("mark") };
}

const rgb = (colour) => [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
export function mix(colour, under, share) {
  const a = rgb(colour), b = rgb(under);
  return `rgb(${a.map((v, i) => Math.round(v * share + b[i] * (1 - share))).join(",")})`;
}
function shade(code, look) {
  const level = code % LEVELS, colour = look.classes[Math.floor(code / LEVELS) % look.classes.length];
  return mix(colour, look.card, 0.1 + (0.5 * level) / (LEVELS - 1));
}
const lineColour = (k, look) => mix(look.classes[k % look.classes.length], look.text, 0.75);

export const sharpness = { ratio: 0 }; // pixels of a point; 0: those of the screen
export function prepare(canvas, width, height) {
  const ratio = sharpness.ratio || Math.max(1, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio); canvas.height = Math.round(height * ratio);
  canvas.style.width = width + "px"; canvas.style.height = height + "px";
  const c = canvas.getContext("2d");
  c.setTransform(ratio, 0, 0, ratio, 0, 0);
  c.clearRect(0, 0, width, height);
  return c;
}

// --- points -----------------------------------------------------------------------------------------------------------
const SHAPES = [
  (c, r) => c.arc(0, 0, r, 0, 7),
  (c, r) => c.rect(-r * 0.88, -r * 0.88, r * 1.76, r * 1.76),
  (c, r) => polygon(c, r * 1.22, 3, -Math.PI / 2),
  (c, r) => polygon(c, r * 1.2, 4, 0),
  (c, r) => polygon(c, r * 1.22, 3, Math.PI / 2),
  (c, r) => polygon(c, r * 1.1, 5, -Math.PI / 2),
  (c, r) => star(c, r * 1.3),
  (c, r) => plus(c, r * 1.1),
];
function polygon(c, r, n, from) {
  for (let i = 0; i < n; i++) c.lineTo(r * Math.cos(from + (2 * Math.PI * i) / n), r * Math.sin(from + (2 * Math.PI * i) / n));
  c.closePath();
}
function star(c, r) {
  for (let i = 0; i < 10; i++) { const s = i % 2 ? r * 0.45 : r; c.lineTo(s * Math.cos(-Math.PI / 2 + (Math.PI * i) / 5), s * Math.sin(-Math.PI / 2 + (Math.PI * i) / 5)); }
  c.closePath();
}
function plus(c, r) {
  const w = r * 0.38;
  for (const [x, y] of [[-w, -r], [w, -r], [w, -w], [r, -w], [r, w], [w, w], [w, r], [-w, r], [-w, w], [-r, w], [-r, -w], [-w, -w]]) c.lineTo(x, y);
  c.closePath();
}
export function point(c, x, y, k, r, look, how = {}) {
  c.save();
  c.translate(x, y);
  c.globalAlpha = how.dim ? 0.18 : 1;
  c.beginPath();
  SHAPES[k % SHAPES.length](c, r);
  const colour = how.colour ?? look.classes[k % look.classes.length];
  c.fillStyle = how.hollow ? look.card : colour;
  c.strokeStyle = how.hollow ? mix(look.classes[k % look.classes.length], look.text, 0.6) : "#20262399";
  c.lineWidth = how.hollow ? 1.8 : 0.8;
  c.fill(); c.stroke();
  if (how.wrong) { c.beginPath(); c.arc(0, 0, r + 3.2, 0, 7); c.strokeStyle = look.ring; c.lineWidth = 1.5; c.stroke(); }
  if (how.ring) { c.beginPath(); c.arc(0, 0, r + 9, 0, 7); c.strokeStyle = look.ring; c.lineWidth = 3; c.stroke(); }
  c.restore();
}

// --- axes -------------------------------------------------------------------------------------------------------------
function ticks(low, high, most, least = 0) {
  const raw = Math.max((high - low) / Math.max(most, 1), least), power = 10 ** Math.floor(Math.log10(raw || 1));
  const unit = [1, 2, 2.5, 5, 10].map((k) => k * power).find((k) => k >= raw * (1 - 1e-9) && (!least || Number.isInteger(k))) ?? power;
  const out = [];
  for (let v = Math.ceil(low / unit) * unit; v <= high + unit * 1e-9; v += unit) out.push(Math.abs(v) < unit * 1e-9 ? 0 : v);
  return out;
}
const text = (v) => (v !== 0 && (Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3) ? v.toExponential(0) : String(+v.toPrecision(4)));

function frame(c, width, height, xs, ys, names, look, top = 8, least = 0) {
  c.font = `11px ${FONT}`;
  const yTicks = ticks(ys[0], ys[1], Math.max(2, Math.round((height - 60) / 45)));
  const left = 26 + Math.max(...yTicks.map((v) => c.measureText(text(v)).width));
  const box = { left, right: width - 10, top, bottom: height - 38 };
  const x = (v) => box.left + ((v - xs[0]) / (xs[1] - xs[0] || 1)) * (box.right - box.left);
  const y = (v) => box.bottom - ((v - ys[0]) / (ys[1] - ys[0] || 1)) * (box.bottom - box.top);
  c.strokeStyle = look.grid; c.fillStyle = look.quiet; c.lineWidth = 1; c.textAlign = "center"; c.textBaseline = "top";
  const xTicks = ticks(xs[0], xs[1], Math.max(2, Math.floor((box.right - box.left) / 70)), least);
  for (const v of xTicks) { c.beginPath(); c.moveTo(x(v), box.top); c.lineTo(x(v), box.bottom); c.stroke(); c.fillText(text(v), x(v), box.bottom + 5); }
  c.textAlign = "right"; c.textBaseline = "middle";
  for (const v of yTicks) { c.beginPath(); c.moveTo(box.left, y(v)); c.lineTo(box.right, y(v)); c.stroke(); c.fillText(text(v), box.left - 5, y(v)); }
  c.fillStyle = look.text; c.textAlign = "center"; c.textBaseline = "bottom"; c.font = `12px ${FONT}`;
  c.fillText(names[0], (box.left + box.right) / 2, height - 2, box.right - box.left);
  c.save(); c.translate(3, (box.top + box.bottom) / 2); c.rotate(-Math.PI / 2); c.textBaseline = "top";
  c.fillText(names[1], 0, 0, box.bottom - box.top); c.restore();
  const inverse = (px, py) => [xs[0] + ((px - box.left) / (box.right - box.left)) * (xs[1] - xs[0]), ys[0] + ((box.bottom - py) / (box.bottom - box.top)) * (ys[1] - ys[0])];
  return { ...box, x, y, inverse };
}
function border(c, f, look) { c.strokeStyle = look.line; c.lineWidth = 1; c.strokeRect(f.left, f.top, f.right - f.left, f.bottom - f.top); }
function clip(c, f) { c.beginPath(); c.rect(f.left, f.top, f.right - f.left, f.bottom - f.top); c.clip(); }

// --- planes -------------------------------------------------------------------------------------------------------------
export function drawPlane(canvas, panel, table, look, width, isTall) {
  const height = isTall ? 466 : Math.round(Math.min(width * (panel.small ? 0.72 : 0.78), width > 720 ? 430 : 500));
  const c = prepare(canvas, width, height);
  const f = frame(c, width, height, table.ranges[0], table.ranges[1], table.names, look);
  c.save(); clip(c, f);
  if (panel.region) region(c, f, panel.region, look);
  for (const one of panel.boxes ?? []) {
    const [x0, x1, y0, y1] = one.ends;
    c.fillStyle = shade(one.colour, look);
    c.fillRect(f.x(x0), f.y(y1), f.x(x1) - f.x(x0), f.y(y0) - f.y(y1));
    c.strokeStyle = look.card; c.lineWidth = 1; c.strokeRect(f.x(x0), f.y(y1), f.x(x1) - f.x(x0), f.y(y0) - f.y(y1));
  }
  for (const one of panel.boxes ?? []) if (one.current) {
    const [x0, x1, y0, y1] = one.ends;
    c.strokeStyle = look.ring; c.lineWidth = 2; c.setLineDash([6, 4]);
    c.strokeRect(f.x(x0) + 1.5, f.y(y1) + 1.5, f.x(x1) - f.x(x0) - 3, f.y(y0) - f.y(y1) - 3); c.setLineDash([]);
  }
  points(c, f, panel, table, look, width);
  for (const [x0, y0, x1, y1] of panel.lines ?? []) {
    for (const [w, colour] of [[5, look.card], [2.5, look.ring]]) { c.strokeStyle = colour; c.lineWidth = w; c.beginPath(); c.moveTo(f.x(x0), f.y(y0)); c.lineTo(f.x(x1), f.y(y1)); c.stroke(); }
  }
  for (const one of panel.ellipses ?? []) ellipse(c, f, one, look);
  for (const one of panel.centres ?? []) centre(c, f, one, look);
  c.restore();
  border(c, f, look);
  return f;
}
function region(c, f, runs, look) {
  const small = document.createElement("canvas");
  small.width = small.height = CELLS;
  const s = small.getContext("2d"), image = s.createImageData(CELLS, CELLS), known = new Map();
  let cell = 0;
  for (let i = 0; i < runs.length; i += 2) {
    if (!known.has(runs[i + 1])) known.set(runs[i + 1], shade(runs[i + 1], look).match(/\d+/g).map(Number));
    const colour = known.get(runs[i + 1]);
    for (let n = 0; n < runs[i]; n++, cell++) {
      const at = 4 * ((CELLS - 1 - Math.floor(cell / CELLS)) * CELLS + (cell % CELLS));
      image.data[at] = colour[0]; image.data[at + 1] = colour[1]; image.data[at + 2] = colour[2]; image.data[at + 3] = 255;
    }
  }
  s.putImageData(image, 0, 0);
  c.imageSmoothingEnabled = false;
  const w = (f.right - f.left) / (CELLS - 1), h = (f.bottom - f.top) / (CELLS - 1); // cells stand at both ends of the axes
  c.drawImage(small, f.left - w / 2, f.top - h / 2, f.right - f.left + w, f.bottom - f.top + h);
}
function points(c, f, panel, table, look, width) {
  const { x, y } = table.points, n = x.length;
  const base = (n > 400 ? 3 : 4.2) * (width < 330 ? 0.85 : 1);
  const has = (name) => new Set(panel[name] ?? []);
  const hollow = has("hollow"), wrong = has("wrong"), dim = has("dim"), ring = has("ring");
  const order = [...x.keys()].sort((a, b) => (panel.sizes ? panel.sizes[b] - panel.sizes[a] : 0));
  for (const i of order) {
    let k = panel.colours ? panel.colours[i] : table.points.class[i], colour;
    if (panel.shares) {
      const shares = panel.shares[i], parts = [0, 0, 0];
      let total = 0;
      k = shares.indexOf(Math.max(...shares));
      shares.forEach((s, j) => { total += s; rgb(look.classes[j % look.classes.length]).forEach((v, p) => { parts[p] += s * v; }); });
      colour = `rgb(${parts.map((v) => Math.round(v / (total || 1))).join(",")})`;
    }
    const r = base * (panel.sizes ? Math.sqrt(Math.max(panel.sizes[i], 0.04)) : 1);
    point(c, f.x(x[i]), f.y(y[i]), k, Math.min(r, 22), look, { hollow: hollow.has(i), wrong: wrong.has(i), dim: dim.has(i), ring: ring.has(i), colour });
  }
}
function centre(c, f, one, look) {
  if (one.trail.length > 1) {
    for (const [w, colour] of [[4, look.card], [1.8, look.ring]]) {
      c.strokeStyle = colour; c.lineWidth = w; c.beginPath();
      for (const [x, y] of one.trail) c.lineTo(f.x(x), f.y(y));
      c.stroke();
    }
    c.fillStyle = look.ring;
    for (const [x, y] of one.trail.slice(0, -1)) { c.beginPath(); c.arc(f.x(x), f.y(y), 2.4, 0, 7); c.fill(); }
  }
  cross(c, f.x(one.x), f.y(one.y), look.classes[one.colour % 8], look);
}
function cross(c, x, y, colour, look) {
  for (const [w, ink] of [[9.5, look.ring], [5.5, colour]]) {
    c.strokeStyle = ink; c.lineWidth = w; c.lineCap = "round"; c.beginPath();
    c.moveTo(x - 7, y - 7); c.lineTo(x + 7, y + 7); c.moveTo(x + 7, y - 7); c.lineTo(x - 7, y + 7); c.stroke();
  }
  c.lineCap = "butt";
}
function ellipse(c, f, one, look) {
  const path = (sigma) => {
    c.beginPath();
    for (let i = 0; i <= 72; i++) {
      const a = (i / 72) * 2 * Math.PI, p = Math.cos(a) * sigma, q = Math.sin(a) * sigma;
      c.lineTo(f.x(one.x + p * one.first[0] + q * one.second[0]), f.y(one.y + p * one.first[1] + q * one.second[1]));
    }
  };
  const colour = look.classes[one.colour % 8];
  for (const sigma of [2, 1]) {
    path(sigma); c.globalAlpha = 0.16; c.fillStyle = colour; c.fill(); c.globalAlpha = 1;
    for (const [w, ink] of [[3.6, look.ring], [2, colour]]) { path(sigma); c.strokeStyle = ink; c.lineWidth = w; c.stroke(); }
  }
  cross(c, f.x(one.x), f.y(one.y), colour, look);
}

// --- curves ---------------------------------------------------------------------------------------------------------------
const DASHES = [[], [7, 4], [2, 3]];
export function drawCurve(canvas, panel, look, width, isWide) {
  const height = panel.small ? 200 : isWide ? 230 : Math.round(Math.min(Math.max(width * 0.66, 220), 350));
  const c = prepare(canvas, width, height);
  const all = panel.lines.flatMap((l) => l.y), across = panel.lines.flatMap((l) => l.x);
  for (const one of panel.marks ?? []) { all.push(one.y); across.push(one.x); }
  const span = (v, pad) => { const a = Math.min(...v), b = Math.max(...v), m = (b - a) * pad || Math.abs(a) * 0.1 || 0.5; return [a - m, b + m]; };
  const xs = across.length ? span(across, 0.03) : [0, 1], ys = all.length ? span(all, 0.06) : [0, 1];
  if (panel.xRange) [xs[0], xs[1]] = panel.xRange;
  if (panel.yFrom !== undefined) ys[0] = panel.yFrom;
  if (panel.yTo !== undefined) ys[1] = panel.yTo;
  if (ys[0] >= ys[1]) ys[1] = ys[0] + 1;
  const several = panel.lines.length > 1;
  const f = frame(c, width, height, xs, ys, [panel.xLabel, panel.yLabel], look, several ? 26 : 8, across.every(Number.isInteger) ? 1 : 0);
  if (several) legend(c, panel.lines, look, f);
  c.save(); clip(c, { ...f, left: f.left - 4, right: f.right + 4, top: f.top - 4, bottom: f.bottom + 4 });
  if (panel.zero) { c.strokeStyle = look.quiet; c.beginPath(); c.moveTo(f.left, f.y(0)); c.lineTo(f.right, f.y(0)); c.stroke(); }
  if (panel.at !== null) { c.strokeStyle = look.ring; c.lineWidth = 1.3; c.setLineDash([5, 4]); c.beginPath(); c.moveTo(f.x(panel.at), f.top); c.lineTo(f.x(panel.at), f.bottom); c.stroke(); c.setLineDash([]); }
  panel.lines.forEach((one, i) => drawLine(c, one, i, f, look, panel.at));
  for (const one of panel.marks ?? []) mark(c, one, f, look);
  c.restore();
  border(c, f, look);
  return f;
}
function drawLine(c, one, i, f, look, at) {
  const colour = lineColour(one.colour, look);
  if (one.style === "points") { one.x.forEach((v, k) => point(c, f.x(v), f.y(one.y[k]), one.colour, one.x.length > 400 ? 2.6 : 3.4, look)); return; }
  c.strokeStyle = colour; c.lineWidth = 2.2; c.setLineDash(one.style === "steps" ? [] : DASHES[i % DASHES.length]);
  c.beginPath();
  one.x.forEach((v, k) => c.lineTo(f.x(v), f.y(one.y[k])));
  c.stroke(); c.setLineDash([]);
  one.x.forEach((v, k) => {
    const now = at !== null && Math.abs(v - at) < 1e-9 * Math.max(1, Math.abs(at));
    if (one.style === "dots" || now) { c.save(); point(c, f.x(v), f.y(one.y[k]), i, now ? 6 : one.x.length > 45 ? 2 : 3, look, { colour }); c.restore(); }
  });
}
function legend(c, lines, look, f) {
  c.font = `12px ${FONT}`; c.textAlign = "left"; c.textBaseline = "middle";
  let x = f.left;
  lines.forEach((one, i) => {
    const colour = lineColour(one.colour, look);
    if (one.style === "points") point(c, x + 10, 12, one.colour, 4, look);
    else {
      c.strokeStyle = colour; c.lineWidth = 2.2; c.setLineDash(DASHES[one.style === "steps" ? 0 : i % 3]); c.beginPath(); c.moveTo(x, 12); c.lineTo(x + 22, 12); c.stroke(); c.setLineDash([]);
      if (one.style === "dots") point(c, x + 11, 12, i, 3.4, look, { colour });
    }
    c.fillStyle = look.text; c.fillText(one.name, x + 28, 12);
    x += 44 + c.measureText(one.name).width;
  });
}
function mark(c, one, f, look) {
  const x = f.x(one.x), y = f.y(one.y);
  c.strokeStyle = look.ring; c.lineWidth = 2; c.beginPath(); c.arc(x, y, 8, 0, 7); c.stroke();
  c.font = `12px ${FONT}`; c.fillStyle = look.text; c.textBaseline = "bottom";
  const right = x < (f.left + f.right) / 2;
  c.textAlign = right ? "left" : "right";
  const up = y - f.top > 26;
  c.textBaseline = up ? "bottom" : "top";
  const w = c.measureText(one.name).width, tx = x + (right ? 11 : -11), ty = y + (up ? -8 : 8);
  c.globalAlpha = 0.85; c.fillStyle = look.card; c.fillRect(right ? tx - 2 : tx - w - 2, up ? ty - 14 : ty, w + 4, 15); c.globalAlpha = 1;
  c.fillStyle = look.text; c.fillText(one.name, tx, ty);
}

// --- trees ------------------------------------------------------------------------------------------------------------------
export function drawTree(canvas, panel, look, width) {
  const fit = width / (panel.width + 8), scale = Math.max(Math.min(fit, 1.08), 0.62);
  const full = Math.max(width, (panel.width + 8) * scale), height = (panel.height + 8) * scale;
  const c = prepare(canvas, full, Math.ceil(height));
  const shift = (full / scale - panel.width) / 2;
  c.scale(scale, scale);
  c.font = `11.5px ${FONT}`;
  for (const one of panel.nodes) {
    if (one.parent < 0) continue;
    const above = panel.nodes[one.parent], x0 = above.x + shift, y0 = above.y + above.h + 4, x1 = one.x + shift, y1 = one.y + 4;
    c.strokeStyle = look.quiet; c.lineWidth = 1.4; c.beginPath(); c.moveTo(x0, y0); c.bezierCurveTo(x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1); c.stroke();
  }
  for (const one of panel.nodes) {
    const x = one.x - one.w / 2 + shift, y = one.y + 4;
    if (one.tag) {
      c.textAlign = "center"; c.textBaseline = "middle";
      const above = panel.nodes[one.parent].x + shift, tx = one.x + shift + (above - one.x - shift) * 0.16;
      c.strokeStyle = look.card; c.lineWidth = 5; c.lineJoin = "round"; c.strokeText(one.tag, tx, y - 12);
      c.fillStyle = look.text; c.fillText(one.tag, tx, y - 12);
    }
    c.beginPath(); c.roundRect(x, y, one.w, one.h, one.leaf ? 9 : 3);
    c.fillStyle = shade(one.colour, look); c.fill();
    c.strokeStyle = one.current ? look.ring : look.line; c.lineWidth = one.current ? 3 : 1; c.stroke();
    c.textAlign = "center"; c.textBaseline = "middle";
    one.lines.forEach((t, i) => {
      c.font = `${i === 0 ? "600 12px" : "11px"} ${FONT}`; c.fillStyle = i === 0 ? look.text : look.text;
      c.fillText(t, one.x + shift, y + 14 + 15 * i, one.w - 8);
    });
  }
}

// --- a picture of the whole step -----------------------------------------------------------------------------------------------
function wrapped(c, words, width) {
  const lines = [""];
  for (const word of words.split(" ")) {
    const longer = (lines.at(-1) + " " + word).trim();
    if (c.measureText(longer).width <= width) lines[lines.length - 1] = longer; else lines.push(word);
  }
  return lines;
}
function drawRows(c, one, x, y, width, look) {
  const across = one.columns.length + (one.bars ? 1 : 0), step = width / across, most = Math.max(...one.rows.map((r) => parseFloat(r.at(-1)) || 0));
  [one.columns, ...one.rows].forEach((cells, r) => {
    if (r > 0 && r - 1 === one.chosen) { c.fillStyle = look.mark; c.fillRect(x, y + 26 * r, width, 26); }
    c.fillStyle = look.text; c.font = `${r === 0 ? "600 " : ""}14px ${FONT}`;
    cells.forEach((t, k) => c.fillText(t, x + 4 + step * k, y + 6 + 26 * r, step - 8));
    if (one.bars && r > 0) { c.fillStyle = look.strong; c.fillRect(x + step * (across - 1), y + 7 + 26 * r, ((parseFloat(cells.at(-1)) || 0) / (most || 1)) * (step - 8), 12); }
  });
}
export function picture(title, sentence, figures, look) {
  // figures: [{title, canvas} or a table's panel], in two columns, each where there is room first; wide ones in both
  const width = 1200, gap = 16, half = (width - 3 * gap) / 2, ratio = 2;
  const canvas = document.createElement("canvas"), probe = canvas.getContext("2d");
  probe.font = `19px ${FONT}`;
  const said = wrapped(probe, sentence, width - 2 * gap), start = 56 + said.length * 27 + 10, tops = [start, start];
  const placed = figures.map((one) => {
    const room = one.wide ? width - 2 * gap : half, column = one.wide || tops[0] <= tops[1] ? 0 : 1;
    const own = one.canvas ? [parseFloat(one.canvas.style.width), parseFloat(one.canvas.style.height)] : [room, 26 * (one.rows.length + 1)];
    const scale = Math.min(room / own[0], 1), y = one.wide ? Math.max(...tops) : tops[column], below = y + own[1] * scale + 24 + gap;
    if (one.wide) tops.fill(below); else tops[column] = below;
    return { ...one, x: gap + column * (half + gap), y, w: own[0] * scale, h: own[1] * scale };
  });
  const height = Math.max(...tops);
  canvas.width = width * ratio; canvas.height = Math.ceil(height * ratio);
  const c = canvas.getContext("2d");
  c.scale(ratio, ratio); c.fillStyle = look.card; c.fillRect(0, 0, width, height);
  c.fillStyle = look.text; c.textBaseline = "top"; c.font = `600 24px ${FONT}`; c.fillText(title, gap, 16, width - 2 * gap);
  c.font = `19px ${FONT}`; said.forEach((t, i) => c.fillText(t, gap, 54 + 27 * i));
  for (const one of placed) {
    c.font = `600 15px ${FONT}`; c.fillStyle = look.text; c.textAlign = "left"; c.textBaseline = "top"; c.fillText(one.title, one.x, one.y, one.w);
    if (one.canvas) c.drawImage(one.canvas, one.x, one.y + 24, one.w, one.h);
    else drawRows(c, one, one.x, one.y + 24, one.w, look);
  }
  return canvas;
}
