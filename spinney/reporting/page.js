"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const one = (id) => document.getElementById(id);

  // light or dark
  one("theme").addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // the threshold
  const counts = data.counts;
  if (counts) {
    const slider = one("slider"), cells = [...one("matrix").querySelectorAll("td")], k = counts.names.length;
    const share = (part, of) => (of ? part / of : NaN);
    const shown = (value) => (Number.isFinite(value) ? value.toFixed(3) : "–");
    const amount = (value) => value.toLocaleString("en", { maximumFractionDigits: 1 });
    const total = counts.tables[0].reduce((sum, n) => sum + n, 0);
    const place = (id, x, y) => {
      const point = one(id);
      if (!point || !Number.isFinite(x) || !Number.isFinite(y)) return;
      const [left, right, top, bottom] = point.closest("svg").dataset.place.split(" ").map(Number);
      point.setAttribute("cx", left + x * (right - left));
      point.setAttribute("cy", bottom - y * (bottom - top));
    };
    const tell = (pairs) => {
      one("rates").replaceChildren(...pairs.map(([name, value]) => {
        const box = document.createElement("div"), dt = document.createElement("dt"), dd = document.createElement("dd");
        dt.textContent = name; dd.textContent = value; box.append(dt, dd);
        return box;
      }));
    };
    const update = () => {
      const at = Number(slider.value), table = counts.tables[at];
      one("at").textContent = (at / 100).toFixed(2);
      const rows = Array.from({ length: k }, (_, i) => table.slice(i * k, i * k + k).reduce((sum, n) => sum + n, 0));
      cells.forEach((cell, place) => {
        const i = Math.floor(place / k), j = place % k, part = share(table[place], rows[i]) || 0;
        cell.textContent = amount(table[place]);
        cell.style.background = `color-mix(in srgb, var(--${i === j ? "a" : "b"}) ${Math.round(45 * part)}%, transparent)`;
      });
      const right = counts.names.reduce((sum, _, i) => sum + table[i * k + i], 0), kept = rows.reduce((a, b) => a + b, 0);
      if (k === 2) {
        const [tn, fp, fn, tp] = table;
        const precision = share(tp, tp + fp), recall = share(tp, tp + fn);
        tell([["accuracy", shown(share(tp + tn, kept))], ["precision", shown(precision)], ["recall", shown(recall)],
          ["F1", shown(share(2 * tp, 2 * tp + fp + fn))], ["specificity", shown(share(tn, tn + fp))],
          ["predicted " + counts.of, amount(tp + fp)]]);
        place("roc-point", share(fp, fp + tn), recall);
        place("recall-point", recall, tp + fp ? precision : 1);
      } else {
        one("kept").textContent = (100 * share(kept, total)).toFixed(1) + " %";
        const recalls = rows.map((n, i) => share(table[i * k + i], n)).filter(Number.isFinite);
        tell([["accuracy of decided rows", shown(share(right, kept))],
          ["balanced accuracy", shown(share(recalls.reduce((a, b) => a + b, 0), recalls.length))],
          ["decided", amount(kept)], ["undecided", amount(total - kept)]]);
      }
    };
    slider.addEventListener("input", update);
    update();
  }

  // one row
  const rows = data.rows;
  if (rows && rows.outputs.length) {
    const which = one("which"), output = one("output");
    let marked = [];
    const number = (value) => (Math.abs(value) >= 10000 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(4)).toString());
    const show = () => {
      const n = Math.min(rows.rows.length, Math.max(1, Math.round(Number(which.value) || 1)));
      const row = rows.rows[n - 1], k = output ? Number(output.value) : 0, parts = row.parts[k] || [];
      const most = Math.max(...parts.map(([, value]) => Math.abs(value)), 1e-300);
      const total = rows.base[k] + parts.reduce((sum, [, value]) => sum + value, 0);
      const answer = one("answer"), said = document.createElement("b");
      const of = rows.of || rows.outputs[k], chance = row.chances.length ? ` Probability of ${of}: ${row.chances[k]}.` : "";
      said.textContent = row.said;
      answer.replaceChildren(`Row ${row.name}: predicted `, said, `${row.likely}, true: ${row.truth}.${chance} The ${rows.says}${rows.outputs[k] ? ` of ${rows.outputs[k]}` : ""} goes from ${number(rows.base[k])} to ${number(total)}:`);
      one("parts").replaceChildren(...parts.flatMap(([column, value]) => {
        const name = document.createElement("span"), track = document.createElement("span");
        const fill = document.createElement("span"), text = document.createElement("span");
        name.className = "name";
        name.textContent = column < 0 ? "all others" : `${rows.names[column]} = ${row.values[column]}`;
        name.title = name.textContent;
        track.className = "track";
        fill.className = "fill " + (value > 0 ? "up" : "down");
        const width = 50 * Math.abs(value) / most;
        fill.style.left = (value > 0 ? 50 : 50 - width) + "%";
        fill.style.width = width + "%";
        track.append(fill);
        text.className = "number";
        text.textContent = (value > 0 ? "+" : "−") + number(Math.abs(value));
        return [name, track, text];
      }));
      marked.forEach((node) => node.classList.remove("way"));
      marked = (rows.ways[n - 1] || []).map(one).filter(Boolean);
      marked.forEach((node) => node.classList.add("way"));
    };
    const step = (by) => {
      which.value = Math.min(rows.rows.length, Math.max(1, (Number(which.value) || 1) + by));
      show();
    };
    which.addEventListener("input", show);
    if (output) output.addEventListener("change", show);
    one("before").addEventListener("click", () => step(-1));
    one("after").addEventListener("click", () => step(1));
    show();
  }

  // trees
  const folds = (open) => document.querySelectorAll("#trees details").forEach((node) => { node.open = open; });
  if (one("unfold")) {
    one("unfold").addEventListener("click", () => folds(true));
    one("fold").addEventListener("click", () => folds(false));
  }
})();
