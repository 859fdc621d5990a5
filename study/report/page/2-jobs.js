// ---- jobs: how long, and what the time went to ------------------------------

const each = (j, total) => asTime(j.iterations ? total / j.iterations : null);

// Those that ended; of a run that was stopped, others may have begun.
const iterations = j => asCount(j.ended) +
    (j.ended < j.iterations ? ` of ${asCount(j.iterations)} begun` : "");

function jobsTable(jobs) {
    return table(
        ["job", "iterations", "mean", "median", "p99", "longest", "compute",
         "exposed", "overlapped"].map((h, i) =>
            i < 6 ? h : el("abbr", { title: "mean over the ranks, an iteration" },
                           h)),
        jobs.map((j, i) => [
            el("span", {}, swatch(hue(i)), j.name), iterations(j),
            asTime(j.mean), asTime(j.p50), asTime(j.p99), asTime(j.max),
            each(j, j.compute), each(j, j.exposed), each(j, j.overlap)]));
}

function swatch(colour) {
    return svg("svg", { width: 14, height: 12, "aria-hidden": "true" },
               svg("rect", { width: 11, height: 11, y: 1, fill: colour }));
}

function iterationChart(jobs) {
    const all = jobs.flatMap(j => j.duration).filter(d => d !== null);
    const most = Math.max(...all), least = Math.min(...all);
    return chart({
        type: "line",
        data: { datasets: jobs.map((j, i) => ({
            label: j.name, borderColor: hue(i), backgroundColor: hue(i),
            borderDash: dash(i), borderWidth: 1.5,
            pointRadius: j.duration.length > 60 ? 0 : 2.5,
            data: j.duration.map((d, k) => ({ x: k, y: d })),
        })) },
        options: {
            parsing: false, normalized: true,
            scales: {
                x: axis("iteration", v => Number.isInteger(v) ? v : "",
                        { type: "linear" }),
                // what hardly changes is to look so
                y: axis("duration", asTime,
                        { beginAtZero: most - least < 0.02 * most }),
            },
            plugins: {
                legend: { display: jobs.length > 1 },
                tooltip: { callbacks: {
                    title: items => "iteration " + items[0].parsed.x,
                    label: item => item.dataset.label + ": " +
                                   asTime(item.parsed.y, 6),
                } },
            },
        },
    }, "duration of each iteration, by job");
}

function showJobs(run) {
    const jobs = run.jobs || [];
    if (!jobs.length) return null;
    const ended = jobs.filter(j => j.mean !== undefined);
    const worst = ended.reduce((a, j) => !a || j.exposed / j.iterations >
                                         a.exposed / a.iterations ? j : a, null);
    const answer = worst
        ? ended.map(j => `${j.name}: ${asTime(j.mean)} an iteration`)
               .slice(0, 4).join("; ") + (ended.length > 4 ? " …" : "") +
          (worst.exposed > 0
              ? `. Most time lost to the network: ${worst.name}, ` +
                asTime(worst.exposed / worst.iterations) + " an iteration."
              : ". No time was lost to the network.")
        : "No iteration ended.";
    return section("How long did an iteration take?", answer, jobsTable(jobs),
                   jobs.some(j => j.duration.length > 2) ? iterationChart(jobs)
                                                         : null);
}

// ---- the Gantt chart --------------------------------------------------------

const short = (s, n) => s.length > n ? s.slice(0, n - 1) + "…" : s;
const COMPUTES = 1, COMMUNICATES = 2;

// Rows [label, job, spans as [start, end, what]]: of ranks, or of iterations
// where nobody noted what ranks did.
function ganttRows(run) {
    const rows = (run.gantt || []).map(g => {
        const spans = [];
        for (let i = 0; i < g.spans.length; i += 3)
            spans.push([g.spans[i], g.spans[i + 1], g.spans[i + 2]]);
        return { job: g.job, spans, label: run.jobs[g.job]
                 ? short(run.jobs[g.job].name, 15) + " rank " + g.rank : "" };
    });
    (run.jobs || []).forEach((j, i) => {
        if (!rows.some(r => r.job === i))
            rows.push({ job: i, label: short(j.name, 14) + " iterations", whole: true,
                        spans: j.start.map((s, k) => [s, j.end[k], 0])
                                      .filter(s => s[1] !== null) });
    });
    return rows.sort((a, b) => a.job - b.job);
}

function patterns(run) {
    return svg("defs", {}, (run.jobs || []).slice(0, hues.length).map((j, i) =>
        svg("pattern", { id: "both" + i, width: 6, height: 6,
                         patternUnits: "userSpaceOnUse",
                         patternTransform: "rotate(45)" },
            svg("rect", { width: 6, height: 6, fill: css("--paper") }),
            svg("rect", { width: 3, height: 6, fill: hue(i) }))));
}

// What a span is drawn with: communication alone is what costs time.
function spanFill(job, what) {
    if (what === COMMUNICATES) return hue(job);
    if (what === (COMPUTES | COMMUNICATES))
        return "url(#both" + job % hues.length + ")";
    return css("--line");
}
const words = ["an iteration", "computes", "communicates",
               "computes and communicates"];

// Spans of [t0, t1], those below a pixel made one with their neighbour.
function visible(spans, t0, t1, pixel) {
    const out = [];
    for (const [a, b, what] of spans) {
        if (b <= t0 || a >= t1) continue;
        const last = out[out.length - 1];
        if (last && b - a < pixel && a - last[1] < pixel) last[1] = b;
        else out.push([Math.max(a, t0), Math.min(b, t1), what]);
    }
    return out;
}

function timeAxis(g, x, t0, t1, y, offset) {
    const raw = (t1 - t0) / 8, power = Math.pow(10, Math.floor(Math.log10(raw)));
    const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= raw);
    for (let t = Math.ceil(t0 / step) * step; t <= t1; t += step) {
        g.append(svg("line", { class: "axis", x1: x(t), x2: x(t), y1: 0, y2: y }),
                 svg("text", { class: "soft", x: x(t), y: y + 15,
                               "text-anchor": "middle" },
                     t === 0 ? "0" : asTime(t - (offset || 0), 4)));
    }
}

const LEFT = 170, WIDTH = 1120;

function drawTime(run, rows, t0, t1) {
    const high = rows.length > 14 ? 14 : 22, bottom = rows.length * high;
    const x = t => LEFT + (t - t0) / (t1 - t0) * (WIDTH - LEFT);
    const g = svg("g", {}), pixel = (t1 - t0) / (WIDTH - LEFT);
    timeAxis(g, x, t0, t1, bottom);
    rows.forEach((row, i) => {
        g.append(svg("text", { x: LEFT - 8, y: i * high + high / 2 + 4,
                               "text-anchor": "end" }, row.label));
        for (const [a, b, what] of visible(row.spans, t0, t1, pixel))
            g.append(svg("rect", {
                class: "span", x: x(a), y: i * high + 2,
                width: Math.max(0.7, x(b) - x(a)), height: high - 4,
                fill: row.whole ? hue(row.job) : spanFill(row.job, what),
                "fill-opacity": row.whole ? 0.5 : null,
                stroke: row.whole ? css("--paper") : null,
                onmousemove: e => showTip(e, `${row.label} ${words[what]}: ` +
                    `${asTime(a, 6)} to ${asTime(b, 6)} (${asTime(b - a)})`),
                onmouseleave: hideTip }));
    });
    return { g, height: bottom + 24 };
}

// One row an iteration of a job, from its start on; a lane for each job.
function drawAligned(run, rows, reference) {
    const job = run.jobs[reference], n = job.start.length;
    const lanes = run.jobs.map((_, i) => rows.find(r => r.job === i));
    const many = Math.min(n, 48), high = Math.max(9, 5 * lanes.length + 2);
    const longest = Math.max(...job.start.map((s, i) =>
        job.end[i] === null ? 0 : job.end[i] - s)) || 1;
    const width = 1.15 * longest, g = svg("g", {});
    const x = t => LEFT + t / width * (WIDTH - LEFT);
    timeAxis(g, x, 0, width, many * high);
    for (let k = 0; k < many; k++) {
        const i = many === n ? k : Math.round(k * (n - 1) / (many - 1));
        const from = job.start[i], y = k * high;
        if (k % Math.ceil(14 / high) === 0)
            g.append(svg("text", { x: LEFT - 8, y: y + high / 2 + 4,
                                   "text-anchor": "end" }, "iteration " + i));
        lanes.forEach((row, j) => {
            const lane = (high - 2) / lanes.length;
            for (const [a, b, what] of visible(row ? row.spans : [], from,
                                               from + width, width / WIDTH))
                if (what === 0 || what & COMMUNICATES)
                    g.append(svg("rect", {
                        class: "span", x: x(a - from), y: y + j * lane,
                        width: Math.max(0.7, x(b - from) - x(a - from)),
                        height: Math.max(1.5, lane - 0.5), fill: hue(j),
                        onmousemove: e => showTip(e,
                            `${run.jobs[j].name} communicates, iteration ${i}` +
                            ` of ${job.name}: ${asTime(a - from)} to ` +
                            asTime(b - from)),
                        onmouseleave: hideTip }));
        });
    }
    return { g, height: many * high + 24 };
}

function ganttLegend(run) {
    const box = fillWith => svg("svg", { width: 24, height: 12 },
        svg("rect", { width: 22, height: 11, y: 1, fill: fillWith }));
    return el("div", { class: "legend" },
        el("span", {}, box(css("--line")), "computes"),
        el("span", {}, box(hue(0)), "communicates, compute waits (exposed)" +
            ((run.jobs || []).length > 1 ? ", each job in its colour" : "")),
        el("span", {}, box("url(#both0)"), "both (overlapped)"));
}

function showGantt(run) {
    const rows = ganttRows(run);
    const ends = rows.flatMap(r => r.spans.map(s => s[1]));
    if (!ends.length) return null;
    const first = Math.min(...rows.map(r => r.spans.length ? r.spans[0][0]
                                                           : Infinity));
    const last = ends.reduce((a, b) => Math.max(a, b), 0);
    let mode = "time";
    const picture = svg("svg", { tabindex: 0, width: "100%", role: "img",
        "aria-label": "what each rank did over time; plus and minus zoom, " +
                      "arrows move" });
    function draw() {
        const d = mode === "time" ? drawTime(run, rows, part.t0, part.t1)
                                  : drawAligned(run, rows, Number(mode));
        picture.setAttribute("viewBox", `0 0 ${WIDTH + 30} ${d.height}`);
        picture.replaceChildren(patterns(run), d.g);
    }
    const part = lens(first, last, draw, () => mode === "time");
    part.listen(picture, e => {
        const box = picture.getBoundingClientRect();
        const px = (e.clientX - box.left) / box.width * (WIDTH + 30);
        return part.t0 + (px - LEFT) / (WIDTH - LEFT) * (part.t1 - part.t0);
    });
    const choose = el("select", { "aria-label": "how rows are laid out",
        onchange: e => { mode = e.target.value; draw(); } },
        el("option", { value: "time" }, "over time"),
        (run.jobs || []).filter(j => j.start.length > 1).map(j =>
            el("option", { value: run.jobs.indexOf(j) },
               "iterations of " + j.name + ", one below the other")));
    draw();
    return section("Who computed, who communicated, and when?",
        `From ${asTime(first)} to ${asTime(last)}. ` +
        (run.gantt_note ? `Shown are ${run.gantt_note}. ` : "") + zoomWords,
        ganttLegend(run),
        el("div", { class: "controls" }, choose, part.buttons()), picture);
}

// ---- what `explain` found out -----------------------------------------------

const ns = t => t === null || t === undefined ? null : t * 1e-9;

function subjectName(s) {
    if (!("job" in s)) return `flow ${s.flow}`;
    return s.first_iteration === s.last_iteration
        ? `job ${s.job}, iteration ${s.first_iteration}`
        : `job ${s.job}, iterations ${s.first_iteration} to ${s.last_iteration}`;
}

// Where the time of each went: its parts add up to its duration.
function causesChart(subjects) {
    const causes = Object.keys(subjects[0].causes_ns).filter(c =>
        subjects.some(s => s.causes_ns[c] > 0));
    return chart({
        type: "bar",
        data: {
            labels: subjects.map(subjectName),
            datasets: causes.map((c, i) => ({
                label: c, backgroundColor: barFill(i), borderColor: css("--paper"),
                borderWidth: 1,
                data: subjects.map(s => ns(s.causes_ns[c])),
            })),
        },
        options: {
            indexAxis: "y",
            scales: {
                x: axis("time", asTime, { stacked: true, beginAtZero: true }),
                y: { stacked: true, grid: { display: false },
                     ticks: { color: css("--soft") } },
            },
        },
    }, "where the time went, by cause");
}

// Rows: who waited; columns: behind whose packets.
function blameTable(blame) {
    const victims = [...new Set(blame.map(b => b.victim))];
    const owners = [...new Set(blame.map(b => b.owner))].sort();
    const cell = (v, o) => {
        const parts = blame.filter(b => b.victim === v && b.owner === o);
        const total = parts.reduce((sum, b) => sum + b.time_ns, 0);
        if (!total) return "\u2013";
        const worst = parts.reduce((a, b) => a.time_ns >= b.time_ns ? a : b);
        return el("span", {}, asTime(ns(total)), worst.link
            ? el("small", {}, ` most at ${worst.link}`) : null);
    };
    return table(["who waited", ...owners.map(o => `behind ${o}`)],
                 victims.map(v => [v, ...owners.map(o => cell(v, o))]));
}

function showExplained(run) {
    const e = run.explained;
    if (!e || !e.subjects.length) return null;
    const total = e.blame.reduce((sum, b) => sum + b.time_ns, 0);
    return section("Why did it take so long, and who is to blame?",
        e.subjects.map(s => `${subjectName(s)}: ${asTime(ns(s.duration_ns))}` +
            (s.alone_ns ? `, alone ${asTime(ns(s.alone_ns))}` : ""))
         .join("; ") + (total ? `. ${asTime(ns(total))} of it behind packets ` +
                                "of others." : ". None of it behind packets " +
                                               "of others."),
        causesChart(e.subjects), total ? blameTable(e.blame) : null);
}
