// ---- the page ---------------------------------------------------------------

function facts(run) {
    const list = [
        [asTime(run.sim_time), "simulated"],
        run.packet_hops === undefined ? null
            : [asCount(run.packet_hops), "packet-hops"],
        [run.seed, "seed"],
        run.fingerprint ? [run.fingerprint, "fingerprint"] : null,
    ];
    if (run.links && run.links.drops)
        list.push([asCount(run.links.drops.reduce((a, b) => a + b, 0)), "drops"],
                  [asCount(run.links.marks.reduce((a, b) => a + b, 0)),
                   "ECN marks"]);
    return el("ul", { class: "facts" }, list.filter(f => f).map(([value, what]) =>
        el("li", {}, el("b", {}, String(value)), el("span", {}, what))));
}

const states = {
    partial: "This run was stopped before its end: figures are of what there " +
             "was until then.",
    unfinished: "This run has not ended, or it was killed: only what had been " +
                "written by then is here.",
};

// Lines of a mark and what it says: below the figures that it makes doubtful.
const doubtMeans = {
    L: "lost", T: "timeouts", S: "stopped", Q: "not finished", I: "inferred",
    N: "note",
};

function showDoubt(run) {
    return (run.doubt || []).length
        ? el("ul", { class: "doubt" }, run.doubt.map(line =>
            el("li", {}, el("b", {}, doubtMeans[line[0]] || line[0]), " ",
               line.slice(2))))
        : null;
}

function showRun(run) {
    const selected = selection();
    unpackLinks(run);
    return [
        el("h1", {}, run.title || "run"),
        el("p", { class: "answer" }, `${run.file}, ${run.source || ""}`),
        run.status in states
            ? el("p", { class: "warn" }, states[run.status]) : null,
        run.cluster ? showCluster(run) : facts(run),
        showDoubt(run),
        showJobs(run),
        showGantt(run),
        showExplained(run),
        showCircles(run),
        showFlows(run),
        showSamples(run),
        showAdders(run),
        showTopology(run, selected),
        showHeat(run, selected),
        showSeries(run, selected),
        showBusiest(run, selected),
        run.config ? section("What was run?", run.history || "",
            el("details", {}, el("summary", {}, "the configuration, with " +
                                 "every default"),
               el("pre", {}, run.config))) : null,
    ];
}

function show() {
    const list = JSON.parse(document.getElementById("data").textContent);
    const page = document.getElementById("page");
    document.title = (list[0].title || "run") + " – orrery";
    const parts = list.length > 1 ? showSeveral(list)
        : list[0].run ? showRun(list[0]) : showStudy(list[0]);
    page.replaceChildren(...parts.flat(3).filter(x => x));
    document.body.append(tip);
}

show();
// colours are drawn in: another scheme is another picture
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    charts.splice(0).forEach(c => c.destroy());
    show();
});
