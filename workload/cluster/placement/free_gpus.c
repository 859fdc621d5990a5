#include "workload/cluster/placement/free_gpus.h"
#include "core/none.h"

#include <stdlib.h>

#include "core/assert.h"
#include "core/memory.h"
#include "workload/world.h"

/* The most jobs that a GPU may have already for `wanted` of them to be
 * found. */
static uint32_t least_shared(const struct orr_free_gpus *room,
                             const uint32_t *label, uint32_t only)
{
    const struct orr_inventory *v = room->inventory;
    for (uint32_t most = 0;; most++) {
        uint32_t found = 0;
        for (uint32_t i = 0; i < v->gpus; i++)
            found += orr__gpu_free(v, i) && v->taken[i] <= most
                     && (!label || label[i] == only);
        if (found >= room->wanted || most + 1 >= v->share)
            return most;
    }
}

/* What may be taken: of GPUs with a label only those of `only`, and of shared
 * ones the least shared that are enough. By counting, as all arrays are by
 * number. */
static void fill_free(struct orr_free_gpus *room, const uint32_t *label,
                      uint32_t only)
{
    const struct orr_inventory *v = room->inventory;
    uint32_t most = least_shared(room, label, only);
    for (uint32_t i = 0; i < v->gpus; i++) {
        uint32_t s = v->server[i];
        room->rack_of[s] = v->rack[i];
        room->gpu_off[s + 1]++;
        room->free[i] = orr__gpu_free(v, i) && v->taken[i] <= most
                        && (!label || label[i] == only);
        room->left[s] += room->free[i];
        room->rack_left[v->rack[i]] += room->free[i];
    }
    for (uint32_t s = 0; s < v->servers; s++) {
        room->gpu_off[s + 1] += room->gpu_off[s];
        room->next[s] = room->gpu_off[s];
        room->rank[s] = s;
    }
    for (uint32_t i = 0; i < v->gpus; i++)
        room->gpus_of[room->next[v->server[i]]++] = i;
    for (uint32_t s = 0; s < v->servers; s++)
        room->next[s] = room->gpu_off[s];
}

orr_err orr__free_gpus_init(struct orr_free_gpus *room,
                            const struct orr_inventory *v, uint32_t wanted,
                            uint32_t *gpu, const uint32_t *label, uint32_t only,
                            struct orr_report *why)
{
    size_t s = v->servers, r = v->racks;
    size_t words = v->gpus + 5 * s + 1 + 2 * r;
    *room =
        (struct orr_free_gpus){.inventory = v, .wanted = wanted, .gpu = gpu};
    room->owned = orr__alloc(words * sizeof(uint32_t) + v->gpus + r, 1);
    if (!room->owned)
        return orr__no_memory(why);
    room->gpus_of = room->owned;
    room->gpu_off = room->gpus_of + v->gpus;
    room->next = room->gpu_off + s + 1;
    room->left = room->next + s;
    room->rack_of = room->left + s;
    room->rank = room->rack_of + s;
    room->rack_left = room->rank + s;
    room->count = room->rack_left + r;
    room->free = (bool *)(room->count + r);
    room->used = room->free + v->gpus;
    fill_free(room, label, only);
    return ORR_OK;
}

void orr__free_gpus_fini(struct orr_free_gpus *room)
{
    orr__free(room->owned);
    room->owned = NULL;
}

static void take_gpu(struct orr_free_gpus *room, uint32_t gpu)
{
    uint32_t s = room->inventory->server[gpu];
    ORR_ASSERT(room->free[gpu] && room->taken < room->wanted);
    ORR_ASSERT(room->left[s] > 0 && room->rack_left[room->rack_of[s]] > 0);
    room->free[gpu] = false;
    room->left[s]--;
    room->rack_left[room->rack_of[s]]--;
    room->used[room->rack_of[s]] = true;
    room->gpu[room->taken++] = gpu;
}

void orr__free_gpus_take(struct orr_free_gpus *room, uint32_t server,
                         uint32_t n)
{
    ORR_ASSERT(n <= room->left[server]);
    while (n > 0) {
        uint32_t gpu = room->gpus_of[room->next[server]++];
        if (!room->free[gpu])
            continue;
        take_gpu(room, gpu);
        n--;
    }
}

/* ---- as few servers as possible ---------------------------------------- */

static bool within(const struct orr_free_gpus *room, uint32_t rack,
                   uint32_t server)
{
    return rack == ORR_ANY_RACK || room->rack_of[server] == rack;
}

/* Of two servers that both have room for the rest of a job: whether a is the
 * better one. */
static bool fits_better(const struct orr_free_gpus *room, uint32_t a,
                        uint32_t b)
{
    uint32_t ra = room->rack_of[a], rb = room->rack_of[b];
    if (room->used[ra] != room->used[rb])
        return room->used[ra];
    if (!room->shuffled && room->left[a] != room->left[b])
        return room->left[a] < room->left[b];
    if (!room->shuffled && room->rack_left[ra] != room->rack_left[rb])
        return room->rack_left[ra] < room->rack_left[rb];
    return room->rank[a] < room->rank[b];
}

static uint32_t best_server(const struct orr_free_gpus *room, uint32_t rack,
                            uint32_t n)
{
    uint32_t best = ORR_NONE;
    for (uint32_t s = 0; s < room->inventory->servers; s++)
        if (within(room, rack, s) && room->left[s] >= n
            && (best == ORR_NONE || fits_better(room, s, best)))
            best = s;
    return best;
}

/* The rack that gives `whole` servers of `size` GPUs each: one that has as
 * many, else the one with the most. `count` holds how many each has. */
static bool gives_better(const struct orr_free_gpus *room, uint32_t a,
                         uint32_t b, uint32_t whole)
{
    uint32_t ra = room->rack_of[a], rb = room->rack_of[b];
    uint32_t na = room->count[ra], nb = room->count[rb];
    if ((na >= whole) != (nb >= whole))
        return na >= whole;
    if (na < whole && na != nb)
        return na > nb;
    if (room->used[ra] != room->used[rb])
        return room->used[ra];
    if (!room->shuffled && na != nb)
        return na < nb;
    if (!room->shuffled && room->rack_left[ra] != room->rack_left[rb])
        return room->rack_left[ra] < room->rack_left[rb];
    return room->rank[a] < room->rank[b];
}

/* Takes up to `whole` servers with `size` left, all of them of one rack;
 * returns how many. */
static uint32_t take_whole(struct orr_free_gpus *room, uint32_t rack,
                           uint32_t size, uint32_t whole)
{
    uint32_t best = ORR_NONE, n = room->inventory->servers, got = 0;
    for (uint32_t r = 0; r < room->inventory->racks; r++)
        room->count[r] = 0;
    for (uint32_t s = 0; s < n; s++)
        room->count[room->rack_of[s]] += room->left[s] == size;
    for (uint32_t s = 0; s < n; s++)
        if (within(room, rack, s) && room->left[s] == size
            && (best == ORR_NONE || gives_better(room, s, best, whole)))
            best = s;
    rack = room->rack_of[best];
    for (; got < whole && best != ORR_NONE; got++) {
        orr__free_gpus_take(room, best, size);
        best = ORR_NONE;
        for (uint32_t s = 0; s < n; s++)
            if (room->rack_of[s] == rack && room->left[s] == size
                && (best == ORR_NONE || room->rank[s] < room->rank[best]))
                best = s;
    }
    return got;
}

void orr__free_gpus_pack(struct orr_free_gpus *room, uint32_t rack, uint32_t n)
{
    while (n > 0) {
        uint32_t size = 0;
        for (uint32_t s = 0; s < room->inventory->servers; s++)
            if (within(room, rack, s) && room->left[s] > size)
                size = room->left[s];
        ORR_ASSERT(size > 0);
        if (n < size) {
            orr__free_gpus_take(room, best_server(room, rack, n), n);
            return;
        }
        n -= size * take_whole(room, rack, size, n / size);
    }
}

/* ---- as few racks as possible ------------------------------------------- */

void orr__free_gpus_racks(struct orr_free_gpus *room, uint32_t n)
{
    const struct orr_inventory *v = room->inventory;
    while (n > 0) {
        uint32_t best = ORR_NONE; /* a server of the rack */
        for (uint32_t s = 0; s < v->servers; s++) {
            uint32_t a = room->rack_left[room->rack_of[s]], b;
            if (best == ORR_NONE) {
                best = s;
                continue;
            }
            b = room->rack_left[room->rack_of[best]];
            bool better = room->rank[s] < room->rank[best];
            if ((a >= n) != (b >= n))
                better = a >= n;
            else if (a != b && (a < n || !room->shuffled))
                better = a < n ? a > b : a < b;
            if (better)
                best = s;
        }
        uint32_t rack = room->rack_of[best], left = room->rack_left[rack];
        uint32_t part = n < left ? n : left;
        orr__free_gpus_pack(room, rack, part);
        n -= part;
    }
}

/* ---- the rest ------------------------------------------------------------ */

void orr__free_gpus_apart(struct orr_free_gpus *room, uint32_t n)
{
    const struct orr_inventory *v = room->inventory;
    uint32_t *had = room->next; /* per server: taken; take_gpu is enough */
    for (uint32_t s = 0; s < v->servers; s++)
        had[s] = 0;
    for (uint32_t r = 0; r < v->racks; r++)
        room->count[r] = 0;
    for (; n > 0; n--) {
        uint32_t best = ORR_NONE;
        for (uint32_t s = 0; s < v->servers; s++) {
            uint32_t a = room->rack_of[s], b;
            if (room->left[s] == 0)
                continue;
            b = best == ORR_NONE ? a : room->rack_of[best];
            bool better = best == ORR_NONE;
            if (!better && room->count[a] != room->count[b])
                better = room->count[a] < room->count[b];
            else if (!better && room->rack_left[a] != room->rack_left[b])
                better = room->rack_left[a] > room->rack_left[b];
            else if (!better && a == b && had[s] != had[best])
                better = had[s] < had[best];
            else if (!better && a == b)
                better = room->left[s] > room->left[best];
            if (better)
                best = s;
        }
        uint32_t at = room->gpu_off[best];
        while (!room->free[room->gpus_of[at]])
            at++;
        had[best]++;
        room->count[room->rack_of[best]]++;
        take_gpu(room, room->gpus_of[at]);
    }
}

orr_err orr__free_gpus_draw(struct orr_free_gpus *room, uint32_t n,
                            struct orr_random *r, struct orr_report *why)
{
    uint32_t gpus = room->inventory->gpus, all = 0;
    uint32_t *list = orr__alloc(gpus, sizeof *list);
    if (!list)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < gpus; i++)
        if (room->free[i])
            list[all++] = i;
    ORR_ASSERT(n <= all);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = i + (uint32_t)orr__random_below(r, all - i);
        uint32_t gpu = list[j];
        list[j] = list[i];
        take_gpu(room, gpu);
    }
    orr__free(list);
    return ORR_OK;
}

orr_err orr__free_gpus_draw_servers(struct orr_free_gpus *room, uint32_t n,
                                    struct orr_random *r,
                                    struct orr_report *why)
{
    uint32_t servers = room->inventory->servers, all = 0;
    uint32_t *list = orr__alloc(servers, sizeof *list);
    if (!list)
        return orr__no_memory(why);
    for (uint32_t s = 0; s < servers; s++)
        if (room->left[s] > 0)
            list[all++] = s;
    for (uint32_t i = 0; n > 0; i++) {
        ORR_ASSERT(i < all); /* there are n */
        uint32_t j = i + (uint32_t)orr__random_below(r, all - i);
        uint32_t server = list[j], some = room->left[server];
        list[j] = list[i];
        some = some < n ? some : n;
        orr__free_gpus_take(room, server, some);
        n -= some;
    }
    orr__free(list);
    return ORR_OK;
}

void orr__free_gpus_shuffle(struct orr_free_gpus *room, struct orr_random *r)
{
    uint32_t n = room->inventory->servers;
    room->shuffled = true;
    for (uint32_t i = 0; i + 1 < n; i++) {
        uint32_t j = i + (uint32_t)orr__random_below(r, n - i);
        uint32_t t = room->rank[i];
        room->rank[i] = room->rank[j];
        room->rank[j] = t;
    }
}

static int nearer(const void *pa, const void *pb, void *arg)
{
    const struct orr_inventory *v = arg;
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    if (v->rack[a] != v->rack[b])
        return v->rack[a] < v->rack[b] ? -1 : 1;
    if (v->server[a] != v->server[b])
        return v->server[a] < v->server[b] ? -1 : 1;
    return a < b ? -1 : a > b;
}

void orr__free_gpus_sort(struct orr_free_gpus *room)
{
    struct orr_inventory v = *room->inventory;
    qsort_r(room->gpu, room->taken, sizeof *room->gpu, nearer, &v);
}

void orr__cluster_placement_stream(const struct orr_cluster *c, uint32_t job,
                                   int64_t seed, uint32_t variant,
                                   struct orr_random *r)
{
    uint64_t entity = (uint64_t)variant << 32 | job;
    orr__random_init(r, seed < 0 ? c->world->seed : (uint64_t)seed, entity,
                     ORR_PURPOSE_PLACEMENT);
}
