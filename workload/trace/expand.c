#include "workload/trace/expand.h"

#include <string.h>

#include "core/memory.h"
#include "core/units.h"

/* What ASTRA-sim 1.0 fixes the rate of its memory to, in bytes for a
 * nanosecond. */
#define OLD_MEMORY 500000.0
/* What 2.x charges in groups whatever the endpoint delay is, in ns. */
#define GROUP_ENDPOINT_NS 10.0
#define MOST_RELAYED 2896 /* members: n (n - 1) / 2 < ORR_MAX_STEPS */

/* ---- the grid ----------------------------------------------------------- */

void orr__grid_of(const struct orr_graph *g, uint32_t ranks,
                  struct orr_grid *out)
{
    uint64_t product = 1;
    for (uint32_t i = 0; g && i < g->n_dims; i++)
        product *= g->dims[i];
    *out = (struct orr_grid){.n = 1, .size = {ranks}};
    if (!g || g->n_dims == 0 || g->n_dims > ORR_ASTRA_DIMS - 1 ||
        product != ranks)
        return;
    out->n = g->n_dims;
    for (uint32_t i = 0; i < g->n_dims; i++)
        out->size[i] = g->dims[i];
    for (uint32_t i = g->out_off[0]; i < g->out_off[1]; i++) {
        uint32_t l = g->out_link[i];
        uint8_t dim = g->tier[l];
        if (dim < out->n && !out->rate_bps[dim])
            out->rate_bps[dim] = g->rate_bps[l];
    }
}

static void split_how(struct orr_astra_per_dim *d, uint32_t at)
{
    if (at >= d->n || d->n == ORR_ASTRA_DIMS)
        return;
    memmove(&d->dim[at + 1], &d->dim[at], (d->n - at) * sizeof d->dim[0]);
    d->n++;
}

uint32_t orr__grid_split(struct orr_grid *g, struct orr_astra_system *s,
                         uint32_t n)
{
    uint32_t below = 1;
    if (n == 1)
        return 0;
    for (uint32_t i = 0; i < g->n; below *= g->size[i++]) {
        uint64_t with = (uint64_t)below * g->size[i];
        if (with == n)
            return i + 1;
        if (with < n)
            continue;
        if (g->n == ORR_ASTRA_DIMS || n % below || g->size[i] % (n / below))
            return 0;
        memmove(&g->size[i + 1], &g->size[i], (g->n - i) * sizeof g->size[0]);
        memmove(&g->rate_bps[i + 1], &g->rate_bps[i],
                (g->n - i) * sizeof g->rate_bps[0]);
        g->n++;
        g->size[i] = n / below;
        g->size[i + 1] /= n / below;
        split_how(&s->all_reduce, i);
        split_how(&s->all_gather, i);
        split_how(&s->reduce_scatter, i);
        split_how(&s->all_to_all, i);
        return i + 1;
    }
    return 0;
}

static uint32_t stride_of(const struct orr_grid *g, uint32_t dim)
{
    uint32_t stride = 1;
    for (uint32_t i = 0; i < dim; i++)
        stride *= g->size[i];
    return stride;
}

/* ---- operations --------------------------------------------------------- */

orr_err orr__expander_init(struct orr_expander *x, struct orr_program *p,
                           const struct orr_astra_system *s,
                           const struct orr_grid *grid, uint32_t queues,
                           uint32_t first_stream, struct orr_report *why)
{
    *x = (struct orr_expander){
        .p = p, .sys = *s, .grid = *grid, .queues = queues,
        .first_stream = first_stream, .why = why};
    uint32_t slots = (s->active + queues - 1) / queues;
    for (uint32_t i = first_stream; i < orr__expander_streams(x); i++) {
        orr_err e = orr__program_slots(p, i, slots, why);
        if (e)
            return e;
    }
    return ORR_OK;
}

void orr__expander_restart(struct orr_expander *x)
{
    memset(x->next_queue, 0, sizeof x->next_queue);
    memset(x->next_up, 0, sizeof x->next_up);
    memset(x->next_back, 0, sizeof x->next_back);
    x->turn = 0;
    x->issued = 0;
}

void orr__expander_fini(struct orr_expander *x)
{
    orr__free(x->phase);
}

uint32_t orr__expander_streams(const struct orr_expander *x)
{
    return x->first_stream + x->grid.n * x->queues;
}

static orr_err join(struct orr_expander *x, uint32_t before, uint32_t after)
{
    return before == ORR_NO_OP ? ORR_OK
                               : orr__program_depend(x->p, before, after,
                                                     x->why);
}

static orr_err note_phase(struct orr_expander *x, uint32_t op, uint32_t dim)
{
    if (x->phases == x->phase_room) {
        uint32_t more = x->phase_room * 2 + 64;
        struct orr_phase *p = orr__resize(x->phase, more, sizeof *p);
        if (!p)
            return orr__no_memory(x->why);
        x->phase = p;
        x->phase_room = more;
    }
    x->phase[x->phases++] = (struct orr_phase){op, (uint8_t)dim};
    return ORR_OK;
}

/* A chunk on its way through the phases. */
struct chunk {
    uint64_t bytes;
    uint32_t last; /* operation */
    int32_t priority;
    const struct orr_issue *what;
    uint32_t chunks; /* 1 unless `whole` */
};

static const struct orr_astra_per_dim *how_of(const struct orr_expander *x,
                                              enum orr_collective_kind k)
{
    return k == ORR_ALL_REDUCE       ? &x->sys.all_reduce
           : k == ORR_REDUCE_SCATTER ? &x->sys.reduce_scatter
           : k == ORR_ALL_GATHER     ? &x->sys.all_gather
                                     : &x->sys.all_to_all;
}

/* The algorithm of ours that does what theirs does. */
static const struct orr_collective_ops *ops_of(enum orr_collective_kind k,
                                               uint8_t how, uint32_t n)
{
    const char *name = how == ORR_ASTRA_RING     ? "ring"
                       : how == ORR_ASTRA_DIRECT ? "direct"
                                                 : NULL;
    if (how == ORR_ASTRA_HALVING)
        name = k == ORR_ALL_REDUCE       ? "halving-doubling"
               : k == ORR_REDUCE_SCATTER ? "halving"
               : k == ORR_ALL_GATHER     ? "doubling"
                                         : "direct";
    if (how == ORR_ASTRA_TREES)
        name = k == ORR_ALL_REDUCE ? "double-tree" : "ring";
    if (k == ORR_ALL_TO_ALL && how == ORR_ASTRA_RING && n <= MOST_RELAYED)
        name = "relay"; /* a piece in each message */
    return orr__collective_find(k, name);
}

static uint64_t memory_of(const struct orr_expander *x)
{
    if (x->sys.memory_gbps > 0)
        return (uint64_t)(x->sys.memory_gbps * 8e9);
    return x->sys.json ? 0 : (uint64_t)(OLD_MEMORY * 8e9);
}

/* The next of the queues [from, to), in turn. */
static uint32_t take_turn(uint32_t *next, uint32_t from, uint32_t to)
{
    uint32_t queue = from + *next;
    *next = from + *next + 1 < to ? *next + 1 : 0;
    return queue;
}

/* A queue of a dimension and which way round its rings go. In 2.x the way up
 * of an all-reduce takes the lower half of the queues and the way back the
 * upper one, so that neither waits for the other. */
static uint32_t next_queue(struct orr_expander *x, const struct chunk *c,
                           enum orr_collective_kind kind, uint32_t dim,
                           int *direction)
{
    uint32_t half = x->queues / 2, queue;
    bool halves = x->sys.json && c->what->kind == ORR_ALL_REDUCE &&
                  !x->sys.baseline;
    if (halves && kind == ORR_ALL_GATHER) {
        *direction = ORR_BACKWARD;
        return take_turn(&x->next_back[dim], half, x->queues);
    }
    *direction = ORR_FORWARD;
    if (halves)
        return take_turn(&x->next_up[dim], 0, half ? half : 1);
    queue = take_turn(&x->next_queue[dim], 0, x->queues);
    if (x->queues > 1 && queue >= half)
        *direction = ORR_BACKWARD;
    return queue;
}

/* One phase of a chunk on a dimension of n NPUs. */
static orr_err phase(struct orr_expander *x, struct chunk *c,
                     enum orr_collective_kind kind, uint32_t dim, uint32_t n,
                     uint32_t stride, uint8_t how)
{
    bool own = x->sys.json && c->what->group != ORR_EVERYONE;
    double endpoint = own ? GROUP_ENDPOINT_NS : x->sys.endpoint_ns;
    struct orr_call call = {
        .c = {.ops = ops_of(kind, how, n), .n = n},
        .bytes = c->bytes,
        .chunks = c->chunks,
        .concurrent = c->chunks > 1 ? x->sys.active : 1,
        .endpoint_delay_ps = (int64_t)(endpoint * ORR_NS),
        .memory_bps = memory_of(x),
        .memory = how == ORR_ASTRA_HALVING ? ORR_MEMORY_HALVES
                                           : ORR_MEMORY_WHOLE_NS,
        .hasty = true,
        .group = c->what->group,
        .stride = stride,
    };
    uint32_t queue = next_queue(x, c, kind, dim, &call.c.direction);
    struct orr_op op = {
        .kind = ORR_OP_COLLECTIVE,
        .holds = true,
        .stream = (uint16_t)(x->first_stream + dim * x->queues + queue),
        .priority = c->priority,
        .who = ORR_EVERYONE,
    };
    uint32_t id;
    orr_err e = ORR_OK;
    if (x->reuse != ORR_NO_OP)
        op.index = x->reuse++;
    else
        e = orr__program_call(x->p, &call, NULL, &op.index, x->why);
    if (!e)
        e = orr__program_add(x->p, &op, &id, x->why);
    if (!e)
        e = join(x, c->last, id);
    if (!e)
        e = note_phase(x, id, dim);
    if (e)
        return e;
    c->last = id;
    if (kind == ORR_REDUCE_SCATTER)
        c->bytes /= n;
    else if (kind == ORR_ALL_GATHER)
        c->bytes *= n;
    return ORR_OK;
}

static bool takes_part(const struct orr_expander *x,
                       const struct orr_issue *what, uint32_t dim)
{
    /* 2.x leaves out dimensions that the system file has no algorithm for */
    return x->grid.size[dim] > 1 && what->involved >> dim & 1 &&
           (!x->sys.json || dim < how_of(x, what->kind)->n);
}

static orr_err on_dim(struct orr_expander *x, struct chunk *c,
                      enum orr_collective_kind kind, uint32_t dim)
{
    if (!takes_part(x, c->what, dim))
        return ORR_OK;
    const struct orr_astra_per_dim *d = how_of(x, c->what->kind);
    uint8_t how = d->dim[dim < d->n ? dim : d->n - 1].how;
    return phase(x, c, kind, dim, x->grid.size[dim], stride_of(&x->grid, dim),
                 how);
}

/* ---- the order of dimensions -------------------------------------------- */

/* Themis: the dimension that has had the least to do takes the chunk while it
 * is largest. Balanced loads keep the plain order. Loads count the bytes that
 * an NPU sends there, weighed by the dimension's rate. */
static void themis(const struct orr_expander *x, const struct orr_issue *what,
                   uint64_t bytes, uint64_t chunk, double *load,
                   uint32_t *order)
{
    uint32_t n = x->grid.n;
    bool gather = what->kind == ORR_ALL_GATHER;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = i;
        for (; at && load[order[at - 1]] > load[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    uint32_t first = 0, last = n - 1;
    while (first < last && !takes_part(x, what, order[first]))
        first++;
    while (gather && last > first && !takes_part(x, what, order[last]))
        last--;
    double rate0 = x->grid.rate_bps[0] ? (double)x->grid.rate_bps[0] : 1;
    uint32_t d = order[first];
    double rate = x->grid.rate_bps[d] ? (double)x->grid.rate_bps[d] : rate0;
    double share = gather ? x->grid.size[d] - 1.0
                          : (x->grid.size[d] - 1.0) / x->grid.size[d];
    double gap = (load[order[last]] - load[d]) * rate / rate0 / share;
    if (gap < (double)chunk / 16)
        for (uint32_t i = 0; i < n; i++)
            order[i] = gather ? n - 1 - i : i;
    else if (gather)
        for (uint32_t i = 0; i < n / 2; i++) {
            uint32_t t = order[i];
            order[i] = order[n - 1 - i];
            order[n - 1 - i] = t;
        }
    double b = (double)bytes;
    for (uint32_t i = 0; i < n; i++) {
        d = order[i];
        if (!takes_part(x, what, d))
            continue;
        rate = x->grid.rate_bps[d] ? (double)x->grid.rate_bps[d] : rate0;
        double size = x->grid.size[d];
        load[d] += b * (gather ? size - 1 : (size - 1) / size) * rate0 / rate;
        b = gather ? b * size : b / size;
    }
}

/* All phases of one chunk; order: of the dimensions. */
static orr_err phases(struct orr_expander *x, struct chunk *c,
                      const uint32_t *order)
{
    enum orr_collective_kind kind = c->what->kind;
    uint32_t n = x->grid.n, top = n;
    orr_err e = ORR_OK;
    if (kind != ORR_ALL_REDUCE || x->sys.baseline) {
        for (uint32_t i = 0; !e && i < n; i++)
            e = on_dim(x, c, kind, order[i]);
        return e;
    }
    /* up by reduce-scatter, back by all-gather; on the last dimension both at
     * once, unless Themis orders them */
    if (x->sys.between != ORR_ASTRA_THEMIS)
        for (top = n - 1; top > 0 && !takes_part(x, c->what, order[top]);)
            top--;
    for (uint32_t i = 0; !e && i < top; i++)
        e = on_dim(x, c, ORR_REDUCE_SCATTER, order[i]);
    if (!e && top < n)
        e = on_dim(x, c, ORR_ALL_REDUCE, order[top]);
    for (uint32_t i = top; !e && i-- > 0;)
        e = on_dim(x, c, ORR_ALL_GATHER, order[i]);
    return e;
}

static int32_t next_priority(struct orr_expander *x,
                             const struct orr_issue *what)
{
    if (what->highest)
        return 100000000;
    x->issued++;
    if (x->sys.explicit)
        return what->priority;
    return x->sys.fifo ? -x->issued : x->issued;
}

/* ---- collectives -------------------------------------------------------- */

/* A group of its own, or one algorithm over all dimensions: one phase. */
static orr_err one_phase(struct orr_expander *x, struct chunk *c, uint8_t how)
{
    uint32_t n = c->what->group == ORR_EVERYONE
                     ? x->p->ranks
                     : x->p->group[c->what->group].n;
    return n > 1 ? phase(x, c, c->what->kind, 0, n, 0, how) : ORR_OK;
}

static uint32_t dims_involved(const struct orr_expander *x,
                              const struct orr_issue *what, uint32_t *dim)
{
    uint32_t n = 0;
    for (uint32_t i = x->grid.n; i-- > 0;)
        if (takes_part(x, what, i)) {
            *dim = i;
            n++;
        }
    return n;
}

/* Nothing contends and one dimension takes part: its chunks are chunks of one
 * call. */
static bool as_whole(const struct orr_expander *x,
                     const struct orr_issue *what, uint64_t chunk)
{
    uint32_t dim;
    return what->whole && x->queues == 1 && what->bytes % chunk == 0 &&
           what->bytes / chunk <= ORR_MAX_CHUNKS &&
           (what->group != ORR_EVERYONE ||
            dims_involved(x, what, &dim) == 1);
}

static orr_err expand_chunk(struct orr_expander *x, struct chunk *c,
                            uint64_t chunk, double *load)
{
    const struct orr_issue *what = c->what;
    const struct orr_astra_per_dim *d = how_of(x, what->kind);
    uint32_t order[ORR_ASTRA_DIMS];
    /* in 2.x groups know rings only */
    if (what->group != ORR_EVERYONE)
        return one_phase(x, c, x->sys.json ? ORR_ASTRA_RING : d->dim[0].how);
    if (d->dim[0].one)
        return one_phase(x, c, d->dim[0].how);
    for (uint32_t i = 0; i < x->grid.n; i++)
        order[i] = what->kind == ORR_ALL_GATHER ? x->grid.n - 1 - i : i;
    if (x->sys.between == ORR_ASTRA_ROUND_ROBIN) {
        for (uint32_t i = 0; i < x->grid.n; i++)
            order[i] = (i + x->turn) % x->grid.n;
        x->turn = (x->turn + 1) % x->grid.n;
    } else if (x->sys.between == ORR_ASTRA_THEMIS &&
               what->kind != ORR_ALL_TO_ALL) {
        themis(x, what, c->bytes, chunk, load, order);
    }
    return phases(x, c, order);
}

/* Bytes of a chunk. 2.x makes what is too small for its NPUs larger, and its
 * last chunk as large as the others. */
static uint64_t cut(const struct orr_expander *x, struct orr_issue *what)
{
    uint64_t chunk = what->bytes / x->sys.splits;
    if (!x->sys.json)
        return chunk ? chunk : what->bytes;
    if (what->kind != ORR_ALL_GATHER && x->p->ranks > chunk) {
        chunk = x->p->ranks;
        what->bytes = chunk * x->sys.splits;
    }
    chunk = chunk ? chunk : 1;
    what->bytes = (what->bytes + chunk - 1) / chunk * chunk;
    return chunk;
}

orr_err orr__expand(struct orr_expander *x, const struct orr_issue *issue,
                    uint32_t *done)
{
    uint32_t dim, id;
    double load[ORR_ASTRA_DIMS] = {0};
    struct orr_issue own = *issue, *what = &own;
    *done = ORR_NO_OP;
    if (what->bytes == 0 || (what->group == ORR_EVERYONE &&
                             dims_involved(x, what, &dim) == 0))
        return ORR_OK;
    x->reuse = what->calls;
    int32_t priority = next_priority(x, what);
    uint64_t chunk = cut(x, what);
    uint32_t chunks = 1;
    if (as_whole(x, what, chunk)) {
        chunks = (uint32_t)(what->bytes / chunk);
        chunk = what->bytes;
    }
    const struct orr_op wait = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    orr_err e = orr__program_add(x->p, &wait, &id, x->why);
    for (uint64_t left = what->bytes; !e && left;) {
        struct chunk c = {
            .bytes = left < chunk ? left : chunk,
            .last = what->before,
            .priority = priority,
            .what = what,
            .chunks = chunks,
        };
        left -= c.bytes;
        e = expand_chunk(x, &c, chunk, load);
        if (!e)
            e = join(x, c.last, id);
    }
    *done = id;
    return e;
}
