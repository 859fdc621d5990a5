#include "topo/equal_paths.h"
#include "core/none.h"

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/table.h"

/* A count of the equal paths to dst, depth first; each node is counted once. */
struct path_count {
    const struct orr_graph *g;
    const struct orr_routing *r;
    uint32_t dst;
    struct orr_table seen; /* nodes: index into ways */
    uint64_t *paths;       /* from there to dst */
    uint32_t room;
    bool full; /* no memory */
};

static void remember(struct path_count *w, uint32_t node, uint64_t paths)
{
    if (!orr__array_more(w->paths, w->room, w->seen.used)) {
        w->full = true;
        return;
    }
    w->paths[w->seen.used] = paths;
    w->full |= !orr__table_add(&w->seen, node, w->seen.used);
}

/* As deep as the way is long. */
static uint64_t count_paths(struct path_count *w, uint32_t node)
{
    uint32_t n, at = orr__table_find(&w->seen, node);
    uint64_t sum = 0;
    if (node == w->dst)
        return 1;
    if (at != ORR_NONE) {
        ORR_ASSERT(w->paths != NULL);
        return w->paths[at];
    }
    const uint32_t *link = orr__routing_next(w->r, node, w->dst, &n);
    for (uint32_t i = 0; i < n && !w->full; i++) {
        uint64_t more = count_paths(w, w->g->to[link[i]]);
        sum = more < UINT64_MAX - sum ? sum + more : UINT64_MAX;
    }
    remember(w, node, sum);
    return sum;
}

/* Links from src on; room: NULL to count them only. */
static uint32_t follow(struct path_count *w, uint32_t src, uint64_t choice,
                       uint32_t *room)
{
    uint32_t length = 0, n;
    for (uint32_t node = src; node != w->dst; length++) {
        const uint32_t *link = orr__routing_next(w->r, node, w->dst, &n);
        uint64_t paths;
        while (choice >= (paths = count_paths(w, w->g->to[*link]))) {
            choice -= paths;
            link++;
        }
        if (room)
            room[length] = *link;
        node = w->g->to[*link];
    }
    return length;
}

orr_err orr__equal_path_of(const struct orr_graph *g,
                           const struct orr_routing *r, uint32_t src,
                           uint32_t dst, uint64_t choice, uint64_t *paths,
                           uint32_t **links, uint32_t *n,
                           struct orr_report *why)
{
    struct path_count w = {.g = g, .r = r, .dst = dst};
    *paths = count_paths(&w, src);
    *links = NULL;
    *n = 0;
    if (!w.full && choice < *paths) {
        *n = follow(&w, src, choice, NULL);
        *links = orr__alloc(*n, sizeof **links);
        if (*links)
            follow(&w, src, choice, *links);
        w.full = !*links;
    }
    orr__table_fini(&w.seen);
    orr__free(w.paths);
    return w.full ? orr__no_memory(why) : ORR_OK;
}
