// ---- flows ------------------------------------------------------------------

function distribution(d, title, format, label) {
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

function showFlows(run) {
    const f = run.flows;
    if (!f) return null;
    const done = `${asCount(f.completed)} of ${asCount(f.count)} flows ended`;
    if (!f.fct) return section("How long did flows take?", done + ".");
    return section("How long did flows take?",
        `${done}: half within ${asTime(quantile(f.fct, 0.5))}, 99 % within ` +
        `${asTime(quantile(f.fct, 0.99))}` + (f.slowdown
            ? `; half at most ${digits(quantile(f.slowdown, 0.5), 3)} times ` +
              `as long as alone, 99 % at most ` +
              `${digits(quantile(f.slowdown, 0.99), 3)} times.` : "."),
        el("div", { class: "pair" },
           distribution(f.fct, "completion time", asTime,
                        "distribution of completion times"),
           f.slowdown ? distribution(f.slowdown, "slowdown",
                                     v => digits(v, 3),
                                     "distribution of slowdowns") : null),
        new Set(f.sizes).size > 1 ? slowdownBySize(f) : null);
}
