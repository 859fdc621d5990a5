// ---- studies: bars and lines with intervals ---------------------------------

// The mean of a bar, or of a point of a line.
const meanOf = x => x !== null && typeof x === "object" ? x.y : x;

// Whiskers from mean - half to mean + half.
const whiskers = {
    id: "whiskers",
    afterDatasetsDraw(c) {
        const g = c.ctx;
        g.save();
        g.strokeStyle = css("--ink");
        g.lineWidth = 1.2;
        c.data.datasets.forEach((d, k) => {
            const meta = c.getDatasetMeta(k);
            if (meta.hidden || !d.half) return;
            meta.data.forEach((bar, i) => {
                const mean = meanOf(d.data[i]);
                if (!d.half[i] || mean === null) return;
                const low = Math.max(mean - d.half[i], c.scales.y.min);
                const y0 = c.scales.y.getPixelForValue(low);
                const y1 = c.scales.y.getPixelForValue(mean + d.half[i]);
                g.beginPath();
                g.moveTo(bar.x, y0);
                g.lineTo(bar.x, y1);
                for (const y of [y0, y1]) {
                    g.moveTo(bar.x - 4, y);
                    g.lineTo(bar.x + 4, y);
                }
                g.stroke();
            });
        });
        g.restore();
    },
};

// The marks of doubt of a cell over its bar.
const doubtMarks = {
    id: "marks",
    afterDatasetsDraw(c) {
        const g = c.ctx;
        g.save();
        g.fillStyle = css("--ink");
        g.font = "bold 11px sans-serif";
        g.textAlign = "center";
        c.data.datasets.forEach((d, k) => {
            const meta = c.getDatasetMeta(k);
            if (meta.hidden || !d.marks) return;
            meta.data.forEach((bar, i) => {
                if (!d.marks[i]) return;
                const mean = meanOf(d.data[i]);
                const top = mean !== null ? c.scales.y.getPixelForValue(
                    mean + (d.half[i] || 0)) : c.chartArea.bottom;
                g.fillText(d.marks[i], bar.x,
                           Math.max(top - 5, c.chartArea.top + 9));
            });
        });
        g.restore();
    },
};

// Cells are in row-major order over the dimensions.
function strides(dimensions) {
    const s = new Array(dimensions.length).fill(1);
    for (let d = dimensions.length - 2; d >= 0; d--)
        s[d] = s[d + 1] * dimensions[d + 1].values.length;
    return s;
}

// Diagonal lines beside the colour, so that bars differ in black and white.
function barFill(i) {
    if (i === 0) return hue(0);
    const tile = el("canvas", { width: 8, height: 8 });
    const g = tile.getContext("2d");
    g.fillStyle = hue(i);
    g.fillRect(0, 0, 8, 8);
    g.strokeStyle = "rgba(255,255,255,0.75)";
    g.lineWidth = 1 + i % 3;
    g.beginPath();
    if (i % 2) { g.moveTo(0, 8); g.lineTo(8, 0); }
    else { g.moveTo(4, 0); g.lineTo(4, 8); }
    g.stroke();
    return g.createPattern(tile, "repeat");
}

const ofDimensions = {
    numbers: [["", 1], ["%", 1]],
    rates: [["bps", 1], ["Kbps", 1e3], ["Mbps", 1e6], ["Gbps", 1e9],
            ["Tbps", 1e12]],
    sizes: [["B", 1], ["KB", 1e3], ["MB", 1e6], ["GB", 1e9], ["KiB", 1024],
            ["MiB", 1048576], ["GiB", 1073741824]],
    times: [["ps", 1e-12], ["ns", 1e-9], ["us", 1e-6], ["ms", 1e-3], ["s", 1]],
};

// The values of a dimension as numbers of one kind; null: they are names.
function numbersOf(values) {
    for (const units of Object.values(ofDimensions)) {
        const numbers = values.map(v => {
            const m = /^(-?[0-9.]+(?:e[0-9]+)?) *([A-Za-z%]*)$/.exec(v);
            const unit = m && units.find(u => u[0] === m[2]);
            return unit ? Number(m[1]) * unit[1] : NaN;
        });
        if (numbers.every(isFinite)) return numbers;
    }
    return null;
}

// A round number below x: log bars begin there.
function roundBelow(x) {
    const decade = Math.pow(10, Math.floor(Math.log10(x)));
    return decade * [5, 2, 1].find(k => k * decade < x * 0.95 || k === 1) *
        (decade < x * 0.95 ? 1 : 0.5);
}

// The y axis of all charts of a measure: bars from 0, or by ratio from a floor
// that it names; all intervals are within.
function measureAxis(m) {
    const known = m.mean.map((x, i) => [x, m.half[i] || 0])
                        .filter(p => p[0] !== null);
    const least = Math.min(...known.map(p => p[0]));
    const lowest = Math.min(...known.map(p => p[0] - p[1]));
    const most = Math.max(...known.map(p => p[0] + p[1]));
    const log = least > 0 && Math.max(...known.map(p => p[0])) > 20 * least;
    const name = m.title || m.long_name, floor = log ? roundBelow(least) : 0;
    return axis(log ? `${name}, by ratio from ${asMeasure(floor, m.units)}`
                    : name,
                v => asMeasure(v, m.units),
                log ? { type: "logarithmic", min: floor, max: most * 1.1 }
                    : { beginAtZero: true, suggestedMin: Math.min(0, lowest),
                        suggestedMax: most });
}

// One chart: `view` says which dimensions are the axis and the series (null:
// none), `offset` the cell where all of these have their first value.
function studyChart(study, m, view, offset) {
    const x = study.dimensions[view.x], s = strides(study.dimensions);
    const of = view.series === null ? null : study.dimensions[view.series];
    const numbers = x.values.length > 2 ? numbersOf(x.values) : null;
    const series = of ? of.values : [""];
    if (!numbers && x.values.length * series.length > 60)
        return el("p", { class: "warn" }, `${x.values.length * series.length} ` +
            "bars are too many for one chart: choose other dimensions above, " +
            "or draw some of them by orrery plot STUDY bars --where ...");
    const positive = numbers && Math.min(...numbers) > 0;
    const ratio = positive && Math.max(...numbers) >= 16 * Math.min(...numbers);
    const order = numbers ? numbers.map((v, i) => i)
                                   .sort((a, b) => numbers[a] - numbers[b])
                          : x.values.map((v, i) => i);
    const cell = (i, j) => offset + i * s[view.x] +
                           (of ? j * s[view.series] : 0);
    const datasets = series.map((name, j) => Object.assign({
        label: name,
        data: order.map(i => numbers ? { x: numbers[i], y: m.mean[cell(i, j)] }
                                     : m.mean[cell(i, j)]),
        half: order.map(i => m.half[cell(i, j)]),
        marks: order.map(i => marksOf(study, cell(i, j))),
    }, numbers ? { borderColor: hue(j), backgroundColor: hue(j),
                   borderDash: dash(j), pointRadius: 3,
                   pointStyle: ["circle", "rect", "triangle", "rectRot",
                                "star", "cross"][j % 6] }
               : { backgroundColor: barFill(j) }));
    const title = { display: true, text: x.name, color: css("--soft") };
    return chart({
        type: numbers ? "line" : "bar",
        plugins: [whiskers, doubtMarks],
        data: { labels: numbers ? undefined : x.values, datasets },
        options: {
            scales: {
                x: numbers
                    ? { type: ratio ? "logarithmic" : "linear", title,
                        grid: { color: css("--line") },
                        afterBuildTicks: a => { a.ticks = order.map(i => ({
                            value: numbers[i] })); },
                        ticks: { color: css("--soft"), callback: v =>
                            x.values[numbers.indexOf(v)] } }
                    : { ticks: { color: css("--soft") }, title,
                        grid: { display: false } },
                y: measureAxis(m),
            },
            plugins: {
                legend: { display: series.length > 1 },
                tooltip: { callbacks: { label: item => {
                    const d = item.dataset, i = item.dataIndex;
                    return `${d.label} ${asMeasure(meanOf(d.data[i]), m.units)}` +
                        (d.half[i] ? ` ± ${asMeasure(d.half[i], m.units)}` : "") +
                        (d.marks[i] ? ` (${d.marks[i]})` : "");
                } } },
            },
        },
    }, `${m.title || m.long_name} by ` +
       study.dimensions.map(d => d.name).join(" and "));
}

// Combinations of the dimensions that are neither axis nor series: a chart each.
function panelsOf(study, view) {
    const s = strides(study.dimensions);
    let out = [{ offset: 0, label: "" }];
    study.dimensions.forEach((d, k) => {
        if (k === view.x || k === view.series) return;
        out = out.flatMap(o => d.values.map((v, i) => ({
            offset: o.offset + i * s[k],
            label: (o.label ? o.label + ", " : "") + d.name + " " + v })));
    });
    return out;
}

const mostPanels = 24;

// The charts of a measure, and what stands along their axes.
function studyCharts(study, m) {
    const view = { x: 0, series: study.dimensions.length > 1 ? 1 : null };
    const area = el("div");
    const draw = () => {
        const panels = panelsOf(study, view);
        area.className = panels.length > 1 ? "multiples" : "";
        area.replaceChildren(...panels.slice(0, mostPanels).map(o =>
            el("div", {}, o.label ? el("h3", {}, o.label) : null,
               studyChart(study, m, view, o.offset))));
        if (panels.length > mostPanels)
            area.append(el("p", { class: "warn" },
                `The first ${mostPanels} of ${panels.length} charts: ` +
                "orrery plot STUDY --where ... draws others."));
    };
    const select = (key, other) => el("select", { onchange: e => {
        const before = view[key];
        view[key] = Number(e.target.value);
        if (view[other] === view[key]) view[other] = before;
        controls.replaceChildren(...labels());
        draw();
    } }, study.dimensions.map((d, i) =>
        el("option", { value: i, selected: view[key] === i ? "" : null },
           d.name)));
    const labels = () => [
        el("label", {}, "along the axis ", select("x", "series")),
        el("label", {}, "a colour each ", select("series", "x"))];
    const controls = el("div", { class: "controls" });
    if (study.dimensions.length > 1) controls.append(...labels());
    draw();
    return [study.dimensions.length > 1 ? controls : null, area];
}

function marksOf(study, cell) {
    return study.marks ? study.marks[cell] : "";
}

function coordinates(study, cell) {
    const s = strides(study.dimensions);
    return study.dimensions.map((d, k) =>
        d.values[Math.floor(cell / s[k]) % d.values.length]);
}

function measureTable(study, m) {
    const best = Math.min(...m.mean.filter(x => x !== null));
    return el("details", {}, el("summary", {}, "the numbers"), table(
        study.dimensions.map(d => d.name).concat(["mean", "± 95 %",
                                                  "over the smallest",
                                                  "doubt"]),
        m.mean.map((x, i) => coordinates(study, i).concat([
            asMeasure(x, m.units), m.half[i] === null ? "–"
                : asMeasure(m.half[i], m.units),
            x === null || best <= 0 ? "–" : digits(x / best, 3),
            marksOf(study, i)]))));
}

// Who has the least and the most, of known [mean, place] in order; means of
// equal figures may differ in their last digits.
function leastAndMost(study, m, known) {
    const [low, high] = [known[0], known[known.length - 1]];
    const name = p => coordinates(study, p[1]).join(", ");
    const value = p => asMeasure(p[0], m.units) +
        (marksOf(study, p[1]) ? ` (${marksOf(study, p[1])})` : "");
    if (known.length === 1)
        return `${name(low)}: ${value(low)}.`;
    if (high[0] - low[0] <= 1e-9 * Math.abs(high[0]))
        return `The same everywhere: ${value(low)}.`;
    const overlap = low[0] + (m.half[low[1]] || 0) >
                    high[0] - (m.half[high[1]] || 0);
    return `Smallest: ${name(low)}, ${value(low)}. Largest: ${name(high)}, ` +
        value(high) +
        (low[0] > 0 ? `, ${digits(high[0] / low[0], 3)} times that.` : ".") +
        (overlap ? " Their 95 % intervals overlap: not significant." : "");
}

function showMeasure(study, m) {
    const known = m.mean.map((x, i) => [x, i]).filter(p => p[0] !== null);
    if (!known.length)
        return section(m.title || m.long_name, "No run has it.");
    known.sort((a, b) => a[0] - b[0]);
    const missing = m.mean.length - known.length;
    return section(m.title || m.long_name,
        leastAndMost(study, m, known) +
        (missing ? ` ${missing} of ${m.mean.length} combinations ` +
                   (missing === 1 ? "has none." : "have none.")
                 : ""),
        m.title ? el("p", { class: "answer" }, m.long_name) : null,
        ...studyCharts(study, m),
        measureTable(study, m));
}

// What the marks mean, and how much it is.
function showDoubt(study) {
    return study.doubt
        ? section("What is doubtful", "Marks over bars and in tables mean:",
                  el("ul", {}, study.doubt.map(line => el("li", {}, line))))
        : null;
}

function showStudy(study) {
    return [
        el("h1", {}, study.title || "study"),
        el("p", { class: "answer" }, `${study.file}: ` +
           study.dimensions.map(d => `${d.name} (${d.values.length})`)
                .join(" × ") + `, ${study.seeds} seed` +
           (study.seeds === 1 ? "" : "s; whiskers are 95 % intervals")),
        showDoubt(study),
        study.measures.map(m => showMeasure(study, m)),
    ];
}
