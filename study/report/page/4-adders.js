// ---- switches that add ------------------------------------------------------

const adderColumns = [
    ["summed", "packets added up"], ["results", "results"],
    ["most_slots", "slots, most"], ["mean_slots", "mean"],
    ["no_slots", "found no slot"], ["collisions", "collisions"],
    ["evictions", "evictions"], ["duplicates", "duplicates"],
    ["fallen_back", "fell back"],
];
const mostAdders = 20;

function nodeName(run, node) {
    const names = run.topology && run.topology.name;
    return names && names[node] ? names[node] : `node ${node}`;
}

// What went otherwise than by a slot, in all.
function addersInWords(a) {
    const sum = key => a[key].reduce((x, y) => x + y, 0);
    const odd = [["no_slots", "found no slot"], ["collisions", "collisions"],
                 ["evictions", "evictions"], ["duplicates", "duplicates"],
                 ["fallen_back", "results fell back to a host"]]
        .filter(([key]) => sum(key) > 0)
        .map(([key, what]) => `${asCount(sum(key))} ${what}`);
    return `${asCount(sum("summed"))} packets were added up, ` +
        `${asCount(sum("results"))} results went down` +
        (odd.length ? `; ${odd.join(", ")}.` : ".");
}

function showAdders(run) {
    const a = run.adders;
    if (!a || !a.node.length) return null;
    const lines = a.lines || [];
    const order = a.node.map((_, i) => i)
        .sort((i, k) => a.mean_slots[k] - a.mean_slots[i]).slice(0, mostAdders);
    const cell = (key, i) => key === "mean_slots" ? digits(a[key][i], 3)
                                                  : asCount(a[key][i]);
    return section("How many slots of switches were in use?", addersInWords(a),
        lines.length ? chart({
            type: "line",
            data: { datasets: lines.map((l, i) => ({
                label: nodeName(run, l.node), borderColor: hue(i),
                backgroundColor: hue(i), borderDash: dash(i), borderWidth: 1.4,
                pointRadius: 0, stepped: "after",
                data: l.slots.map((y, k) => ({ x: l.time[k], y })) })) },
            options: {
                parsing: false,
                scales: { x: axis("time", asTime, { type: "linear" }),
                          y: axis("slots in use", v => digits(v, 3),
                                  { beginAtZero: true }) },
                plugins: { legend: { display: lines.length > 1 } },
            },
        }, "slots of switches in use over time") : null,
        table(["switch", ...adderColumns.map(c => c[1])],
              order.map(i => [nodeName(run, a.node[i]),
                              ...adderColumns.map(c => cell(c[0], i))])),
        a.node.length > mostAdders
            ? el("p", {}, `The first ${mostAdders} of ${asCount(a.node.length)}.`)
            : null);
}
