#include "study/plan/pipedream/partition.h"

#include "core/array.h"
#include "core/units.h"

/* More combinations than this take minutes. */
#define WORK_MAX 3e10

typedef unsigned __int128 u128;

/* The best way from a base to a cut with so many machines. */
struct best {
    int64_t ps;             /* ORR_NEVER: there is none */
    uint32_t split, behind; /* cut where the last stage begins, and its
                             * machines; behind 0: it is one stage */
};

/* The tables are its own and freed by orr__partition; the rest is borrowed. All
 * times are ps. */
struct planner {
    const struct orr_partition_request *q;
    const struct orr_cuts *x;
    struct orr_config *c;
    const struct orr_yaml *at;
    struct orr_report *why;
    /* per level, base (0: nothing; else 1 + a cut) and cut: the best time with
     * all machines of the level */
    int64_t *whole[ORR_PARTITION_LEVELS];
    struct best *best;    /* per cut and machines of a level: of one base */
    int64_t *last;        /* per machines: of the last stage */
    int64_t *in, *out_of; /* per cut and machines: what is handed over */
    uint32_t most;        /* machines of a level, at most */
    struct orr_partition *p;
    uint32_t stage_room;
};

/* ---- times --------------------------------------------------------------- */

/* bytes * num / den at a rate, to the nearest ps. */
static int64_t transfer(uint64_t bytes, uint64_t num, uint64_t den,
                        uint64_t rate_bps)
{
    u128 top = (u128)bytes * 8000000000000u * num;
    u128 bottom = (u128)rate_bps * den;
    u128 ps = (top + bottom / 2) / bottom;
    return ps < (u128)ORR_HORIZON ? (int64_t)ps : ORR_HORIZON;
}

/* x / m, to the nearest ps. */
static int64_t share_of_time(int64_t x, uint32_t m)
{
    return x / m + (x % m >= (m + 1) / 2);
}

/* A stage of m machines of a level; inner: machines of a group that send side
 * by side. */
static int64_t stage_time(const struct planner *s, uint32_t level,
                          int64_t compute, uint64_t parameters, uint32_t m,
                          uint32_t inner)
{
    uint64_t rate = s->q->level[level].rate_bps;
    if (compute == ORR_NEVER)
        return ORR_NEVER;
    if (s->q->cost == ORR_COST_PAPER) {
        int64_t sync = transfer(parameters, UINT64_C(2) * (m - 1), 1, rate);
        return share_of_time(sync > compute ? sync : compute, m);
    }
    int64_t sync =
        transfer(parameters, UINT64_C(4) * (m - 1), (uint64_t)m * inner, rate);
    return share_of_time(orr__time_add(compute, sync), m);
}

static uint32_t inner_machines(const struct planner *s, uint32_t level)
{
    return level ? s->q->level[level - 1].machines : 1;
}

/* What the layers between a base and a cut take on one machine of a level. */
static int64_t compute_of(const struct planner *s, uint32_t level,
                          uint32_t base, uint32_t cut)
{
    const struct orr_cut *x = s->x->cut;
    if (level)
        return s->whole[level - 1][(size_t)base * s->x->n + cut];
    return x[cut].compute_ps - (base ? x[base - 1].compute_ps : 0);
}

/* PipeDream's check: what a machine keeps for the minibatches that are further
 * on, at the machines behind it. */
static bool fits_memory(const struct planner *s, uint32_t base, uint32_t cut,
                        uint32_t behind, uint32_t m)
{
    const struct orr_cut *x = s->x->cut, none = {.layers = 0};
    const struct orr_cut *from = base ? &x[base - 1] : &none;
    u128 bytes = (u128)(x[cut].activations - from->activations)
                 + (x[cut].parameters - from->parameters);
    return s->q->memory == 0
           || bytes * ((behind + m - 1) / m) <= (u128)s->q->memory;
}

static uint64_t parameters_of(const struct planner *s, uint32_t base,
                              uint32_t cut)
{
    const struct orr_cut *x = s->x->cut;
    return x[cut].parameters - (base ? x[base - 1].parameters : 0);
}

/* ---- one base ------------------------------------------------------------ */

/* All layers from base to cut as one stage, on each number of machines; the
 * other machines of the level are behind it and decide what memory it needs.
 * Overwrites best of this cut. */
static void begin_cut(struct planner *s, uint32_t level, uint32_t base,
                      uint32_t cut)
{
    uint32_t all = s->q->level[level].machines;
    for (uint32_t m = 1; m <= all; m++) {
        struct best *b = &s->best[(size_t)cut * (s->most + 1) + m];
        *b = (struct best){.ps = ORR_NEVER};
        if (fits_memory(s, base, cut, all - m, m))
            b->ps = stage_time(s, level, compute_of(s, level, base, cut),
                               parameters_of(s, base, cut), m,
                               inner_machines(s, level));
    }
}

static int64_t longer(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Stages up to the cut k, and one behind it up to j. */
static void try_split(struct planner *s, uint32_t level, uint32_t k, uint32_t j)
{
    uint32_t all = s->q->level[level].machines, step = s->most + 1;
    const struct best *had = &s->best[(size_t)k * step];
    struct best *b = &s->best[(size_t)j * step];
    int64_t compute = compute_of(s, level, k + 1, j);
    uint64_t parameters = parameters_of(s, k + 1, j);
    const int64_t *in = &s->in[(size_t)k * step];
    const int64_t *out_of = &s->out_of[(size_t)j * step];
    for (uint32_t m = 1; m < all; m++)
        s->last[m] = longer(stage_time(s, level, compute, parameters, m, 1),
                            longer(in[m], out_of[m]));
    for (uint32_t m = 2; m <= all; m++)
        for (uint32_t behind = 1; behind < m; behind++) {
            int64_t ps = longer(had[m - behind].ps, s->last[behind]);
            if (ps < b[m].ps && fits_memory(s, k + 1, j, all - m, behind))
                b[m] = (struct best){ps, k, behind};
        }
}

static bool is_behind(const struct planner *s, uint32_t base, uint32_t cut)
{
    const struct orr_cut *x = &s->x->cut[cut];
    if (base == 0)
        return true;
    for (uint32_t i = 0; i < x->n; i++)
        if (s->x->before[x->first + i] == base - 1)
            return true;
    return false;
}

/* Fills best for all cuts behind a base, up to one. */
static void solve_base(struct planner *s, uint32_t level, uint32_t base,
                       uint32_t to)
{
    for (uint32_t j = base; j <= to; j++) {
        const struct orr_cut *x = &s->x->cut[j];
        bool behind = is_behind(s, base, j);
        for (uint32_t m = 0; m <= s->most; m++)
            s->best[(size_t)j * (s->most + 1) + m].ps = ORR_NEVER;
        if (!behind)
            continue;
        begin_cut(s, level, base, j);
        for (uint32_t i = 0; i < x->n; i++) {
            uint32_t k = s->x->before[x->first + i];
            if (k >= base)
                try_split(s, level, k, j);
        }
    }
}

/* ---- levels -------------------------------------------------------------- */

/* What is handed over at each cut. */
static void find_transfers(struct planner *s, uint32_t level)
{
    uint64_t rate = s->q->level[level].rate_bps;
    bool code = s->q->cost == ORR_COST_CODE;
    for (uint32_t i = 0; i < s->x->n; i++) {
        const struct orr_cut *x = &s->x->cut[i];
        bool last = i + 1 == s->x->n;
        for (uint32_t m = 1; m <= s->most; m++) {
            size_t at = (size_t)i * (s->most + 1) + m;
            s->in[at] = transfer(code ? x->across_code : x->across, 2,
                                 code ? m : 1, rate);
            s->out_of[at] = code && !last ? s->in[at] : 0;
        }
    }
}

/* The levels below are solved. A level that others are above needs whole, from
 * each base, for them; the top one needs what begins the model alone, and that
 * stays in best. */
static orr_err solve_level(struct planner *s, uint32_t level)
{
    uint32_t n = s->x->n, all = s->q->level[level].machines;
    bool top = level + 1 == s->q->levels;
    find_transfers(s, level);
    if (top) {
        solve_base(s, level, 0, n - 1);
        return ORR_OK;
    }
    s->whole[level] =
        orr__alloc((size_t)n + 1, (size_t)n * sizeof *s->whole[level]);
    if (!s->whole[level])
        return orr__no_memory(s->why);
    for (uint32_t base = 0; base <= n; base++) {
        if (base < n)
            solve_base(s, level, base, n - 1);
        for (uint32_t j = 0; j < n; j++)
            s->whole[level][(size_t)base * n + j] =
                base <= j ? s->best[(size_t)j * (s->most + 1) + all].ps
                          : ORR_NEVER;
    }
    return ORR_OK;
}

/* ---- stages -------------------------------------------------------------- */

/* What the levels above have settled for the stages of one of theirs. */
struct above {
    uint32_t per_level[ORR_PARTITION_LEVELS], at[ORR_PARTITION_LEVELS];
};

static orr_err list_stages(struct planner *s, uint32_t level, uint32_t base,
                           uint32_t to, struct above *above);

/* One stage of a level, or the stages of the level below that it is made of. */
static orr_err add_stage(struct planner *s, uint32_t level, uint32_t base,
                         uint32_t to, uint32_t machines, struct above *above)
{
    struct orr_partition *p = s->p;
    above->per_level[level] = machines;
    if (level)
        return list_stages(s, level - 1, base, to, above);
    if (!orr__array_more(p->stage, s->stage_room, p->stages))
        return orr__no_memory(s->why);
    struct orr_planned_stage *x = &p->stage[p->stages++];
    *x = (struct orr_planned_stage){
        .from = base,
        .to = to,
        .replicas = 1,
        .compute_ps = compute_of(s, 0, base, to),
    };
    for (uint32_t l = 0; l < s->q->levels; l++) {
        x->per_level[l] = above->per_level[l];
        x->at[l] = above->at[l];
        x->replicas *= x->per_level[l];
    }
    return ORR_OK;
}

/* In their order: what was found from the end on is kept until it is used. */
static orr_err list_stages(struct planner *s, uint32_t level, uint32_t base,
                           uint32_t to, struct above *above)
{
    struct piece {
        uint32_t base, to, machines;
    } *piece = NULL;
    uint32_t n = 0, room = 0, m = s->q->level[level].machines, end = to;
    orr_err err = ORR_OK;
    if (level + 1 < s->q->levels) {
        find_transfers(s, level);
        solve_base(s, level, base, to);
    }
    for (;;) {
        const struct best *b = &s->best[(size_t)end * (s->most + 1) + m];
        uint32_t from = b->behind ? b->split + 1 : base;
        if (!orr__array_more(piece, room, n))
            err = orr__no_memory(s->why);
        if (err)
            break;
        piece[n++] = (struct piece){from, end, b->behind ? b->behind : m};
        if (!b->behind)
            break;
        m -= b->behind;
        end = b->split;
    }
    for (above->at[level] = 0; !err && n-- > 0;) {
        err = add_stage(s, level, piece[n].base, piece[n].to, piece[n].machines,
                        above);
        above->at[level] += piece[n].machines;
    }
    orr__free(piece);
    return err;
}

/* What the plan is measured against: all layers on one machine, and a copy of
 * all of them on each machine, level by level as a single stage. */
static void compare_with_replicas(struct planner *s)
{
    struct orr_partition *p = s->p;
    const struct orr_cut *all = &s->x->cut[s->x->n - 1];
    p->single_ps = all->compute_ps;
    p->replicated_ps = p->single_ps;
    p->machines = 1;
    for (uint32_t l = 0; l < s->q->levels; l++) {
        uint32_t m = s->q->level[l].machines;
        p->machines *= m;
        p->replicated_ps = stage_time(s, l, p->replicated_ps, all->parameters,
                                      m, inner_machines(s, l));
    }
}

/* ---- all of it ----------------------------------------------------------- */

/* Combinations that are looked at. */
static double work_of(const struct planner *s)
{
    double n = s->x->n, pairs = 0, work = 0;
    for (uint32_t i = 0; i < s->x->n; i++)
        pairs += s->x->cut[i].n;
    for (uint32_t l = 0; l < s->q->levels; l++) {
        double m = s->q->level[l].machines;
        bool top = l + 1 == s->q->levels;
        work += pairs * (m * m / 2 + 8 * m) * (top ? 1 : n / 3 + 1);
    }
    return work;
}

/* Sets most, and refuses (ECONFIG) what would take minutes before it allocates.
 * The tables are freed by orr__partition, also after a failure. */
static orr_err take_room(struct planner *s)
{
    for (uint32_t l = 0; l < s->q->levels; l++)
        if (s->q->level[l].machines > s->most)
            s->most = s->q->level[l].machines;
    if (work_of(s) > WORK_MAX) {
        orr__yaml_fail(s->c, s->at, s->why,
                       "plan: %u cuts and %u machines a level are too many "
                       "combinations to try",
                       s->x->n, s->most);
        return ORR_ECONFIG;
    }
    size_t row = s->most + (size_t)1;
    s->best = orr__alloc(s->x->n, row * sizeof *s->best);
    s->in = orr__alloc(s->x->n, row * sizeof *s->in);
    s->out_of = orr__alloc(s->x->n, row * sizeof *s->out_of);
    s->last = orr__alloc(row, sizeof *s->last);
    return s->best && s->in && s->out_of && s->last ? ORR_OK
                                                    : orr__no_memory(s->why);
}

orr_err orr__partition(const struct orr_partition_request *q,
                       struct orr_config *c, const struct orr_yaml *at,
                       struct orr_partition *out, struct orr_report *why)
{
    struct planner s = {
        .q = q, .x = q->cuts, .c = c, .at = at, .why = why, .p = out};
    struct above above = {.at = {0}};
    uint32_t top = q->levels - 1, last = q->cuts->n - 1;
    *out = (struct orr_partition){.stages = 0};
    orr_err err = take_room(&s);
    for (uint32_t l = 0; !err && l < q->levels; l++)
        err = solve_level(&s, l);
    if (!err) {
        size_t at_end = (size_t)last * (s.most + 1) + q->level[top].machines;
        out->slowest_ps = s.best[at_end].ps;
        if (out->slowest_ps == ORR_NEVER)
            err = orr__yaml_fail(c, orr__yaml_get(at, "memory"), why,
                                 "memory: no stages fit in it");
    }
    if (!err)
        err = list_stages(&s, top, 0, last, &above);
    if (!err)
        compare_with_replicas(&s);
    for (uint32_t l = 0; l < ORR_PARTITION_LEVELS; l++)
        orr__free(s.whole[l]);
    orr__free(s.best);
    orr__free(s.in);
    orr__free(s.out_of);
    orr__free(s.last);
    return err;
}

void orr__partition_fini(struct orr_partition *p)
{
    orr__free(p->stage);
}
