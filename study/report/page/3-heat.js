// ---- the heat map of links --------------------------------------------------

// As wide as there are bins, and as tall as it is shown: rows stay sharp while
// bins may be made one.
function heatImage(l, rows, high) {
    const flat = el("canvas", { width: l.bins, height: rows });
    const tall = el("canvas", { width: l.bins, height: rows * high });
    const image = new ImageData(l.bins, rows), colour = [];
    for (let v = 0; v < 256; v++) colour.push([...loadColour(v / 255), 255]);
    for (let i = 0; i < rows * l.bins; i++)
        image.data.set(colour[l.cells[i]], 4 * i);
    flat.getContext("2d").putImageData(image, 0, 0);
    const g = tall.getContext("2d");
    g.imageSmoothingEnabled = false;
    g.drawImage(flat, 0, 0, l.bins, rows * high);
    return tall.toDataURL();
}

// The first bin that ends after t.
function binAt(l, t) {
    let low = 0, high = l.bins - 1;
    while (low < high) {
        const middle = low + high >> 1;
        if (l.times[middle + 1] > t) high = middle;
        else low = middle + 1;
    }
    return low;
}

// Names of rows, as many as have room, and of the one that is chosen.
function heatNames(l, rows, high, chosen) {
    const every = Math.ceil(13 / high), out = [];
    for (let row = 0; row < rows; row++) {
        if (row !== chosen && (row % every ||
                               Math.abs(row - chosen) * high < 13)) continue;
        out.push(svg("text", { x: LEFT - 6, "text-anchor": "end",
                               y: (row + 0.5) * high + 4,
                               class: row === chosen ? "chosen" : "soft" },
                     short(linkName(l, row), 24)));
    }
    return out;
}

function showHeat(run, selected) {
    const l = run.links;
    if (!l || !l.times || !l.rows) return null;
    const rows = l.rows, high = Math.max(2, Math.min(16, Math.floor(640 / rows)));
    const tall = rows * high, url = heatImage(l, rows, high);
    const picture = svg("svg", { class: "heat", tabindex: 0, role: "img",
        width: "100%", viewBox: `0 -6 ${WIDTH + 30} ${tall + 30}`,
        "aria-label": "utilization of each link over time; arrows up and down choose " +
                      "a link, plus and minus zoom, the other arrows move" });
    // bins are equally long, but for the last one, which is cut off
    const bins = t => {
        const b = binAt(l, t);
        return b + Math.min(1, (t - l.times[b]) / (l.times[1] - l.times[0]));
    };
    function draw() {
        const { t0, t1 } = part, from = bins(t0), wide = bins(t1) - from;
        const axis = svg("g", {}), x = t => LEFT + (t - t0) / (t1 - t0) *
                                                   (WIDTH - LEFT);
        timeAxis(axis, x, t0, t1, tall);
        const image = svg("image", { href: url, width: l.bins, height: tall,
                                     preserveAspectRatio: "none",
            style: wide < 900 ? "image-rendering:pixelated" : null });
        const row = Math.min(rows - 1, selected.row);
        picture.replaceChildren(axis,
            svg("svg", { x: LEFT, width: WIDTH - LEFT, height: tall,
                         viewBox: `${from} 0 ${wide} ${tall}`,
                         preserveAspectRatio: "none" }, image),
            svg("rect", { class: "chosen", x: LEFT, y: row * high,
                          width: WIDTH - LEFT, height: high }),
            ...heatNames(l, rows, high, row));
    }
    const part = lens(l.times[0], l.times[l.bins], draw);
    const spot = e => {
        const box = picture.getBoundingClientRect(), scale = (WIDTH + 30) /
                                                             box.width;
        const x = (e.clientX - box.left) * scale, y = (e.clientY - box.top) *
                                                      scale - 6;
        return [Math.max(0, Math.min(rows - 1, Math.floor(y / high))),
                part.t0 + (x - LEFT) / (WIDTH - LEFT) * (part.t1 - part.t0)];
    };
    part.listen(picture, e => spot(e)[1]);
    picture.addEventListener("click", e => selected.choose(spot(e)[0]));
    picture.addEventListener("mousemove", e => {
        const [row, t] = spot(e), bin = binAt(l, t);
        if (t < part.t0 || t > part.t1) hideTip();
        else showTip(e, `${linkName(l, row)}, ${asTime(l.times[bin])}: ` +
                        asShare(l.cells[row * l.bins + bin] / 255));
    });
    picture.addEventListener("mouseleave", hideTip);
    picture.addEventListener("keydown", e => {
        const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
        if (!step) return;
        e.preventDefault();
        selected.choose(Math.max(0, Math.min(rows - 1, selected.row + step)));
    });
    selected.listen(draw);
    draw();
    const full = l.busy.filter(b => b > 0.9 * l.whole).length;
    return section("When were links busy?",
        (rows < l.columns ? `The ${rows} busiest of ${asCount(l.columns)} links`
                          : `All ${rows} links`) +
        `, the busiest on top, from ${asTime(l.times[0])} to ` +
        `${asTime(l.times[l.bins])}. ` + (full
            ? `${full} of them more than 90 % of the time. `
            : "None of them more than 90 % of the time. ") + zoomWords,
        el("div", { class: "controls" }, loadLegend(), part.buttons()),
        picture);
}
