// ---- flows ------------------------------------------------------------------

// Nothing where all took the same: the sentence above has said it.
function distribution(d, title, format, label) {
    if (new Set(d.value).size < 2) return null;
    return chart({
        type: "line",
        data: { datasets: [{ data: d.value.map((x, i) => ({ x, y: d.share[i] })),
                             borderColor: hue(0), borderWidth: 1.8,
                             pointRadius: 0, stepped: true }] },
        options: {
            parsing: false,
            scales: {
                x: axis(title, format, { type: wide(d.value) ? "logarithmic"
                                                             : "linear" }),
                y: axis("share of flows", v => digits(v, 2),
                        { min: 0, max: 1 }),
            },
            plugins: { legend: { display: false } },
        },
    }, label);
}

function slowdownBySize(f) {
    const s = f.by_size, line = (key, i) => ({
        type: "line", label: key, borderColor: hue(i), backgroundColor: hue(i),
        borderDash: dash(i), pointRadius: 3, pointStyle: ["circle", "triangle",
                                                         "rect"][i],
        data: s.from.map((x, k) => ({ x: Math.max(1, x), y: s[key][k] })),
    });
    return chart({
        type: "scatter",
        data: { datasets: [line("p50", 0), line("p95", 1), line("p99", 5), {
            label: "a flow", pointRadius: 1.3, backgroundColor: css("--soft"),
            data: f.sizes.map((x, i) => ({ x, y: f.slowdowns[i] })) }] },
        options: {
            scales: {
                x: axis("size of the flow", asBytes,
                        { type: wide(f.sizes) ? "logarithmic" : "linear" }),
                y: axis("slowdown", v => digits(v, 3),
                        { type: wide(f.slowdowns) ? "logarithmic" : "linear" }),
            },
        },
    }, "slowdown of flows over their size");
}

// The smallest value with this share of the flows at or below it.
function quantile(d, share) {
    const i = d.share.findIndex(s => s >= share);
    return d.value[i < 0 ? d.value.length - 1 : i];
}

// How long flows took, and against what each would take alone.
function flowsInWords(f) {
    const times = share => asTime(quantile(f.fct, share));
    const slow = share => digits(quantile(f.slowdown, share), 3);
    if (new Set(f.fct.value).size < 2)
        return `${f.completed > 1 ? "each of them" : "it"} took ${times(1)}` +
            (f.slowdown ? `, ${slow(1)} times as long as alone.` : ".");
    return `half within ${times(0.5)}, 99 % within ${times(0.99)}` +
        (f.slowdown ? `; half at most ${slow(0.5)} times as long as alone, ` +
                      `99 % at most ${slow(0.99)} times.` : ".");
}

function showFlows(run) {
    const f = run.flows;
    if (!f) return null;
    const done = `${asCount(f.completed)} of ${asCount(f.count)} flows ended`;
    if (!f.fct) return section("How long did flows take?", done + ".");
    return section("How long did flows take?",
        `${done}: ${flowsInWords(f)}`,
        el("div", { class: "pair" },
           distribution(f.fct, "completion time", asTime,
                        "distribution of completion times"),
           f.slowdown ? distribution(f.slowdown, "slowdown",
                                     v => digits(v, 3),
                                     "distribution of slowdowns") : null),
        new Set(f.sizes).size > 1 ? slowdownBySize(f) : null);
}

// ---- samples of connections and ports ---------------------------------------

const firstOf = s => s.name.length < s.of
    ? `The first ${s.name.length} of ${asCount(s.of)} that were sampled.` : "";

// A line for each connection or port.
function sampleChart(s, lists, title, format, label, names) {
    return chart({
        type: "line",
        data: { datasets: lists.map((list, i) => ({
            label: names[i], borderColor: hue(i), backgroundColor: hue(i),
            borderDash: dash(i), borderWidth: 1.4, pointRadius: 0,
            data: list.map((y, k) => ({ x: s.time[k], y })) })) },
        options: {
            parsing: false,
            scales: { x: axis("time", asTime, { type: "linear" }),
                      y: axis(title, format, { beginAtZero: true }) },
            plugins: { legend: { display: lists.length > 1 } },
        },
    }, label);
}

function showSamples(run) {
    const f = run.flow_samples, p = run.port_samples;
    return [
        f ? section("How did connections do over time?", firstOf(f),
            el("div", { class: "multiples" },
               sampleChart(f, f.rate, "rate", asRate,
                           "rate of connections over time", f.name),
               sampleChart(f, f.cwnd, "cwnd", asBytes,
                           "congestion window over time", f.name),
               sampleChart(f, f.rtt, "RTT", asTime,
                           "round-trip time over time", f.name),
               f.jain.some(x => x !== null)
                   ? sampleChart(f, [f.jain], "Jain's index of the rates",
                                 v => digits(v, 2), "fairness over time",
                                 ["fairness"]) : null)) : null,
        p ? section("How long were the queues of ports?", firstOf(p),
            sampleChart(p, p.queue, "queue", asBytes,
                        "queues of ports over time", p.name)) : null,
    ];
}
