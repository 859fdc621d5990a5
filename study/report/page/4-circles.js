// ---- circles of a plan ------------------------------------------------------

// Time goes clockwise from the top; what a job asks for is as high as its share
// of the link's rate, one job's upon another's.
const CIRCLE = { width: 400, height: 400, inner: 62, outer: 176, full: 66,
                 most: 2000 };

function onCircle(turn, radius) {
    const a = 2 * Math.PI * turn;
    return (200 + radius * Math.sin(a)).toFixed(2) + " " +
           (200 - radius * Math.cos(a)).toFixed(2);
}

// A ring's sector, less than half of it; turns from 0 to 1.
function ringSector(from, to, inner, outer) {
    return `M${onCircle(from, inner)}A${inner} ${inner} 0 0 1 ` +
           `${onCircle(to, inner)}L${onCircle(to, outer)}` +
           `A${outer} ${outer} 0 0 0 ${onCircle(from, outer)}Z`;
}

// What a turn asks for at a time of the circle, when it is late by `shift`.
function turnRate(turn, shift, at) {
    const t = ((at - shift) % turn.period + turn.period) % turn.period;
    let rate = 0;
    turn.start.forEach((s, i) => {
        if (t >= s && t < turn.end[i]) rate += turn.rate[i];
    });
    return rate;
}

// Where any demand changes; evenly spaced where that is too often.
function circleCorners(c, shifts) {
    const laps = c.turns.map(t => Math.max(1, Math.round(c.perimeter /
                                                         t.period)));
    const all = c.turns.reduce((sum, t, i) =>
        sum + 2 * t.start.length * laps[i], 0);
    if (all > CIRCLE.most)
        return Array.from({ length: CIRCLE.most + 1 }, (_, i) =>
            c.perimeter * i / CIRCLE.most);
    const v = [0, c.perimeter];
    c.turns.forEach((t, i) => {
        for (let lap = 0; lap < laps[i]; lap++)
            for (const e of [...t.start, ...t.end])
                v.push((e + shifts[i] + lap * t.period) % c.perimeter);
    });
    v.sort((a, b) => a - b);
    return v.filter((x, i) => i === 0 || x - v[i - 1] > c.perimeter * 1e-9);
}

// Stacks of equal demand between two corners: [job, from, to, low, high].
function circleStacks(c, shifts, full) {
    const corners = circleCorners(c, shifts), out = [];
    for (let k = 1; k < corners.length; k++) {
        let low = CIRCLE.inner;
        const middle = (corners[k - 1] + corners[k]) / 2;
        c.turns.forEach((t, i) => {
            const share = turnRate(t, shifts[i], middle) / c.capacity;
            if (share <= 0) return;
            out.push({ turn: i, from: corners[k - 1] / c.perimeter,
                       to: corners[k] / c.perimeter, low,
                       high: low + share * full });
            low += share * full;
        });
        if (low > CIRCLE.inner + full * 1.001)
            out.push({ turn: -1, from: corners[k - 1] / c.perimeter,
                       to: corners[k] / c.perimeter,
                       low: CIRCLE.inner + full, high: low });
    }
    return out;
}

// Sectors of a quarter at most: an arc of more has two ways to go.
function sectorPath(s) {
    const parts = Math.max(1, Math.ceil((s.to - s.from) / 0.25));
    let d = "";
    for (let i = 0; i < parts; i++)
        d += ringSector(s.from + (s.to - s.from) * i / parts,
                        s.from + (s.to - s.from) * (i + 1) / parts, s.low,
                        s.high);
    return d;
}

// The name of a job once, where it asks for most.
function circleNames(run, c, stacks) {
    return c.turns.map((t, i) => {
        const mine = stacks.filter(s => s.turn === i);
        if (!mine.length) return null;
        const s = mine.reduce((a, b) => b.to - b.from > a.to - a.from ? b : a);
        if (s.to - s.from < 0.03 || s.high - s.low < 14) return null;
        const [x, y] = onCircle((s.from + s.to) / 2, (s.low + s.high) / 2)
            .split(" ");
        return svg("text", { x, y, "text-anchor": "middle",
                             "dominant-baseline": "central",
                             class: "on" },
                   short(run.jobs[t.job] ? run.jobs[t.job].name : "", 8));
    }).filter(x => x);
}

function drawCircle(run, c, shifts, full, what, score) {
    const stacks = circleStacks(c, shifts, full);
    const ring = (r, more) => svg("circle", Object.assign(
        { cx: 200, cy: 200, r, fill: "none" }, more));
    const words = (y, text) => svg("text", { x: 200, y,
        "text-anchor": "middle" }, text);
    return svg("svg", { viewBox: `0 0 ${CIRCLE.width} ${CIRCLE.height}`,
                        role: "img", class: "circle", tabindex: 0,
                        "aria-label": `${what}: score ${digits(score, 4)}` },
        svg("defs", {}, svg("pattern", { id: "above", width: 6, height: 6,
                patternUnits: "userSpaceOnUse",
                patternTransform: "rotate(45)" },
            svg("rect", { width: 2.5, height: 6, fill: css("--ink") }))),
        ring(CIRCLE.inner, { class: "axis" }),
        stacks.map(s => svg("path", { d: sectorPath(s), class: "sector",
            fill: s.turn < 0 ? "url(#above)" : hue(c.turns[s.turn].job) })),
        ring(CIRCLE.inner + full, { class: "rate" }),
        svg("path", { class: "rate", d: `M200 ${200 - CIRCLE.inner}v-10` }),
        circleNames(run, c, stacks),
        words(186, what), words(206, "score " + digits(score, 4)),
        words(226, asTime(c.perimeter)));
}

function circlePair(run, c) {
    // as high as all of them together may get
    const most = c.turns.reduce((sum, t) => sum + t.rate.reduce(
        (a, b) => Math.max(a, b), 0), 0) / c.capacity;
    const full = Math.min(CIRCLE.full, (CIRCLE.outer - CIRCLE.inner) /
                                       Math.max(most, 1e-9));
    const name = t => run.jobs[t.job] ? run.jobs[t.job].name : `job ${t.job}`;
    return el("div", {},
        el("h3", {}, `${c.link}, ${asRate(c.capacity)}` +
           (c.links > 1 ? `, and ${c.links - 1} more with the same jobs`
                        : "")),
        el("div", { class: "pair" },
           drawCircle(run, c, c.turns.map(() => 0), full, "at once", c.before),
           drawCircle(run, c, c.turns.map(t => t.shift), full, "as planned",
                      c.score)),
        el("div", { class: "legend" }, c.turns.map(t =>
            el("span", {}, swatch(hue(t.job)), `${name(t)}: every ` +
               `${asTime(t.period)}, delayed by ${asTime(t.shift)}`)),
           el("span", {}, "dashed: the link's rate; striped: above it")));
}

function showCircles(run) {
    const c = run.circles;
    if (!c || !c.list.length) return null;
    const worst = c.list[0];
    const left = c.groups - c.list.length;
    return section("Do the jobs take turns?",
        `Asked for above the rate of ${worst.link}: ` +
        `${asShare(Math.max(0, 1 - worst.before))} of what it can carry if ` +
        `all begin at once, ${asShare(Math.max(0, 1 - worst.score))} as ` +
        "planned (one turn of a circle is " + asTime(worst.perimeter) + ")" +
        (left > 0 ? `; the worst of ${c.groups} circles.` : "."),
        ...c.list.map(one => circlePair(run, one)));
}
