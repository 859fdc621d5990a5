// ---- several runs: side by side first, then each by itself ------------------

// The time of an iteration over all jobs of a run; null: none ended.
function meanIteration(run) {
    const ended = (run.jobs || []).filter(j => j.mean !== undefined);
    const n = ended.reduce((sum, j) => sum + j.ended, 0);
    return n ? ended.reduce((sum, j) => sum + j.mean * j.ended, 0) / n : null;
}

const sumOf = list => list ? list.reduce((a, b) => a + b, 0) : 0;

// A column of the table: heading, figure, its format; left out where no run has
// the figure.
const sideColumns = [
    ["simulated", run => run.sim_time, asTime],
    ["iteration", meanIteration, asTime],
    ["flows, median", run => run.flows && run.flows.fct
        ? quantile(run.flows.fct, 0.5) : null, asTime],
    ["flows, p99", run => run.flows && run.flows.fct
        ? quantile(run.flows.fct, 0.99) : null, asTime],
    ["slowdown, p99", run => run.flows && run.flows.slowdown
        ? quantile(run.flows.slowdown, 0.99) : null, x => digits(x, 4)],
    ["drops", run => run.links ? sumOf(run.links.drops) : null, asCount],
    ["ECN marks", run => run.links ? sumOf(run.links.marks) : null, asCount],
    ["completion, p99", run => run.cluster && run.cluster.completion_spread
        ? quantile(run.cluster.completion_spread, 0.99) : null, asLong],
];

const lettersOf = run => (run.doubt || []).map(line => line[0]).join("");

function sideTable(runs, names) {
    const known = sideColumns.filter(c => runs.some(run => {
        const x = c[1](run);
        return x !== null && x !== undefined;
    }));
    const doubtful = runs.some(lettersOf);
    return table(["run"].concat(known.map(c => c[0]), doubtful ? ["doubt"] : []),
        runs.map((run, i) => [
            el("span", {}, swatch(hue(i)), names[i])].concat(
            known.map(c => {
                const x = c[1](run);
                return x === null || x === undefined ? "–" : c[2](x);
            }), doubtful ? [lettersOf(run)] : [])));
}

// A line for each run of which `points` gives any; null: fewer than two.
function overlay(runs, names, points, x, y, label, stepped) {
    const datasets = runs.map((run, i) => ({
        label: names[i], borderColor: hue(i), backgroundColor: hue(i),
        borderDash: dash(i), borderWidth: 1.6, pointRadius: 0, stepped,
        data: points(run),
    })).filter(d => d.data && d.data.length);
    if (datasets.length < 2) return null;
    return chart({ type: "line", data: { datasets }, options: {
        parsing: false, scales: { x, y } } }, label);
}

// The busiest link of a run over time.
function busiestPoints(run) {
    const l = run.links;
    if (!l || !l.times || !l.rows) return null;
    const cells = unbase64(l.load), bins = l.times.length - 1;
    return l.times.slice(0, bins).map((t, b) => ({ x: t, y: cells[b] / 255 }));
}

function showSide(runs, names) {
    const time = { type: "linear" };
    const pairs = [
        overlay(runs, names, run => (run.jobs || []).length
                ? run.jobs[0].duration.map((d, k) => ({ x: k, y: d })) : null,
            axis("iteration of the first job", v => Number.isInteger(v) ? v : "",
                 { type: "linear" }),
            axis("duration", asTime, { beginAtZero: true }),
            "duration of iterations, by run", false),
        overlay(runs, names, run => run.flows && run.flows.fct
                ? run.flows.fct.value.map((x, i) =>
                    ({ x, y: run.flows.fct.share[i] })) : null,
            axisOfAll("completion time of flows", asTime, runs.flatMap(run =>
                run.flows && run.flows.fct ? run.flows.fct.value : [])),
            axis("share of flows", v => digits(v, 2), { min: 0, max: 1 }),
            "distribution of completion times, by run", true),
        overlay(runs, names, busiestPoints, axis("time", asTime, time),
            axis("utilization of the busiest link", asShare,
                 { min: 0, max: 1 }),
            "utilization of the busiest link over time, by run", true),
    ].filter(x => x);
    const lines = runs.flatMap((run, i) => (run.doubt || []).map(line =>
        el("li", {}, el("b", {}, names[i] + " " +
                        (doubtMeans[line[0]] || line[0])), " ",
           line.slice(2))));
    return section("How do the runs compare?", "", sideTable(runs, names),
        lines.length ? el("ul", { class: "doubt" }, lines) : null,
        pairs.length ? el("div", { class: "multiples" }, pairs) : null);
}

// A page of its own for each; a folded one is made when it is opened or printed.
function partOf(one, i, name, open) {
    const box = el("details", { id: "part-" + i, class: "part" },
                   el("summary", {}, name));
    const fillIn = () => {
        if (box.childElementCount > 1) return;
        box.append(...(one.run ? showRun(one) : showStudy(one)).flat(3)
                                                               .filter(x => x));
    };
    box.addEventListener("toggle", () => box.open && fillIn());
    addEventListener("beforeprint", () => { box.open = true; fillIn(); });
    if (open) {
        box.open = true;
        fillIn();
    }
    return box;
}

function showSeveral(list) {
    const names = list.map(one => one.title ? `${one.title} (${one.file})`
                                            : one.file);
    const runs = list.filter(one => one.run);
    const of = runs.map(run => names[list.indexOf(run)]);
    return [
        el("h1", {}, `${list.length} files`),
        el("ul", { class: "contents" }, list.map((one, i) =>
            el("li", {}, el("a", { href: "#part-" + i, onclick: () => {
                document.getElementById("part-" + i).open = true;
            } }, names[i])))),
        runs.length > 1 ? showSide(runs, of) : null,
        list.map((one, i) => partOf(one, i, names[i], runs.length < 2)),
    ];
}
