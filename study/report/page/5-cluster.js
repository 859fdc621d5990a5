// ---- clusters: who had which GPUs, who waited, who met whom -----------------

const daySteps = [[86400, "d"], ...timeSteps];
const asLong = (s, n) => scaled(s, daySteps, n);
const asSome = x => Number.isInteger(x) ? asCount(x) : digits(x, 3);
const jobStates = ["coming", "waiting", "running", "done", "failed"];

function clusterFacts(run) {
    const c = run.cluster, o = c.over;
    const mean = key => {
        let sum = 0;
        o.time.forEach((t, i) => {
            const to = i + 1 < o.time.length ? o.time[i + 1] : c.end;
            sum += (o[key][i] || 0) * Math.max(0, to - t);
        });
        return c.end ? sum / c.end : 0;
    };
    const list = [[asCount(c.count), "jobs"], [asCount(c.gpus), "GPUs"],
                  [asLong(c.end), "from 0 to its end"],
                  [asShare(mean("used") / c.gpus), "GPUs allocated"],
                  [asShare(mean("computing") / c.gpus), "GPUs computing"],
                  [digits(mean("waiting"), 3), "jobs wait, mean"],
                  [run.fingerprint, "fingerprint"]];
    return el("ul", { class: "facts" }, list.map(([value, what]) =>
        el("li", {}, el("b", {}, String(value)), el("span", {}, what))));
}

// Names of what jobs are made of, in order of their first job.
const kinds = c => [...new Set(c.jobs.template)];

// What a rectangle of the chart is filled with.
function holdingFill(c, list, by, job) {
    if (by === "kind") return hue(list.indexOf(c.jobs.template[job]));
    if (by === "job") return hue(job);
    return loadCss(0.15 + ((c.jobs.slowdown[job] || 1) - 1) / 0.6);
}

function describeHolding(c, k) {
    const h = c.held, j = h.job[k], name = c.jobs.name[j];
    const slow = c.jobs.slowdown[j];
    const last = h.first[k] + h.gpus[k] - 1;
    const many = h.gpus[k] > 1 ? `s ${h.first[k]} to ${last}` : ` ${last}`;
    return (name === undefined ? `job ${j}`
                               : `${name}, ${c.jobs.gpus[j]} GPUs`) +
        `: GPU${many}, ${asLong(h.from[k], 5)} to ${asLong(h.to[k], 5)}` +
        (slow ? `; ${digits(slow, 4)} times as long as alone` : "");
}

// GPUs from the top down, time to the right; GPUs that no job has are paper.
function drawHoldings(c, canvas, list, by, t0, t1) {
    const g = canvas.getContext("2d"), h = c.held;
    const x = t => (t - t0) / (t1 - t0) * canvas.width;
    const high = canvas.height / c.gpus;
    g.clearRect(0, 0, canvas.width, canvas.height);
    g.strokeStyle = css("--paper");
    g.lineWidth = 1;
    h.job.forEach((j, k) => {
        if (h.to[k] <= t0 || h.from[k] >= t1) return;
        const a = Math.max(0, x(h.from[k]));
        const wide = Math.max(0.7, Math.min(canvas.width, x(h.to[k])) - a);
        const y = h.first[k] * high, tall = h.gpus[k] * high;
        g.fillStyle = holdingFill(c, list, by, j);
        g.fillRect(a, y, wide, Math.max(0.5, tall));
        if (wide > 4 && tall > 3)
            g.strokeRect(a + 0.5, y + 0.5, wide - 1, tall - 1);
    });
}

function holdingLegend(list, by) {
    const box = fill => svg("svg", { width: 24, height: 12 },
        svg("rect", { width: 22, height: 11, y: 1, fill }));
    if (by === "slowdown") return el("div", { class: "legend" },
        [1, 1.15, 1.3, 1.5].map(s => el("span", {},
            box(loadCss(0.15 + (s - 1) / 0.6)),
            `${s} times as long as alone`)));
    return el("div", { class: "legend" }, by === "kind" ? list.map((name, i) =>
        el("span", {}, box(hue(i)), name)) : []);
}

function showHoldings(run) {
    const c = run.cluster, h = c.held, list = kinds(c);
    if (!h.job.length || !c.end) return null;
    let by = "kind";
    const canvas = el("canvas", { class: "heat", tabindex: 0, role: "img",
        "aria-label": "which job had which GPU when; plus and minus zoom, " +
                      "arrows move" });
    canvas.width = 1132;
    canvas.height = Math.min(640, Math.max(160, c.gpus * 12));
    canvas.style.height = canvas.height + "px";
    const ends = el("div", { class: "legend" }), key = el("div", {});
    function draw() {
        drawHoldings(c, canvas, list, by, part.t0, part.t1);
        key.replaceChildren(holdingLegend(list, by));
        ends.replaceChildren(...[0, 1, 2, 3, 4].map(i =>
            el("span", {}, asLong(part.t0 + (part.t1 - part.t0) * i / 4, 4))));
    }
    const part = lens(0, c.end, draw);
    const spot = e => {
        const box = canvas.getBoundingClientRect();
        return [part.t0 + (e.clientX - box.left) / box.width *
                (part.t1 - part.t0),
                (e.clientY - box.top) / box.height * c.gpus];
    };
    canvas.addEventListener("mousemove", e => {
        const [t, gpu] = spot(e);
        const k = h.job.findIndex((_, i) => h.from[i] <= t && t < h.to[i] &&
            h.first[i] <= gpu && gpu < h.first[i] + h.gpus[i]);
        if (k < 0) hideTip();
        else showTip(e, describeHolding(c, k));
    });
    canvas.addEventListener("mouseleave", hideTip);
    part.listen(canvas, e => spot(e)[0]);
    const choose = el("select", { "aria-label": "what colours say",
        onchange: e => { by = e.target.value; draw(); } },
        [["kind", "by what jobs are made of"], ["job", "by job"],
         ["slowdown", "by slowdown"]].map(([value, text]) =>
            el("option", { value }, text)));
    draw();
    return section("Who had which GPUs, and when?",
        `GPU 0 on top, ${asCount(c.gpus)} in all` + (h.job.length < h.all
            ? `; the ${asCount(h.job.length)} pieces of the most GPU time, ` +
              `of ${asCount(h.all)}` : "") +
        ". " + zoomWords, key,
        el("div", { class: "controls" }, choose, part.buttons()), canvas,
        el("div", { class: "ends" }, ends));
}

function overTime(c, title, format, lines, label) {
    const o = c.over, t = [...o.time, c.end];
    return chart({
        type: "line",
        data: { datasets: lines.map(([key, name, by], i) => ({
            label: name, borderColor: hue(i), backgroundColor: hue(i),
            borderDash: dash(i), borderWidth: 1.6, pointRadius: 0,
            stepped: true,
            data: t.map((x, k) => ({
                x, y: by(k < o.time.length ? k : o.time.length - 1, key) })),
        })) },
        options: {
            parsing: false,
            scales: {
                x: axis("time", asLong, { type: "linear", min: 0, max: c.end }),
                y: axis(title, format, { beginAtZero: true }),
            },
            plugins: { legend: { display: lines.length > 1 } },
        },
    }, label);
}

function showQueue(run) {
    const c = run.cluster, o = c.over;
    if (!o.time.length) return null;
    const most = Math.max(...o.waiting), plain = (k, key) => o[key][k];
    const share = (k, key) => o[key][k] / c.gpus;
    return section("How long was the queue, and how busy were GPUs?",
        most > 0 ? `At most ${asSome(most)} jobs waited at once.`
                 : "No job ever waited.",
        el("div", { class: "pair" },
           overTime(c, "jobs", asSome,
                    [["waiting", "wait", plain], ["running", "run", plain]],
                    "jobs that wait and run over time"),
           overTime(c, "share of GPUs", asShare,
                    [["used", "allocated", share],
                     ["computing", "computing", share]].concat(
                        o.out.some(x => x > 0) ? [["out", "out", share]] : []),
                    "share of GPUs allocated and computing over time")));
}

function showSpread(run) {
    const c = run.cluster;
    if (!c.completion_spread) return null;
    // what is 0 stands where an axis by ratio begins
    const line = (d, i, name, first = 0) => d ? [{
        label: name, borderColor: hue(i), backgroundColor: hue(i),
        borderDash: dash(i), borderWidth: 1.8, pointRadius: 0, stepped: true,
        data: d.value.map((x, k) => ({ x: Math.max(x, first), y: d.share[k] })),
    }] : [];
    const one = (lines, title, format, values, label) => chart({
        type: "line", data: { datasets: lines },
        options: { parsing: false, scales: {
            x: axisOfAll(title, format, values),
            y: axis("share of jobs", v => digits(v, 2), { min: 0, max: 1 }),
        }, plugins: { legend: { display: lines.length > 1 } } },
    }, label);
    const f = c.completion_spread, s = c.slowdown_spread;
    const times = f.value.concat(c.queueing_spread ? c.queueing_spread.value
                                                   : []);
    const least = wide(times) ? Math.min(...times.filter(x => x > 0)) : 0;
    return section("How long did jobs take?",
        `Half of those that ended within ${asLong(quantile(f, 0.5))} of ` +
        `their arrival, 99 % within ${asLong(quantile(f, 0.99))}.` + (s
            ? ` Half were at most ${digits(quantile(s, 0.5), 4)} times as ` +
              `slow as alone, 99 % at most ${digits(quantile(s, 0.99), 4)} times.`
            : ""),
        el("div", { class: "pair" },
           one([...line(f, 0, "completion", least),
                ...line(c.queueing_spread, 1, "queueing", least)], "time",
               asLong, times, "distribution of completion and waiting times"),
           s ? one(line(s, 0, "slowdown"), "iterations, against alone",
                   v => digits(v, 4), s.value,
                   "distribution of slowdowns") : null));
}

// A strip: dark where a link was shared.
function strip(c, link) {
    const canvas = el("canvas", { width: 400, height: 12, role: "img",
        "aria-label": "when jobs shared " + link.name });
    const g = canvas.getContext("2d");
    g.fillStyle = css("--card");
    g.fillRect(0, 0, 400, 12);
    link.from.forEach((from, i) => {
        const wide = link.to[i] - from;
        g.fillStyle = loadCss(wide > 0 ? 0.2 + 0.8 * link.cells[i] / wide : 0);
        const x = Math.floor(from / c.end * 400);
        g.fillRect(x, 0, Math.max(1, Math.ceil(link.to[i] / c.end * 400) - x),
                   12);
    });
    return canvas;
}

function showContention(run) {
    const c = run.cluster;
    if (!c.links.length)
        return section("Where did jobs contend?", "No link that two of them " +
                       "used cost them anything.");
    const lost = c.links.reduce((sum, l) => sum + l.lost, 0);
    return section("Where did jobs contend, and what did it cost?",
        (c.links.length > 1 ? `The ${c.links.length} links that cost most`
                            : "The link that cost most") +
        `: ${digits(lost, 3)} hours of GPUs. ` +
        "Dark is where two jobs or more used the link all the time.",
        table(["link", "from 0 to " + asLong(c.end), "shared for", "jobs",
               "GPU hours lost"],
              c.links.map(l => [l.name, strip(c, l), asLong(l.shared),
                                asSome(l.jobs), digits(l.lost, 3)])));
}

function clusterRow(c, met, i) {
    const j = c.jobs, m = met.get(i);
    const rival = m ? j.name[m.rival] || `job ${m.rival}` : null;
    return [j.name[i], String(j.gpus[i]), jobStates[j.state[i]],
            asLong(j.arrived[i]), asLong(j.queueing[i]),
            asLong(j.completion[i]), asCount(Math.floor(j.done[i])),
            asTime(j.iteration[i]),
            j.slowdown[i] ? digits(j.slowdown[i], 4) : "–",
            j.rho[i] ? digits(j.rho[i], 4) : "–",
            m ? el("span", {}, rival, el("small", {}, ` on ${m.link}, ` +
                `${asLong(m.from)} to ${asLong(m.to)}: ${asLong(m.lost, 3)}`))
              : "–"];
}

function showClusterJobs(run) {
    const c = run.cluster, j = c.jobs, PAGE = 50;
    const met = new Map(c.met.map(m => [m.job, m]));
    const all = j.name.map((_, i) => i), box = el("div", {});
    let from = 0, by = "slowdown", order = all;
    const head = ["job", "GPUs", "state", "came at", "waited", "took",
                  "iterations", "iteration", "slowdown", "rho",
                  "who cost it most"];
    function sort() {
        const key = j[by], value = i => key[i] === null ? -Infinity : key[i];
        order = by === "arrived" ? all : [...all].sort((a, b) =>
            value(b) - value(a) || a - b);
        from = 0;
        draw();
    }
    function draw() {
        box.replaceChildren(table(head, order.slice(from, from + PAGE).map(i =>
            clusterRow(c, met, i))));
    }
    const step = (text, n) => el("button", { type: "button", onclick: () => {
        from = Math.max(0, Math.min(order.length - 1, from + n));
        draw();
    } }, text);
    const choose = el("select", { "aria-label": "order of jobs",
        onchange: e => { by = e.target.value; sort(); } },
        [["slowdown", "the slowest against alone first"],
         ["queueing", "those that waited longest first"],
         ["completion", "those that took longest first"],
         ["rho", "the worst rho first"], ["arrived", "as they came"]]
            .map(([value, text]) => el("option", { value }, text)));
    sort();
    return section("What became of each job?",
        `${asCount(j.state.filter(s => s === 3).length)} of ` +
        `${asCount(all.length)} jobs are done` + (all.length < c.count
            ? ` (the first of ${asCount(c.count)})` : "") + ".",
        el("div", { class: "controls" }, choose,
           all.length > PAGE ? [step("earlier", -PAGE), step("more", PAGE)]
                             : []), box);
}

function tenantRow(t, i) {
    const own = t.quota[i] !== 4294967295, long = x => x > 0 ? asLong(x) : "0";
    return [t.name[i], own ? asCount(t.quota[i]) : "none",
            `${asCount(t.done[i])} of ${asCount(t.jobs[i])}`,
            long(t.queueing[i]), long(t.queueing_p99[i]),
            asLong(t.completion[i]), digits(t.slowdown[i], 4),
            digits(t.rho[i], 4), digits(t.jain[i], 3),
            digits(t.gpu_hours[i], 4), asShare(t.share[i]),
            own ? asShare(t.of_quota[i]) : "–", digits(t.borrowed[i], 3),
            digits(t.goodput[i], 4), asCount(t.preempted[i]),
            t.met[i] + t.missed[i]
                ? `${asCount(t.met[i])} of ${asCount(t.met[i] + t.missed[i])}`
                : "–"];
}

function showTenants(run) {
    const c = run.cluster, t = c.tenants;
    if (!t) return null;
    return section("What did each tenant get?",
        (t.name.length < c.tenant_count
            ? `The first ${asCount(t.name.length)} of ` +
              `${asCount(c.tenant_count)} tenants. ` : "") +
        "GPU time is given, whether it computes or not; goodput is what " +
        "iterations take alone, in GPU hours an hour.",
        table(["tenant", "quota", "jobs done", "waited", "99 % of them",
               "took", "slowdown", "rho", "Jain", "GPU hours", "of all",
               "of its quota", "borrowed, h", "goodput", "preempted",
               "deadlines met"], t.name.map((_, i) => tenantRow(t, i))));
}

function showCluster(run) {
    const c = run.cluster;
    return [
        el("p", { class: "answer" }, `queue ${c.queue}, placement ` +
           `${c.placement}, schedule ${c.schedule}, accuracy ${c.cluster}`),
        clusterFacts(run), showHoldings(run), showQueue(run), showSpread(run),
        showTenants(run), showContention(run), showClusterJobs(run),
    ];
}
