// ---- links: a selection that all pictures share -----------------------------

// Row of run.links: 0 is the busiest. Listeners draw it.
function selection() {
    const listeners = [];
    return {
        row: 0,
        choose(row) { this.row = row; listeners.forEach(fn => fn(row)); },
        listen(fn) { listeners.push(fn); },
    };
}

function unpackLinks(run) {
    const l = run.links;
    if (!l || !l.times) return;
    const bins = l.times.length - 1;
    l.bins = bins;
    l.cells = unbase64(l.load);
    // per cell; null where it is 0 everywhere
    for (const key of ["queue", "mark", "drop"])
        l[key + "Cells"] = l[key] ? unwords(l[key], l[key + "_most"], bins)
                                  : null;
    l.frames.cells = unbase64(l.frames.load);
    l.frames.bins = l.frames.times.length - 1;
    l.whole = l.times[bins] - l.times[0];
    l.shares = sharesOf(l, run.split);
}

// Of each link by its id: [who, bytes], the largest first.
function sharesOf(l, split) {
    const shares = new Map();
    if (!split) return shares;
    split.link.forEach((id, i) => {
        if (!shares.has(id)) shares.set(id, []);
        shares.get(id).push([split.owner[i], split.bytes[i]]);
    });
    for (const parts of shares.values()) parts.sort((a, b) => b[1] - a[1]);
    return shares;
}

// "; a 51 %, b 48 %" of the bytes of a link.
function shareWords(l, row) {
    const parts = l.shares.get(l.id[row]), most = 8;
    if (!parts || !l.bytes[row]) return "";
    return "; of its bytes " + parts.slice(0, most).map(([who, bytes]) =>
        `${who} ${asShare(bytes / l.bytes[row])}`).join(", ") +
        (parts.length > most ? `, and ${parts.length - most} others` : "");
}

const linkName = (l, row) => l.name[row];
const meanLoad = (l, row) => l.whole > 0 ? l.busy[row] / l.whole : 0;

// ---- the topology -----------------------------------------------------------

// Nodes in a plane; a third dimension goes aslant.
function layout(t) {
    const x = t.x.map((v, i) => (v || 0) + 0.32 * (t.z[i] || 0));
    const y = t.y.map((v, i) => -(v || 0) - 0.22 * (t.z[i] || 0));
    const x0 = Math.min(...x), x1 = Math.max(...x);
    const y0 = Math.min(...y), y1 = Math.max(...y);
    const wide = x1 - x0 || 1, tall = y1 - y0 || 1;
    // tiers are far wider than tall: they use the room that there is
    const tiers = t.level.some(v => v > 0);
    const width = 1080, height = y1 === y0 ? 60
        : tiers ? Math.max(220, Math.min(360, 110 * (new Set(y).size - 1)))
                : Math.min(560, width * tall / wide);
    const used = tiers ? width : Math.min(width, height * wide / tall);
    const left = (width - used) / 2 + 30;
    return {
        x: x.map(v => left + (v - x0) / wide * used),
        y: y.map(v => 24 + (v - y0) / tall * height),
        height: height + 48,
    };
}

// Pairs of nodes with the rows of the links between them, both ways.
function cablesOf(t, l) {
    const rowOf = new Map(l.id.map((id, row) => [id, row])), cables = new Map();
    t.from.forEach((a, id) => {
        const b = t.to[id], key = Math.min(a, b) + " " + Math.max(a, b);
        if (!cables.has(key)) cables.set(key, { a, b, rows: [] });
        if (rowOf.has(id)) cables.get(key).rows.push(rowOf.get(id));
    });
    return [...cables.values()];
}

function nodeShape(t, i, at, size) {
    const common = { fill: t.type[i] ? css("--card") : css("--ink"),
                     stroke: css("--ink"),
                     onmousemove: e => showTip(e, t.name[i]),
                     onmouseleave: hideTip };
    return t.type[i]
        ? svg("rect", Object.assign({ x: at.x[i] - 2 * size, y: at.y[i] - size,
                                      width: 4 * size, height: 2 * size, rx: 2 },
                                    common))
        : svg("circle", Object.assign({ cx: at.x[i], cy: at.y[i],
                                        r: 0.8 * size }, common));
}

function drawTopology(run, selected) {
    const t = run.topology, l = run.links, at = layout(t);
    const cables = cablesOf(t, l);
    const thick = Math.max(1, Math.min(4, 900 / cables.length));
    const lines = cables.map(c => svg("line", {
        class: "cable", x1: at.x[c.a], y1: at.y[c.a], x2: at.x[c.b],
        y2: at.y[c.b], "stroke-width": thick,
        onclick: () => c.rows.length && selected.choose(Math.min(...c.rows)),
        onmousemove: e => showTip(e, c.rows.length
            ? c.rows.map(r => `${linkName(l, r)}: ${asShare(meanLoad(l, r))}`)
               .join(";  ")
            : `${t.name[c.a]}, ${t.name[c.b]}: not used`),
        onmouseleave: hideTip }));
    const size = Math.max(2, Math.min(7, 380 / t.nodes));
    const names = t.nodes <= 40 ? t.name.map((name, i) =>
        svg("text", { x: at.x[i], y: at.y[i] + (t.level[i] ? -12 : 18),
                      class: "name", "text-anchor": "middle" },
            short(name, 12))) : [];
    const picture = svg("svg", { viewBox: `0 0 1140 ${at.height}`,
                                 width: "100%", role: "img",
                                 "aria-label": "the network, links coloured " +
                                               "by their utilization" },
        lines, t.name.map((_, i) => nodeShape(t, i, at, size)), names);
    // frame -1: the mean over the run
    function colour(frame) {
        cables.forEach((c, i) => {
            const load = c.rows.map(r => frame < 0 ? meanLoad(l, r)
                : l.frames.cells[r * l.frames.bins + frame] / 255);
            const most = load.length ? Math.max(...load) : 0;
            lines[i].setAttribute("stroke", most > 0.004 ? loadCss(0.12 + 0.88 *
                                                    most) : css("--line"));
            const chosen = c.rows.includes(selected.row);
            lines[i].setAttribute("stroke-width",
                                  thick * (chosen ? 2.5 : 0.7 + most));
        });
    }
    return { picture, colour };
}

function showTopology(run, selected) {
    const t = run.topology, l = run.links;
    if (!t) return null;
    const what = `${run.kind || "network"}: ${asCount(t.nodes)} nodes, ` +
                 `${asCount(t.cables)} cable${t.cables === 1 ? "" : "s"}`;
    if (!t.drawn || !l || !l.times)
        return section("What does the network look like?", what +
                       (t.drawn ? "; no link was recorded." :
                        ": too many to draw; the busiest links are below."));
    t.type = Array.from(t.type);
    const d = drawTopology(run, selected);
    let frame = -1;
    const label = el("output", {}, "mean over the run");
    const slider = el("input", { type: "range", min: -1, value: -1, step: 1,
        max: l.frames.bins - 1, "aria-label": "time",
        oninput: e => {
            frame = Number(e.target.value);
            label.textContent = frame < 0 ? "mean over the run"
                : `${asTime(l.frames.times[frame])} to ` +
                  asTime(l.frames.times[frame + 1]);
            d.colour(frame);
        } });
    selected.listen(() => d.colour(frame));
    d.colour(frame);
    const used = l.busy.filter(b => b > 0).length;
    return section("Which links are busy?",
        `${what}. ${asCount(used)} of ${asCount(t.from.length)} links were ` +
        `used; the busiest, ${linkName(l, 0)}, ${asShare(meanLoad(l, 0))} of ` +
        "the time. A cable has the colour of its busier direction; a " +
        "click shows that one's series below.",
        loadLegend(), d.picture,
        el("div", { class: "controls" }, el("label", {}, "time ", slider),
           label));
}

// ---- series of one link -----------------------------------------------------

// What an axis on the right takes, in pixels: its labels, twice its ticks, and
// the gap that there is without one.
const RIGHT_AXIS = 70 + 2 * 3 + 5;

// Its legend stands above it, not on the lines.
function dygraph(box, rows, labels, options) {
    const key = el("div", { class: "legend" });
    box.before(key);
    return new Dygraph(box, rows, Object.assign({
        labels, legend: "always", labelsDiv: key, labelsSeparateLines: false,
        stepPlot: true,
        strokeWidth: 1.3, animatedZooms: false, gridLineColor: css("--line"),
        axisLineColor: css("--line"),
        axes: { x: { axisLabelFormatter: v => asTime(v, 3),
                     axisLabelWidth: 70, valueFormatter: v => asTime(v, 6) } },
    }, options));
}

function showSeries(run, selected) {
    const l = run.links;
    if (!l || !l.times || !l.rows) return null;
    const title = el("h3", {}), first = el("div", { class: "dygraph" });
    const second = el("div", { class: "dygraph" });
    const queue = "longest queue (scale on the right)";
    let top = null, low = null;
    function rowsOf(row, pick) {
        const out = [];
        for (let b = 0; b <= l.bins; b++) // the last one lasts to its end
            out.push([l.times[b]].concat(
                pick(row * l.bins + Math.min(b, l.bins - 1))));
        return out;
    }
    function draw(row) {
        if (row >= l.rows) row = l.rows - 1;
        title.textContent = `${linkName(l, row)}: ` +
            `${asShare(meanLoad(l, row))} used, ${asBytes(l.bytes[row])}, ` +
            `longest queue ${asBytes(l.longest[row])}, ` +
            `${asCount(l.marks[row])} marks, ` +
            `${asCount(l.drops[row])} drops` + shareWords(l, row);
        const upper = rowsOf(row, i => [100 * l.cells[i] / 255,
                                        l.queueCells ? l.queueCells[i] : 0]);
        if (!top)
            top = dygraph(first, upper, ["time", "utilization, %", queue], {
                ylabel: "utilization, %",
                colors: [hue(0), hue(5)], valueRange: [0, 105],
                series: { [queue]: { axis: "y2", strokePattern: [4, 2] } },
                axes: {
                    x: { axisLabelFormatter: v => asTime(v, 3),
                         axisLabelWidth: 70,
                         valueFormatter: v => asTime(v, 6) },
                    y: { valueFormatter: v => digits(v, 3) },
                    y2: { axisLabelFormatter: v => asBytes(v, 3),
                          axisLabelWidth: 70, axisTickSize: 3,
                          includeZero: true,
                          valueFormatter: v => asBytes(v, 4),
                          independentTicks: true } } });
        else top.updateOptions({ file: upper });
        if (!l.markCells && !l.dropCells) return;
        const lower = rowsOf(row, i => [l.markCells ? l.markCells[i] : 0,
                                        l.dropCells ? l.dropCells[i] : 0]);
        if (!low)
            low = dygraph(second, lower, ["time", "marks", "drops"],
                          { ylabel: "packets", colors: [hue(1), hue(3)],
                            rightGap: RIGHT_AXIS, // times below times
                            series: { drops: { strokePattern: [4, 2] } } });
        else low.updateOptions({ file: lower });
    }
    selected.listen(draw);
    requestAnimationFrame(() => draw(0));
    const lower = l.markCells || l.dropCells ? second : null;
    return el("section", { id: "series" }, title, first, lower);
}

function showBusiest(run, selected) {
    const l = run.links;
    if (!l || !l.times || !l.rows) return null;
    const n = Math.min(12, l.rows);
    const rows = [...Array(n).keys()].map(i => [
        el("button", { type: "button", onclick: () => selected.choose(i) },
           linkName(l, i)),
        asShare(meanLoad(l, i)), asBytes(l.bytes[i]), asBytes(l.longest[i]),
        asCount(l.marks[i]), asCount(l.drops[i])]);
    const box = table(["link", "used", "bytes", "longest queue", "marks",
                       "drops"], rows);
    const lines = box.querySelectorAll("tbody tr");
    selected.listen(row => lines.forEach((line, i) =>
        line.classList.toggle("chosen", i === row)));
    return el("div", {}, box);
}
