// ---- studies: bars with intervals -------------------------------------------

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
                if (!d.half[i] || d.data[i] === null) return;
                const y0 = c.scales.y.getPixelForValue(d.data[i] - d.half[i]);
                const y1 = c.scales.y.getPixelForValue(d.data[i] + d.half[i]);
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
                const known = d.data[i] !== null;
                const top = known ? c.scales.y.getPixelForValue(
                    d.data[i] + (d.half[i] || 0)) : c.chartArea.bottom;
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

function bars(study, m, offset, most) {
    const [outer, inner] = study.dimensions, s = strides(study.dimensions);
    const series = inner ? inner.values : [""];
    const known = m.mean.filter(x => x !== null), least = Math.min(...known);
    const log = least > 0 && Math.max(...known) > 20 * least;
    return chart({
        type: "bar",
        plugins: [whiskers, doubtMarks],
        data: {
            labels: outer.values,
            datasets: series.map((name, j) => {
                const at = outer.values.map((_, i) => offset + i * s[0] +
                                                      (inner ? j * s[1] : 0));
                return { label: name, backgroundColor: barFill(j),
                         data: at.map(i => m.mean[i]),
                         half: at.map(i => m.half[i]),
                         marks: at.map(i => marksOf(study, i)) };
            }),
        },
        options: {
            scales: {
                x: { ticks: { color: css("--soft") }, grid: { display: false },
                     title: { display: true, text: outer.name,
                              color: css("--soft") } },
                y: axis(m.long_name + (log ? ", logarithmic" : ""),
                        v => asMeasure(v, m.units), log
                            ? { type: "logarithmic" }
                            : { beginAtZero: true, suggestedMax: most }),
            },
            plugins: {
                legend: { display: series.length > 1 },
                tooltip: { callbacks: { label: item =>
                    `${item.dataset.label} ${asMeasure(item.raw, m.units)}` +
                    (item.dataset.half[item.dataIndex]
                     ? ` ± ${asMeasure(item.dataset.half[item.dataIndex],
                                       m.units)}` : "") +
                    (item.dataset.marks[item.dataIndex]
                     ? ` (${item.dataset.marks[item.dataIndex]})` : "") } },
            },
        },
    }, `${m.long_name} by ${study.dimensions.map(d => d.name).join(" and ")}`);
}

// Combinations of the dimensions beyond two: a chart each.
function rest(study) {
    const s = strides(study.dimensions);
    let out = [{ offset: 0, label: "" }];
    study.dimensions.slice(2).forEach((d, k) => {
        out = out.flatMap(o => d.values.map((v, i) => ({
            offset: o.offset + i * s[k + 2],
            label: (o.label ? o.label + ", " : "") + d.name + " " + v })));
    });
    return out;
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
    return `Smallest: ${name(low)}, ${value(low)}. Largest: ${name(high)}, ` +
        value(high) +
        (low[0] > 0 ? `, ${digits(high[0] / low[0], 3)} times that.` : ".");
}

function showMeasure(study, m) {
    const known = m.mean.map((x, i) => [x, i]).filter(p => p[0] !== null);
    if (!known.length)
        return section(m.long_name, "No run has it.");
    known.sort((a, b) => a[0] - b[0]);
    const missing = m.mean.length - known.length;
    const most = Math.max(...known.map(p => p[0] + (m.half[p[1]] || 0)));
    return section(m.long_name,
        leastAndMost(study, m, known) +
        (missing ? ` ${missing} of ${m.mean.length} combinations ` +
                   (missing === 1 ? "has none." : "have none.")
                 : ""),
        el("div", { class: study.dimensions.length > 2 ? "multiples" : "" },
           rest(study).map(o => el("div", {}, o.label ? el("h3", {}, o.label)
                                                      : null,
                                   bars(study, m, o.offset, most)))),
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
