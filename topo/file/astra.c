/* ASTRA-sim's network files: JSON of the analytical backend 1.0 and YAML of
 * 2.x (both are read as YAML, which JSON is too). NPUs stand on a grid,
 * dimension 0 fastest; in each dimension the NPUs that differ in that digit
 * alone form a Ring, are FullyConnected, or hang on a Switch of their own.
 *
 * A bandwidth counts GiB/s for a link and direction. In 1.0 an NPU has several
 * links in a dimension; ASTRA-sim adds them up and knows one of their sum: all
 * of them (Switch), an even number (Ring), links / (n - 1) for each peer
 * (FullyConnected). nic-latency is passed twice by each message,
 * router-latency once in a Switch. Latencies may be 0 there; whether the
 * network that is simulated can do with that, it says itself. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/assert.h"
#include "core/units.h"
#include "topo/file/file.h"

enum { DIMS = ORR_SKETCH_DIMS };
enum shape { RING, FULL, SWITCH, SHAPES };
static const char *const shapes[] = {"Ring", "FullyConnected", "Switch", NULL};
static const char *const tiers[DIMS] = {
    "dimension 0", "dimension 1", "dimension 2", "dimension 3",
    "dimension 4", "dimension 5", "dimension 6", "dimension 7",
};

/* What the file says, in our units. */
struct network {
    struct orr_config *c;
    const struct orr_yaml *root;
    struct orr_report *why;
    uint32_t dims, npus;
    struct dim {
        enum shape shape;
        uint32_t size, stride;
        struct orr_line line;
    } dim[DIMS];
};

/* ---- reading ----------------------------------------------------------- */

/* The value of a key for dimension i, a scalar stands for a list of one. NULL
 * if there is none. */
static const struct orr_yaml *value_of_dim(const struct network *n,
                                           const char *key, uint32_t i)
{
    const struct orr_yaml *v = orr__yaml_get(n->root, key);
    if (v && orr__yaml_is_list(v))
        return i < orr__yaml_count(v) ? orr__yaml_item(v, i) : NULL;
    return i == 0 ? v : NULL;
}

/* A number within min and max, refused at its value, or where the key is if
 * there is none. */
static orr_err number(const struct network *n, const struct orr_yaml *v,
                      const char *key, double min, double max, double *out)
{
    const char *text = v ? orr__yaml_text(n->c, v) : NULL;
    char *end = NULL;
    *out = text ? strtod(text, &end) : NAN;
    if (!text || end == text || *end || !(*out >= min && *out <= max))
        return orr__yaml_fail(n->c, v ? v : orr__yaml_get(n->root, key), n->why,
                              "%s: a number from %.15g to %.15g is "
                              "expected for each dimension",
                              key, min, max);
    return ORR_OK;
}

static orr_err count_of_dim(const struct network *n, const char *key,
                            uint32_t i, double max, uint32_t *out)
{
    double x = 0;
    const struct orr_yaml *v = value_of_dim(n, key, i);
    orr_err err = number(n, v, key, 1, max, &x);
    if (!err && x != floor(x))
        return orr__yaml_fail(n->c, v, n->why, "%s: a whole number is expected",
                              key);
    *out = err ? 0 : (uint32_t)x;
    return err;
}

/* Ring, FullyConnected or Switch, as in both versions. */
static orr_err read_shape(struct network *n, const char *key, uint32_t i)
{
    const struct orr_yaml *v = value_of_dim(n, key, i);
    const char *text = v ? orr__yaml_text(n->c, v) : NULL;
    int shape = text ? orr__param_choice(shapes, text) : -1;
    if (shape < 0)
        return orr__yaml_fail(n->c, v ? v : n->root, n->why,
                              "%s: Ring, FullyConnected or Switch is "
                              "expected",
                              key);
    n->dim[i].shape = (enum shape)shape;
    return ORR_OK;
}

/* How many links' rates add up to that of the one that we draw. */
static orr_err read_links(struct network *n, uint32_t i, double *times)
{
    struct dim *d = &n->dim[i];
    uint32_t links = 0;
    orr_err err = count_of_dim(n, "links-count", i, 1e6, &links);
    uint32_t sum = d->shape == RING                  ? links / 2 * 2
                   : d->shape == FULL && d->size > 1 ? links / (d->size - 1)
                                                     : links;
    *times = sum;
    if (!err && sum == 0)
        return orr__yaml_fail(n->c, value_of_dim(n, "links-count", i), n->why,
                              "links-count: %u links are too few for a %s of "
                              "%u",
                              links, shapes[d->shape], d->size);
    return err;
}

/* Optional latencies of 1.0 that go onto every link. */
static orr_err read_more_latency(struct network *n, uint32_t i, double *ns)
{
    static const char *const keys[] = {"nic-latency", "router-latency"};
    for (int k = 0; k < 2; k++) {
        const struct orr_yaml *v = value_of_dim(n, keys[k], i);
        double x = 0;
        orr_err err = v ? number(n, v, keys[k], 0, 1e12, &x) : ORR_OK;
        if (err)
            return err;
        bool through = n->dim[i].shape == SWITCH;
        *ns += k ? through ? x / 2 : 0 : through ? x : 2 * x;
    }
    return ORR_OK;
}

/* All of one dimension. In 1.0 rate times links, and delays of NIC and router
 * added; rates are GiB/s, delays ns. */
static orr_err read_dim(struct network *n, bool old, uint32_t i)
{
    const char *rate_key = old ? "link-bandwidth" : "bandwidth";
    const char *delay_key = old ? "link-latency" : "latency";
    struct dim *d = &n->dim[i];
    double rate = 0, delay = 0, times = 1, more = 0;
    orr_err err = read_shape(n, old ? "topologies-per-dim" : "topology", i);
    if (!err)
        err = count_of_dim(n, old ? "units-count" : "npus_count", i, 1e6,
                           &d->size);
    if (!err && old)
        err = read_links(n, i, &times);
    if (!err)
        err =
            number(n, value_of_dim(n, rate_key, i), rate_key, 1e-6, 1e6, &rate);
    if (!err)
        err = number(n, value_of_dim(n, delay_key, i), delay_key, 0, 1e12,
                     &delay);
    if (!err && old)
        err = read_more_latency(n, i, &delay);
    if (err)
        return err;
    const struct orr_yaml *scale = value_of_dim(n, "hbm-scale", i);
    err = scale ? number(n, scale, "hbm-scale", 0, 1e12, &more) : ORR_OK;
    if (err)
        return err;
    if (more > 0)
        return orr__yaml_fail(n->c, scale, n->why,
                              "hbm-scale: memory that takes longer than the "
                              "network is not modelled");
    rate *= times * 8 * 1073741824.0;
    /* those of a node to all others of its dimension add up to 64 bits */
    if (rate > 0x1p62 / d->size)
        return orr__yaml_fail(
            n->c, value_of_dim(n, rate_key, i), n->why,
            "%s: links of %.4g bit/s between %u NPUs are too fast for 64 bits",
            rate_key, rate, d->size);
    d->line = (struct orr_line){
        .rate_bps = (uint64_t)(rate + 0.5),
        .delay_ps = (int64_t)(delay * 1e3 + 0.5),
    };
    return ORR_OK;
}

/* 2.x wants lists of one length. 1.0 reads as many values of each as
 * dimensions-count says and leaves the rest. */
static orr_err read_dims(struct network *n, bool old)
{
    static const char *const keys[] = {"npus_count", "bandwidth", "latency"};
    const struct orr_yaml *v = orr__yaml_get(n->root, "dimensions-count");
    uint32_t listed = n->dims;
    orr_err err = old && v
                      ? count_of_dim(n, "dimensions-count", 0, DIMS, &n->dims)
                      : ORR_OK;
    if (!err && n->dims > listed)
        return orr__yaml_fail(n->c, v, n->why,
                              "dimensions-count: %u, but topologies-per-dim "
                              "lists %u",
                              n->dims, listed);
    for (int k = 0; !err && !old && k < 3; k++) {
        v = orr__yaml_get(n->root, keys[k]);
        if (v && orr__yaml_is_list(v) && orr__yaml_count(v) > n->dims)
            err = orr__yaml_fail(n->c, orr__yaml_item(v, n->dims), n->why,
                                 "%s: %zu values for %u dimension%s", keys[k],
                                 orr__yaml_count(v), n->dims,
                                 n->dims == 1 ? "" : "s");
    }
    return err;
}

/* The version shows by the key of the shapes. Strides grow with the dimensions,
 * dimension 0 fastest. */
static orr_err read_network(struct network *n)
{
    bool old = orr__yaml_get(n->root, "topologies-per-dim") != NULL;
    const char *key = old ? "topologies-per-dim" : "topology";
    const struct orr_yaml *list = orr__yaml_get(n->root, key);
    uint64_t npus = 1;
    if (!list)
        return orr__yaml_fail(n->c, n->root, n->why,
                              "neither topology nor topologies-per-dim is "
                              "there: not a network file of ASTRA-sim");
    n->dims = orr__yaml_is_list(list) ? (uint32_t)orr__yaml_count(list) : 1;
    if (n->dims == 0 || n->dims > DIMS)
        return orr__yaml_fail(n->c, list, n->why,
                              "%s: 1 to %d dimensions are expected", key, DIMS);
    orr_err err = read_dims(n, old);
    for (uint32_t i = 0; !err && i < n->dims; i++) {
        err = read_dim(n, old, i);
        if (err)
            return err;
        n->dim[i].stride = (uint32_t)npus;
        npus *= n->dim[i].size;
        if (npus > 100000000)
            return orr__yaml_fail(n->c, list, n->why,
                                  "more than 100,000,000 NPUs");
    }
    n->npus = (uint32_t)npus;
    return err;
}

/* ---- drawing ----------------------------------------------------------- */

/* Of all dimensions; one of a single NPU has none. */
static uint64_t cables_of(const struct network *n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n->dims; i++) {
        uint64_t size = n->dim[i].size, groups = n->npus / size;
        ORR_ASSERT(groups * size == n->npus);
        uint64_t each = n->dim[i].shape == SWITCH ? size
                        : n->dim[i].shape == FULL ? size * (size - 1) / 2
                        : size == 2               ? 1
                                                  : size;
        sum += size > 1 ? groups * each : 0;
    }
    return sum;
}

/* The group of NPUs base, base + stride, ... */
static orr_err draw_group(struct orr_sketch *s, const struct network *n,
                          uint32_t i, uint32_t base, uint32_t hub)
{
    const struct dim *d = &n->dim[i];
    orr_err err = ORR_OK;
    for (uint32_t k = 0; !err && k < d->size; k++) {
        uint32_t a = base + k * d->stride;
        if (d->shape == SWITCH)
            err = orr__sketch_cable(s, a, hub, tiers[i], &d->line, n->why);
        else if (d->shape == RING && (d->size > 2 || k == 0))
            err = orr__sketch_cable(s, a, base + (k + 1) % d->size * d->stride,
                                    tiers[i], &d->line, n->why);
        for (uint32_t m = k + 1; d->shape == FULL && !err && m < d->size; m++)
            err = orr__sketch_cable(s, a, base + m * d->stride, tiers[i],
                                    &d->line, n->why);
    }
    return err;
}

/* NPUs, then hubs as they come, with the number of their dimension as level;
 * each group is drawn from its NPU of digit 0. */
static orr_err draw_network(struct orr_sketch *s, const struct network *n)
{
    bool forward = n->dims > 1 || n->dim[0].shape != SWITCH;
    uint64_t hubs = 0;
    for (uint32_t i = 0; i < n->dims; i++)
        if (n->dim[i].shape == SWITCH)
            hubs += n->npus / n->dim[i].size;
    orr_err err = orr__sketch_reserve(s, n->npus + hubs, cables_of(n), n->why);
    for (uint32_t i = 0; !err && i < n->npus; i++) {
        err = orr__sketch_node(s, true, n->why);
        if (!err)
            s->node[s->nodes - 1].forward = forward;
    }
    for (uint32_t i = 0; !err && i < n->dims; i++) {
        const struct dim *d = &n->dim[i];
        ORR_ASSERT(d->size > 0 && n->npus % d->size == 0);
        for (uint32_t a = 0; !err && a < n->npus; a++) {
            if (d->size == 1 || a / d->stride % d->size)
                continue;
            uint32_t hub = s->nodes;
            if (d->shape == SWITCH) {
                err = orr__sketch_node(s, false, n->why);
                if (!err)
                    s->node[hub].level = (uint8_t)(i + 1);
            }
            if (!err)
                err = draw_group(s, n, i, a, hub);
        }
        s->dim[i] = d->size;
        s->dim_bps[i] = d->line.rate_bps * (d->shape == FULL ? d->size - 1 : 1);
    }
    s->dims = n->dims;
    return err;
}

/* JSON is YAML, so our reader takes both. Errors of syntax have a place in that
 * file; others that of `topology.file`. */
static orr_err read_astra(struct orr_sketch *s, struct orr_report *why)
{
    struct network n = {.why = why};
    struct orr_report inner = {0};
    orr_err err = orr__config_load(s->path, &n.c, &inner);
    if (err) {
        if (inner.line == 0 && err != ORR_ENOMEM)
            return orr__sketch_fail(s, why, "%s", inner.message);
        if (why && why->code == ORR_OK)
            *why = inner;
        return err;
    }
    n.root = orr__config_root(n.c);
    err = read_network(&n);
    if (!err)
        err = draw_network(s, &n);
    orr__config_free(n.c);
    return err;
}

extern const struct orr_topology_format_ops orr__topology_format_astra;
const struct orr_topology_format_ops orr__topology_format_astra = {
    .name = "astra",
    .doc = "ASTRA-sim's network file, JSON (1.0) or YAML (2.x): Ring, "
           "FullyConnected or Switch in each dimension.",
    .read = read_astra,
};
