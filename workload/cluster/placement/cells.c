/* cells: aligned blocks of GPUs, halves of halves of servers, of racks and of
 * the cluster, as buddies are (Zhao et al., "HiveD", OSDI 2020). A job gets the
 * smallest cell that holds it and is free as a whole, beside cells that are in
 * use, so that large cells stay whole for large jobs. */
#include <stdlib.h>

#include "core/memory.h"
#include "workload/cluster/placement/free_gpus.h"

/* Keys of `placement` beside its kind. */
struct params {
    bool wait;
};

static const struct orr_param params[] = {
    {"wait", ORR_PARAM_BOOL, offsetof(struct params, wait), "false", NULL, NULL,
     NULL, "a job waits for a cell that is free as a whole"},
    ORR_PARAM_END,
};

/* What cells are made of, and within what. */
enum { GPUS, SERVERS, RACKS, UNITS };

/* One choice; order, free and start are its own (begin, end), v and room are
 * borrowed. */
struct cells {
    const struct orr_inventory *v;
    const struct orr_free_gpus *room;
    uint32_t n;      /* that the job wants */
    uint32_t *order; /* all GPUs by rack, server and number */
    uint32_t *free;  /* per place in order: free GPUs before it; one more */
    uint32_t *start; /* scratch: where units of a parent begin, and their end */
};

/* A stretch of order, and how much is free of what it is a part of: of it and
 * its buddy, of its server or rack, of its rack. */
struct cell {
    uint32_t from, to;
    uint32_t around[3];
};

static int by_place(const void *a, const void *b, void *inventory)
{
    const struct orr_inventory *v = inventory;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (v->rack[x] != v->rack[y])
        return v->rack[x] < v->rack[y] ? -1 : 1;
    if (v->server[x] != v->server[y])
        return v->server[x] < v->server[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Of a GPU, what units are, or (one above) are within. */
static uint32_t name_of(const struct cells *c, int unit, uint32_t place)
{
    uint32_t gpu = c->order[place];
    return unit == GPUS      ? gpu
           : unit == SERVERS ? c->v->server[gpu]
           : unit == RACKS   ? c->v->rack[gpu]
                             : 0;
}

/* Where the units of the parent begin that begins at `from`: so many. */
static uint32_t list_units(struct cells *c, int unit, uint32_t from)
{
    uint32_t n = 0, at = from;
    for (; at < c->v->gpus
           && name_of(c, unit + 1, at) == name_of(c, unit + 1, from);
         at++)
        if (at == from
            || name_of(c, unit, at) != name_of(c, unit, c->start[n - 1]))
            c->start[n++] = at;
    c->start[n] = at;
    return n;
}

static uint32_t free_in(const struct cells *c, uint32_t from, uint32_t to)
{
    return c->free[to] - c->free[from];
}

static bool is_better(const struct cell *x, const struct cell *than)
{
    for (int i = 0; i < 3; i++)
        if (x->around[i] != than->around[i])
            return x->around[i] < than->around[i];
    return false;
}

/* The best cell of `size` units that is free; *ever: there are such cells that
 * hold the job, free or not. */
static bool find_cell(struct cells *c, int unit, uint32_t size,
                      struct cell *best, bool *ever)
{
    bool found = false;
    for (uint32_t from = 0, n; from < c->v->gpus; from = c->start[n]) {
        n = list_units(c, unit, from);
        uint32_t all = free_in(c, from, c->start[n]);
        for (uint32_t i = 0; i + size <= n; i += size) {
            uint32_t pair = i / (2 * size) * (2 * size);
            uint32_t end = pair + 2 * size < n ? pair + 2 * size : n;
            uint32_t rack = c->v->rack[c->order[from]];
            struct cell x = {c->start[i],
                             c->start[i + size],
                             {free_in(c, c->start[pair], c->start[end]), all,
                              unit == RACKS ? 0 : c->room->rack_left[rack]}};
            if (x.to - x.from < c->n)
                continue;
            *ever = true;
            if (free_in(c, x.from, x.to) < x.to - x.from
                || (found && !is_better(&x, best)))
                continue;
            *best = x;
            found = true;
        }
    }
    return found;
}

/* Of the smallest cells that hold the job. */
static bool find_smallest(struct cells *c, struct cell *best, bool *ever)
{
    *ever = false;
    for (int unit = GPUS; unit < UNITS; unit++)
        for (uint32_t size = 1; size <= c->v->gpus; size *= 2) {
            bool found = find_cell(c, unit, size, best, ever);
            if (found || *ever)
                return found;
            if (size > UINT32_MAX / 4)
                break;
        }
    return false;
}

/* Fills the tables of c. What it allocates is freed by end, also after a
 * failure. */
static orr_err begin_cells(struct cells *c, struct orr_report *why)
{
    uint32_t gpus = c->v->gpus;
    c->order = orr__alloc(gpus, sizeof *c->order);
    c->free = orr__alloc(gpus + (size_t)1, sizeof *c->free);
    c->start = orr__alloc(gpus + (size_t)1, sizeof *c->start);
    if (!c->order || !c->free || !c->start)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < gpus; i++)
        c->order[i] = i;
    qsort_r(c->order, gpus, sizeof *c->order, by_place, (void *)c->v);
    for (uint32_t i = 0; i < gpus; i++)
        c->free[i + 1] = c->free[i] + c->room->free[c->order[i]];
    return ORR_OK;
}

static void free_cells(struct cells *c)
{
    orr__free(c->order);
    orr__free(c->free);
    orr__free(c->start);
}

/* A job that no cell would hold, even of an empty cluster, never waits: it is
 * packed, as is each job for which no cell is free unless `wait` is set. */
static orr_err choose(const struct orr_cluster *c, const void *given,
                      uint32_t job, uint32_t variant, uint32_t *gpu,
                      bool *found, struct orr_report *why)
{
    const struct params *p = given;
    struct orr_free_gpus room;
    struct cell best;
    bool ever = false, whole = false;
    uint32_t n = c->job[job].is.gpus;
    orr_err err =
        orr__free_gpus_init(&room, &c->inventory, n, gpu, NULL, 0, why);
    struct cells all = {.v = &c->inventory, .room = &room, .n = n};
    if (!err)
        err = begin_cells(&all, why);
    if (!err)
        whole = find_smallest(&all, &best, &ever);
    *found = !err && (whole || !p->wait || !ever);
    for (uint32_t i = 0; whole && i < n; i++)
        gpu[i] = all.order[best.from + i];
    if (!err && !whole && *found) {
        orr__free_gpus_pack(&room, ORR_ANY_RACK, n);
        orr__free_gpus_sort(&room);
    }
    free_cells(&all);
    orr__free_gpus_fini(&room);
    return err;
}

extern const struct orr_cluster_placement_ops orr__cluster_placement_cells;
const struct orr_cluster_placement_ops orr__cluster_placement_cells = {
    .name = "cells",
    .doc = "in the smallest aligned cell that is free as a whole (HiveD)",
    .params = params,
    .params_size = sizeof(struct params),
    .choose = choose,
};
