#include "formats/astra/expand.h"
#include "core/none.h"

#include <inttypes.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/units.h"
#include "formats/astra/algorithm.h"
#include "formats/astra/queue_order.h"

/* What ASTRA-sim 1.0 fixes the rate of its memory to: 500,000 bytes in a
 * nanosecond. */
#define OLD_MEMORY_BPS UINT64_C(4000000000000000)
/* What 2.x charges in groups whatever the endpoint delay is, in ns. */
#define GROUP_ENDPOINT_NS 10.0

/* ---- the grid ----------------------------------------------------------- */

void orr__grid_of(const struct orr_graph *g, uint32_t ranks,
                  struct orr_astra_grid *out)
{
    uint64_t product = 1;
    for (uint32_t i = 0; g && i < g->n_dims; i++)
        product *= g->dims[i];
    *out = (struct orr_astra_grid){.n = 1, .size = {ranks}};
    if (!g || g->n_dims == 0 || g->n_dims > ORR_ASTRA_DIMS - 1
        || product != ranks)
        return;
    out->n = g->n_dims;
    for (uint32_t i = 0; i < out->n; i++) {
        out->size[i] = g->dims[i];
        out->rate_bps[i] = g->dims_bps ? g->dims_bps[i] : 0;
    }
}

orr_err orr__grid_of_job(const struct orr_trace_job *job,
                         const struct orr_ints *logical,
                         struct orr_astra_grid *out, struct orr_report *why)
{
    uint64_t product = 1;
    orr__grid_of(job->graph, job->ranks, out);
    if (logical->n == 0)
        return ORR_OK;
    if (logical->n > ORR_ASTRA_DIMS - 1)
        return orr__yaml_fail(job->config, job->node, why,
                              "trace: "
                              "logical_dims: at most %d dimensions",
                              ORR_ASTRA_DIMS - 1);
    *out = (struct orr_astra_grid){.n = (uint32_t)logical->n};
    for (uint32_t i = 0; i < out->n; i++) {
        out->size[i] = (uint32_t)logical->v[i];
        if (product <= job->ranks)
            product *= out->size[i];
    }
    if (product == job->ranks)
        return ORR_OK;
    return orr__yaml_fail(job->config, job->node, why,
                          "trace: the "
                          "dimensions of logical_dims are %s%" PRIu64 " NPUs, "
                          "the job has %u ranks",
                          product > job->ranks ? "at least " : "", product,
                          job->ranks);
}

static void split_how(struct orr_astra_per_dim *d, uint32_t at)
{
    if (at >= d->n || d->n == ORR_ASTRA_DIMS)
        return;
    memmove(&d->dim[at + 1], &d->dim[at], (d->n - at) * sizeof d->dim[0]);
    d->n++;
}

uint32_t orr__grid_split(struct orr_astra_grid *g, struct orr_astra_system *s,
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

static uint32_t stride_of(const struct orr_astra_grid *g, uint32_t dim)
{
    uint32_t stride = 1;
    for (uint32_t i = 0; i < dim; i++)
        stride *= g->size[i];
    return stride;
}

/* ---- operations --------------------------------------------------------- */

/* Rates over that of dimension 0; one that is not known counts as equal. */
static void themis_init(struct orr_expander *x)
{
    struct orr_themis *t = &x->themis;
    double first = x->grid.rate_bps[0] ? (double)x->grid.rate_bps[0] : 1;
    *t = (struct orr_themis){
        .n = x->grid.n, .gap = x->sys.gap, .flexible = x->sys.flexible};
    for (uint32_t i = 0; i < t->n; i++) {
        t->size[i] = x->grid.size[i];
        t->rate[i] =
            x->grid.rate_bps[i] ? (double)x->grid.rate_bps[i] / first : 1;
    }
    orr__themis_reset(t);
}

orr_err orr__expander_init(struct orr_expander *x, struct orr_program *p,
                           const struct orr_astra_system *s,
                           const struct orr_astra_grid *grid, uint32_t queues,
                           uint32_t first_stream, struct orr_report *why)
{
    *x = (struct orr_expander){.p = p,
                               .sys = *s,
                               .grid = *grid,
                               .queues = queues,
                               .first_stream = first_stream,
                               .why = why};
    themis_init(x);
    p->policy = &orr__astra_policy;
    uint32_t slots = (s->active + queues - 1) / queues;
    for (uint32_t i = first_stream; i < orr__expander_streams(x); i++) {
        orr_err err = orr__program_slots(p, i, slots, why);
        if (err)
            return err;
    }
    return ORR_OK;
}

void orr__expander_restart(struct orr_expander *x)
{
    memset(x->next_queue, 0, sizeof x->next_queue);
    memset(x->next_up, 0, sizeof x->next_up);
    memset(x->next_back, 0, sizeof x->next_back);
    memset(x->other_tree, 0, sizeof x->other_tree);
    x->next_dim = 0;
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

static orr_err join_operations(struct orr_expander *x, uint32_t before,
                               uint32_t after)
{
    return before == ORR_NONE
               ? ORR_OK
               : orr__program_depend(x->p, before, after, x->why);
}

/* A chunk on its way through the phases. */
struct chunk {
    uint64_t bytes, whole; /* in this phase, of the chunk */
    uint32_t last;         /* operation */
    int32_t priority;
    const struct orr_issue *what;
    uint32_t chunks;      /* 1 unless `whole` */
    uint32_t phases_left; /* behind the one that is being made */
    uint8_t step;         /* phases so far */
};

/* For the report: which operation is which phase of the collective. */
static orr_err note_phase(struct orr_expander *x, uint32_t op, struct chunk *c,
                          uint32_t dim)
{
    ORR_ASSERT(dim < x->grid.n && op < x->p->ops);
    if (!orr__array_more(x->phase, x->phase_room, x->phases))
        return orr__no_memory(x->why);
    x->phase[x->phases++] =
        (struct orr_astra_phase){.op = op,
                                 .collective = x->collectives,
                                 .layer = x->layer,
                                 .dim = (uint8_t)dim,
                                 .step = c->step++};
    return ORR_OK;
}

static const struct orr_astra_per_dim *how_of(const struct orr_expander *x,
                                              enum orr_collective_kind k)
{
    return k == ORR_ALL_REDUCE       ? &x->sys.all_reduce
           : k == ORR_REDUCE_SCATTER ? &x->sys.reduce_scatter
           : k == ORR_ALL_GATHER     ? &x->sys.all_gather
                                     : &x->sys.all_to_all;
}

/* Dimensions that a collective of this kind knows of: as many as there are
 * implementations, as in ASTRA-sim. */
static bool takes_part(const struct orr_expander *x,
                       const struct orr_issue *what, uint32_t dim)
{
    return dim < how_of(x, what->kind)->n && x->grid.size[dim] > 1
           && what->involved >> dim & 1;
}

static uint64_t memory_of(const struct orr_expander *x)
{
    if (x->sys.memory_gbps > 0)
        return (uint64_t)(x->sys.memory_gbps * 8e9);
    return x->sys.json ? 0 : OLD_MEMORY_BPS;
}

/* ASTRA-sim's messages are all of the same size, cut down to whole bytes, and
 * travel even if nothing is left of them. */
static uint64_t even_bytes(const struct chunk *c, enum orr_collective_kind kind,
                           uint32_t n, uint8_t how)
{
    uint64_t unit = kind == ORR_ALL_GATHER ? 1 : n;
    uint64_t bytes = c->bytes / c->chunks; /* without a remainder */
    if (how == ORR_ASTRA_TREES)
        return c->bytes;
    if (bytes < unit)
        bytes = unit;
    else if (how != ORR_ASTRA_HALVING)
        bytes -= bytes % unit;
    return bytes * c->chunks;
}

/* ORR_ECONFIG for algorithms that cannot perform the collective over so many
 * NPUs, at the system file's line. */
static orr_err check_how(const struct orr_expander *x, const struct chunk *c,
                         enum orr_collective_kind kind, uint32_t n, uint8_t how,
                         bool group)
{
    const struct orr_astra_place *at = &how_of(x, c->what->kind)->at;
    if (how != ORR_ASTRA_HALVING)
        return ORR_OK;
    if (kind == ORR_ALL_TO_ALL)
        return orr__astra_system_fail(&x->sys, at, x->why,
                                      "trace: halvingDoubling is no "
                                      "all-to-all");
    if (n & (n - 1))
        return orr__astra_system_fail(&x->sys, at, x->why,
                                      "trace: halvingDoubling needs a power "
                                      "of two, not a %s of %u NPUs",
                                      group ? "group" : "dimension", n);
    return ORR_OK;
}

/* Weights in the order within a dimension. */
static uint64_t weight_of(const struct orr_expander *x, const struct chunk *c,
                          enum orr_collective_kind kind)
{
    switch (x->sys.within) {
    case ORR_ASTRA_SMALLEST: return c->bytes;
    case ORR_ASTRA_FEWEST_LEFT: return c->phases_left;
    case ORR_ASTRA_RG:
        return kind == ORR_REDUCE_SCATTER ? 1 : kind == ORR_ALL_GATHER ? 2 : 0;
    default: return 0;
    }
}

static uint8_t order_of(const struct orr_expander *x,
                        enum orr_collective_kind kind)
{
    if (kind != ORR_REDUCE_SCATTER && kind != ORR_ALL_GATHER)
        return ORR_BY_PRIORITY;
    return x->sys.within == ORR_ASTRA_BY_PRIORITY ? ORR_BY_PRIORITY
           : x->sys.within == ORR_ASTRA_RG        ? ORR_ALTERNATELY
                                                  : ORR_SMALLEST_FIRST;
}

/* The next of the queues [from, to), in turn. */
static uint32_t next_queue_of(uint32_t *next, uint32_t from, uint32_t to)
{
    uint32_t queue = from + *next;
    ORR_ASSERT(queue < to);
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
    bool halves =
        x->sys.json && c->what->kind == ORR_ALL_REDUCE && !x->sys.baseline;
    if (halves && kind == ORR_ALL_GATHER) {
        *direction = ORR_BACKWARD;
        return next_queue_of(&x->next_back[dim], half, x->queues);
    }
    *direction = ORR_FORWARD;
    if (halves)
        return next_queue_of(&x->next_up[dim], 0, half ? half : 1);
    queue = next_queue_of(&x->next_queue[dim], 0, x->queues);
    if (x->queues > 1 && queue >= half)
        *direction = ORR_BACKWARD;
    return queue;
}

/* Adds a call to the program, and the operation that carries it out behind
 * what the chunk did last. */
static orr_err add_call(struct orr_expander *x, struct chunk *c,
                        const struct orr_call *call, struct orr_op *op,
                        uint32_t *id)
{
    orr_err err = ORR_OK;
    if (x->reuse != ORR_NONE)
        op->index = x->reuse++;
    else
        err = orr__program_call(x->p, call, NULL, &op->index, x->why);
    if (!err)
        err = orr__program_add(x->p, op, id, x->why);
    if (!err)
        err = join_operations(x, c->last, *id);
    c->last = err ? c->last : *id;
    return err;
}

/* Chunks take the two trees of doubleBinaryTree in turn. */
static int next_tree(struct orr_expander *x, const struct chunk *c,
                     uint32_t dim)
{
    bool *other = &x->other_tree[c->what->kind][dim];
    *other = !*other;
    return *other ? ORR_FORWARD : ORR_BACKWARD;
}

/* One phase of a chunk on a dimension of n NPUs. */
static orr_err expand_phase(struct orr_expander *x, struct chunk *c,
                            enum orr_collective_kind kind, uint32_t dim,
                            uint32_t n, uint32_t stride,
                            const struct orr_astra_choice *how)
{
    bool own = x->sys.json && c->what->group != ORR_EVERYONE;
    double endpoint = own ? GROUP_ENDPOINT_NS : x->sys.endpoint_ns;
    struct orr_call call = {
        .c = {.n = n},
        .bytes = even_bytes(c, kind, n, how->how),
        .chunks = c->chunks,
        .concurrent = c->chunks > 1 ? x->sys.active : 1,
        .endpoint_delay_ps = (int64_t)endpoint * ORR_NS,
        .memory_bps = memory_of(x),
        .group = c->what->group,
        .stride = stride,
    };
    uint32_t queue = next_queue(x, c, kind, dim, &call.c.direction), id;
    orr_err err = check_how(x, c, kind, n, how->how, own);
    if (how->how == ORR_ASTRA_TREES)
        call.c.direction = next_tree(x, c, dim);
    orr__astra_algorithm(&call, how, &kind, own);
    struct orr_op op = {
        .kind = ORR_OP_COLLECTIVE,
        .holds = true,
        .rule = (uint8_t)(order_of(x, kind) | ORR_ORDER_TOGETHER
                          | (x->sys.json ? 0 : ORR_TURN_JOINT)),
        .stream = (uint16_t)(x->first_stream + dim * x->queues + queue),
        .priority = c->priority,
        .who = ORR_EVERYONE,
    };
    ORR_ASSERT(n > 1);
    c->phases_left -= c->phases_left > 0;
    op.bytes = weight_of(x, c, kind);
    if (!err)
        err = add_call(x, c, &call, &op, &id);
    if (!err)
        err = note_phase(x, id, c, dim);
    if (kind == ORR_REDUCE_SCATTER)
        c->bytes /= n;
    else if (kind == ORR_ALL_GATHER)
        c->bytes *= n;
    return err;
}

static orr_err on_dim(struct orr_expander *x, struct chunk *c,
                      enum orr_collective_kind kind, uint32_t dim)
{
    if (!takes_part(x, c->what, dim))
        return ORR_OK;
    return expand_phase(x, c, kind, dim, x->grid.size[dim],
                        stride_of(&x->grid, dim),
                        &how_of(x, c->what->kind)->dim[dim]);
}

/* ---- the order of dimensions -------------------------------------------- */

static uint32_t phases_of(const struct orr_expander *x,
                          const struct orr_issue *what)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < x->grid.n; i++)
        n += takes_part(x, what, i);
    if (what->kind != ORR_ALL_REDUCE || x->sys.baseline)
        return n;
    return 2 * n - (x->sys.between != ORR_ASTRA_THEMIS);
}

/* All phases of one chunk; order: of the dimensions. */
static orr_err phases(struct orr_expander *x, struct chunk *c,
                      const uint32_t *order)
{
    enum orr_collective_kind kind = c->what->kind;
    uint32_t n = x->grid.n, top = n;
    orr_err err = ORR_OK;
    c->phases_left = phases_of(x, c->what);
    if (kind != ORR_ALL_REDUCE || x->sys.baseline) {
        for (uint32_t i = 0; !err && i < n; i++)
            err = on_dim(x, c, kind, order[i]);
        return err;
    }
    /* up by reduce-scatter, back by all-gather; on the last dimension both at
     * once, unless Themis orders them */
    if (x->sys.between != ORR_ASTRA_THEMIS)
        for (top = n - 1; top > 0 && !takes_part(x, c->what, order[top]);)
            top--;
    for (uint32_t i = 0; !err && i < top; i++)
        err = on_dim(x, c, ORR_REDUCE_SCATTER, order[i]);
    if (!err && top < n)
        err = on_dim(x, c, ORR_ALL_REDUCE, order[top]);
    for (uint32_t i = top; !err && i-- > 0;)
        err = on_dim(x, c, ORR_ALL_GATHER, order[i]);
    return err;
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
static orr_err one_phase(struct orr_expander *x, struct chunk *c,
                         const struct orr_astra_choice *how)
{
    uint32_t n = c->what->group == ORR_EVERYONE ? x->p->ranks
                                                : x->p->group[c->what->group].n;
    return n > 1 ? expand_phase(x, c, c->what->kind, 0, n, 0, how) : ORR_OK;
}

static uint32_t dims_involved(const struct orr_expander *x,
                              const struct orr_issue *what)
{
    uint32_t n = 0;
    if (how_of(x, what->kind)->dim[0].one) /* it stands for dimension 0 */
        return what->involved & 1 && x->p->ranks > 1;
    for (uint32_t i = 0; i < x->grid.n; i++)
        n += takes_part(x, what, i);
    return n;
}

/* Nothing contends and one dimension takes part: its chunks are chunks of one
 * call. */
static bool as_whole(const struct orr_expander *x, const struct orr_issue *what,
                     uint64_t chunk)
{
    for (uint32_t i = 0; i < how_of(x, what->kind)->n; i++)
        if (how_of(x, what->kind)->dim[i].how == ORR_ASTRA_TREES)
            return false; /* its chunks differ */
    return what->whole && x->queues == 1 && what->bytes % chunk == 0
           && what->bytes / chunk <= ORR_MAX_CHUNKS
           && (what->group != ORR_EVERYONE || dims_involved(x, what) == 1);
}

/* With roundRobin: at which of the dimensions that a kind of collective knows
 * of the next chunk begins. All kinds take turns together, each modulo its
 * own number, as in ASTRA-sim. */
static uint32_t first_dim(struct orr_expander *x, enum orr_collective_kind kind)
{
    const struct orr_astra_per_dim *d = how_of(x, kind);
    uint32_t n = d->dim[0].one ? 1 : d->n < x->grid.n ? d->n : x->grid.n;
    if (n == 0 || x->sys.between != ORR_ASTRA_ROUND_ROBIN)
        return 0;
    uint32_t turn = x->next_dim % n;
    x->next_dim = (turn + 1) % n;
    return turn;
}

/* The order in which a chunk meets the dimensions. *bytes: of the chunk; left:
 * of the collective. */
static void order_dims(struct orr_expander *x, const struct orr_issue *what,
                       uint64_t left, uint64_t *bytes, uint32_t *order)
{
    bool gathers = what->kind == ORR_ALL_GATHER;
    uint32_t n = how_of(x, what->kind)->n;
    if (n > x->grid.n)
        n = x->grid.n;
    if (x->sys.between == ORR_ASTRA_THEMIS && what->kind != ORR_ALL_TO_ALL
        && n == x->grid.n) {
        *bytes = orr__themis_plan(&x->themis, gathers, left, *bytes,
                                  what->involved, order);
        return;
    }
    uint32_t turn = first_dim(x, what->kind);
    for (uint32_t i = 0; i < x->grid.n; i++) {
        uint32_t at = i < n ? (i + turn) % n : i;
        order[i] = gathers && i < n ? n - 1 - at : at;
    }
    *bytes = left < *bytes ? left : *bytes;
}

/* Makes the next chunk of what is left of a collective. */
static orr_err expand_chunk(struct orr_expander *x, struct chunk *c,
                            uint64_t left)
{
    const struct orr_issue *what = c->what;
    const struct orr_astra_per_dim *d = how_of(x, what->kind);
    uint32_t order[ORR_ASTRA_DIMS] = {0};
    if (what->group != ORR_EVERYONE || d->dim[0].one) {
        /* in 2.x a group goes by the only implementation that there is; where
         * each dimension has its own, by a ring */
        const struct orr_astra_choice ring = {.how = ORR_ASTRA_RING};
        bool several = x->sys.json && what->group != ORR_EVERYONE && d->n > 1;
        c->whole = c->bytes = left < c->bytes ? left : c->bytes;
        (void)first_dim(x, what->kind);
        return one_phase(x, c, several ? &ring : &d->dim[0]);
    }
    order_dims(x, what, left, &c->bytes, order);
    c->whole = c->bytes;
    return phases(x, c, order);
}

/* Whether the implementations that are given make sense on this grid. */
static orr_err check_dims(const struct orr_expander *x,
                          const struct orr_issue *what)
{
    const struct orr_astra_per_dim *d = how_of(x, what->kind);
    if (what->group != ORR_EVERYONE || d->dim[0].one)
        return ORR_OK;
    if (d->n > x->grid.n)
        return orr__astra_system_fail(&x->sys, &d->at, x->why,
                                      "trace: %u implementations of %s for "
                                      "%u dimension%s",
                                      d->n,
                                      orr__collective_kind_name(what->kind),
                                      x->grid.n, x->grid.n == 1 ? "" : "s");
    for (uint32_t i = 1; i < d->n; i++)
        if (d->dim[i].one)
            return orr__astra_system_fail(
                &x->sys, &d->at, x->why,
                "trace: an implementation for all dimensions at once must be "
                "the only one");
    return ORR_OK;
}

/* Bytes of a chunk. 2.x makes what is too small for its NPUs larger, and its
 * last chunk as large as the others. */
static uint64_t chunk_bytes(const struct orr_expander *x,
                            struct orr_issue *what)
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
    uint32_t id;
    struct orr_issue own = *issue, *what = &own;
    *done = ORR_NONE;
    orr_err err = check_dims(x, what);
    if (err || what->bytes == 0)
        return err;
    if (what->group == ORR_EVERYONE && dims_involved(x, what) == 0) {
        /* nothing travels, but ASTRA-sim has taken a turn for it */
        (void)first_dim(x, what->kind);
        return ORR_OK;
    }
    x->reuse = what->calls;
    int32_t priority = next_priority(x, what);
    uint64_t chunk = chunk_bytes(x, what);
    uint32_t chunks = 1;
    if (as_whole(x, what, chunk)) {
        chunks = (uint32_t)(what->bytes / chunk);
        chunk = what->bytes;
    }
    if (!x->at_once)
        orr__themis_reset(&x->themis);
    const struct orr_op wait = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    ORR_ASSERT(chunk > 0);
    err = orr__program_add(x->p, &wait, &id, x->why);
    for (uint64_t left = what->bytes; !err && left;) {
        struct chunk c = {
            .bytes = chunk,
            .last = what->before,
            .priority = priority,
            .what = what,
            .chunks = chunks,
        };
        err = expand_chunk(x, &c, left);
        ORR_ASSERT(err || (c.whole > 0 && c.whole <= left));
        left -= c.whole;
        if (!err)
            err = join_operations(x, c.last, id);
    }
    x->collectives++;
    *done = id;
    return err;
}
