"use strict";

// ---- words and numbers ------------------------------------------------------

function digits(x, n) {
    const s = x.toPrecision(n);
    return s.includes("e") ? String(Number(s)) : s;
}

function scaled(x, steps, n) {
    if (x === null || x === undefined || !isFinite(x)) return "–";
    if (x === 0) return "0";
    const step = steps.find(s => Math.abs(x) >= s[0] * 0.9995) ||
                 steps[steps.length - 1];
    return digits(x / step[0], n || 4) + " " + step[1];
}

const timeSteps = [[3600, "h"], [60, "min"], [1, "s"], [1e-3, "ms"],
                   [1e-6, "µs"], [1e-9, "ns"]];
const byteSteps = [[1e15, "PB"], [1e12, "TB"], [1e9, "GB"], [1e6, "MB"],
                   [1e3, "KB"], [1, "B"]];
const rateSteps = [[1e12, "Tbps"], [1e9, "Gbps"], [1e6, "Mbps"], [1e3, "Kbps"],
                   [1, "bps"]];
const asTime = (s, n) => scaled(s, timeSteps, n);
const asBytes = (b, n) => scaled(b, byteSteps, n);
const asRate = (r, n) => scaled(r, rateSteps, n);
const asShare = x => x === null ? "–" : digits(100 * x, 3) + " %";
const asCount = x => Math.round(x).toLocaleString("en-US");

// A value of a measure with the unit that its variable has.
function asMeasure(x, unit) {
    if (x === null || !isFinite(x)) return "–";
    if (unit === "ns") return asTime(x * 1e-9);
    if (unit === "ps") return asTime(x * 1e-12);
    if (unit === "s") return asTime(x);
    if (unit === "B" || unit === "bytes") return asBytes(x);
    if (unit === "bit/s" || unit === "bps") return asRate(x);
    return Math.abs(x) >= 1e5 ? asCount(x) : digits(x, 4);
}

function unbase64(text) {
    const s = atob(text), bytes = new Uint8Array(s.length);
    for (let i = 0; i < s.length; i++) bytes[i] = s.charCodeAt(i);
    return bytes;
}

// Two bytes a value, little-endian, times most / 65535 of its row.
function unwords(text, most, columns) {
    const b = unbase64(text), x = new Float64Array(b.length / 2);
    for (let i = 0; i < x.length; i++)
        x[i] = (b[2 * i] | b[2 * i + 1] << 8) / 65535 *
               most[Math.floor(i / columns)];
    return x;
}

// ---- elements ---------------------------------------------------------------

function fill(node, attributes, children) {
    for (const [key, value] of Object.entries(attributes || {}))
        if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
        else if (value !== null && value !== undefined)
            node.setAttribute(key, value);
    for (const child of children.flat())
        if (child !== null && child !== undefined)
            node.append(child);
    return node;
}

const el = (tag, attributes, ...children) =>
    fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
    fill(document.createElementNS("http://www.w3.org/2000/svg", tag),
         attributes, children);

function table(head, rows, marks) {
    return el("div", { class: "scroll" }, el("table", {},
        el("thead", {}, el("tr", {}, head.map(h => el("th", { scope: "col" }, h)))),
        el("tbody", {}, rows.map((row, i) =>
            el("tr", marks ? marks(i) : {}, row.map(x => el("td", {}, x)))))));
}

// A section: a question, its answer in a sentence, and what shows it.
function section(question, answer, ...children) {
    return el("section", {}, el("h2", {}, question),
              answer ? el("p", { class: "answer" }, answer) : null, children);
}

const tip = el("div", { class: "tip", role: "status", hidden: "" });
function showTip(event, text) {
    tip.textContent = text;
    tip.hidden = false;
    const right = event.clientX + 16 + tip.offsetWidth > window.innerWidth;
    tip.style.left = (right ? event.clientX - 12 - tip.offsetWidth
                            : event.clientX + 16) + "px";
    tip.style.top = event.clientY + 14 + "px";
}
const hideTip = () => { tip.hidden = true; };

// A part [t0, t1] of the time from first to last, of which a picture shows more
// or less: by keys, by double clicks (with shift: out), and by buttons. `enabled`
// says whether there is anything to zoom, `at` the time under the mouse.
function lens(first, last, draw, enabled) {
    const on = enabled || (() => true);
    const zoom = (factor, at) => {
        const wide = Math.min(last - first, (l.t1 - l.t0) * factor);
        l.t0 = Math.max(first, Math.min(last - wide, at - wide / 2));
        l.t1 = l.t0 + wide;
        draw();
    };
    const centre = () => (l.t0 + l.t1) / 2;
    const button = (text, act) => el("button", { type: "button",
                                                 onclick: act }, text);
    const l = {
        t0: first, t1: last,
        buttons: () => [
            button("zoom in", () => zoom(0.5, centre())),
            button("zoom out", () => zoom(2, centre())),
            button("all", () => zoom(Infinity, first))],
        listen(picture, at) {
            picture.addEventListener("dblclick", e => on() &&
                zoom(e.shiftKey ? 3 : 1 / 3, at(e)));
            picture.addEventListener("keydown", e => {
                const step = (l.t1 - l.t0) / 4;
                const move = { "+": [0.5, 0], "=": [0.5, 0], "-": [2, 0],
                               ArrowLeft: [1, -step],
                               ArrowRight: [1, step] }[e.key];
                if (!move || !on()) return;
                e.preventDefault();
                zoom(move[0], centre() + move[1]);
            });
        },
    };
    return l;
}
const zoomWords = "Zoom: double click, or plus and minus; arrows move.";

// ---- colours ----------------------------------------------------------------

const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;
const css = name =>
    getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Okabe and Ito's: told apart by most eyes, and not alike in grey.
const hues = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00",
              "#8c6d31", "#7a5195", "#999999", "#b5bd00"];
// The blue of print is too dark on black.
const hue = i => dark() && i % hues.length === 0 ? "#3f97db"
                                                 : hues[i % hues.length];
const dashes = [[], [6, 3], [2, 2], [8, 3, 2, 3], [12, 4]];
const dash = i => dashes[i % dashes.length];

// Load from 0 to 1: ever further from the paper, so it reads in grey too.
const lightLoad = [[255, 255, 255], [254, 227, 160], [253, 160, 60],
                   [215, 48, 31], [90, 0, 18]];
const darkLoad = [[20, 23, 27], [80, 20, 30], [190, 50, 30], [250, 150, 50],
                  [255, 245, 180]];
function loadColour(x) {
    const c = dark() ? darkLoad : lightLoad;
    const at = Math.max(0, Math.min(1, x)) * (c.length - 1);
    const i = Math.min(Math.floor(at), c.length - 2), f = at - i;
    return c[i].map((v, k) => Math.round(v + (c[i + 1][k] - v) * f));
}
const loadCss = x => "rgb(" + loadColour(x).join(",") + ")";

function loadLegend() {
    const bar = el("canvas", { width: 160, height: 12 });
    const g = bar.getContext("2d");
    for (let i = 0; i < 160; i++) {
        g.fillStyle = loadCss(i / 159);
        g.fillRect(i, 0, 1, 12);
    }
    return el("div", { class: "legend" }, el("span", {}, "utilization  0 % "), bar,
              el("span", {}, "100 %"));
}

// ---- charts -----------------------------------------------------------------

const charts = [];

function axis(title, format, more) {
    return Object.assign({
        title: { display: true, text: title, color: css("--soft") },
        grid: { color: css("--line") },
        ticks: { color: css("--soft"), maxTicksLimit: 8,
                 callback: function (v) { return format(v, 3); } },
    }, more);
}

function chart(config, label) {
    const canvas = el("canvas", { role: "img", "aria-label": label });
    const box = el("div", { class: "chart" }, canvas);
    config.options = Object.assign({
        animation: false, maintainAspectRatio: false, responsive: true,
    }, config.options);
    const plugins = config.options.plugins = config.options.plugins || {};
    plugins.legend = Object.assign({ labels: { color: css("--ink") } },
                                   plugins.legend);
    // only once it has its place does a chart know its size
    requestAnimationFrame(() => charts.push(new Chart(canvas, config)));
    return box;
}

// The axis of distributions: by ratio where values span more than two decades,
// from the smallest that is not 0; what is 0 stands at its end.
function axisOfAll(title, format, values) {
    const some = values.filter(v => v > 0);
    return axis(title, format, wide(values)
        ? { type: "logarithmic", min: Math.min(...some) }
        : { type: "linear" });
}

// A log axis when values span more than two decades.
const wide = x => {
    const some = x.filter(v => v > 0);
    return some.length > 1 && Math.max(...some) / Math.min(...some) > 100;
};
