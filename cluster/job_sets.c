#include "cluster/job_sets.h"
#include "core/none.h"

#include <string.h>

#include <xxhash.h>

#include "core/assert.h"
#include "core/memory.h"
#include "workload/schedule/plan.h"

/* ---- sets ---------------------------------------------------------------- */

static uint32_t root_of(struct orr_member *m, uint32_t i)
{
    while (m[i].set != i) {
        m[i].set = m[m[i].set].set;
        i = m[i].set;
    }
    return i;
}

/* The lower index stays the root, so that sets are numbered by their first
 * members. */
static void join_roots(struct orr_member *m, uint32_t a, uint32_t b)
{
    a = root_of(m, a);
    b = root_of(m, b);
    ORR_ASSERT(m[a].set == a && m[b].set == b);
    if (a < b)
        m[b].set = a;
    else
        m[a].set = b;
}

/* What two jobs together ask of a link, share of its rate. */
static double asked_share(const struct orr_graph *g, const struct orr_member *a,
                          const struct orr_member *b, uint32_t link)
{
    const struct orr_link_demand *x =
        orr__profile_link(&a->facts->profile, link);
    const struct orr_link_demand *y =
        orr__profile_link(&b->facts->profile, link);
    ORR_ASSERT(x && y); /* both use it */
    double sum = (double)orr__demand_peak(x) + (double)orr__demand_peak(y);
    return sum / (double)g->rate_bps[link];
}

/* Members of sets while they are found. */
struct link_users {
    const struct orr_graph *g;
    struct orr_member *m;
    uint32_t *first; /* per link, a member that uses it; ORR_NONE: none yet */
    double *worst;   /* per member */
};

/* first[] holds the latest member on a link: of several, each is held against
 * the one before, and the first against the second. */
static void add_use(const struct link_users *t, uint32_t i, uint32_t link)
{
    uint32_t before = t->first[link];
    t->first[link] = i;
    if (before == ORR_NONE)
        return;
    join_roots(t->m, before, i);
    double share = asked_share(t->g, &t->m[before], &t->m[i], link);
    uint32_t both[] = {before, i};
    for (int k = 0; k < 2; k++) {
        struct orr_member *x = &t->m[both[k]];
        if (share > t->worst[both[k]]) {
            t->worst[both[k]] = share;
            x->rival = t->m[both[1 - k]].job;
            x->link = link;
        }
    }
}

/* Whether classes of members differ. */
static bool differ(const struct orr_member *m, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (m[i].class != m[0].class)
            return true;
    return false;
}

/* first[] holds who asks for enough of each link to count. A member of a lower
 * class than one of those waits behind it with all that it sends there, its
 * ACKs as well: that is a set. */
static orr_err join_lower(const struct link_users *t, uint32_t n,
                          struct orr_report *why)
{
    uint32_t *top = orr__alloc(t->g->links, sizeof *top);
    if (!top)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_profile *p = &t->m[i].facts->profile;
        for (uint32_t k = 0; k < p->n; k++) {
            uint32_t *class = &top[p->link[k].link];
            if (orr__facts_counts(t->g, &p->link[k]) && *class <= t->m[i].class)
                *class = t->m[i].class;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct orr_profile *p = &t->m[i].facts->profile;
        for (uint32_t k = 0; k < p->n; k++)
            if (t->m[i].class < top[p->link[k].link])
                join_roots(t->m, t->first[p->link[k].link], i);
    }
    orr__free(top);
    return ORR_OK;
}

/* From roots to numbers, in order of the first members. */
static orr_err number_sets(struct orr_member *m, uint32_t n, uint32_t *sets,
                           struct orr_report *why)
{
    uint32_t *number = orr__alloc(n, sizeof *number);
    if (!number)
        return orr__no_memory(why);
    *sets = 0;
    for (uint32_t i = 0; i < n; i++)
        if (root_of(m, i) == i)
            number[i] = (*sets)++;
    for (uint32_t i = 0; i < n; i++)
        m[i].set = root_of(m, i); /* no longer than one step from now on */
    for (uint32_t i = 0; i < n; i++) {
        m[i].set = number[m[i].set];
        ORR_ASSERT(m[i].set < *sets && m[i].set <= i);
    }
    orr__free(number);
    return ORR_OK;
}

orr_err orr__job_sets_split(const struct orr_graph *g, struct orr_member *m,
                            uint32_t n, bool choosing, uint32_t *sets,
                            struct orr_report *why)
{
    struct link_users t = {g, m, orr__alloc(g->links, sizeof *t.first),
                           orr__alloc(n, sizeof *t.worst)};
    uint32_t chooser = ORR_NONE;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        m[i].set = i;
        m[i].rival = m[i].link = ORR_NONE;
        any |= m[i].facts->unknown;
    }
    for (uint32_t l = 0; t.first && l < g->links; l++)
        t.first[l] = ORR_NONE;
    for (uint32_t i = 0; t.first && t.worst && i < n; i++) {
        const struct orr_profile *p = &m[i].facts->profile;
        for (uint32_t k = 0; k < p->n; k++)
            if (orr__facts_counts(g, &p->link[k]))
                add_use(&t, i, p->link[k].link);
        if (any) /* somebody may use any link */
            join_roots(m, 0, i);
        if (choosing && m[i].facts->chooses) {
            if (chooser != ORR_NONE)
                join_roots(m, chooser, i);
            chooser = i;
        }
    }
    bool failed = !t.first || !t.worst;
    orr_err err = failed ? orr__no_memory(why) : ORR_OK;
    if (!err && differ(m, n))
        err = join_lower(&t, n, why);
    orr__free(t.first);
    orr__free(t.worst);
    return err ? err : number_sets(m, n, sets, why);
}

/* ---- names --------------------------------------------------------------- */

/* The key of a set while it is made. */
struct namer {
    XXH3_state_t *state;
    uint32_t *seen; /* per link: 1 + its number by first appearance */
    uint32_t next;
};

static void put_bytes(struct namer *x, const void *what, size_t size)
{
    XXH3_64bits_update(x->state, what, size);
}

static void put_number(struct namer *x, uint64_t number)
{
    put_bytes(x, &number, sizeof number);
}

/* Links by the order in which they are first met, and what they are like. */
static void put_paths(struct namer *x, const struct orr_graph *g,
                      const struct orr_job_paths *t)
{
    for (uint32_t i = 0; i < t->n; i++) {
        uint32_t link = t->link[i];
        if (link == ORR_NONE) {
            put_number(x, UINT64_MAX);
            continue;
        }
        if (!x->seen[link]) {
            x->seen[link] = ++x->next;
            put_number(x, g->rate_bps[link]);
            put_number(x, (uint64_t)g->delay_ps[link]);
        }
        put_number(x, x->seen[link]);
    }
}

/* How many classes of the set are below its own. */
static uint32_t standing(const struct orr_member *const *member, uint32_t n,
                         const struct orr_member *m)
{
    uint32_t below = 0;
    for (uint32_t i = 0; i < n; i++) {
        bool first = member[i]->class < m->class;
        for (uint32_t k = 0; first && k < i; k++)
            first = member[k]->class != member[i]->class;
        below += first;
    }
    return below;
}

/* All of a member that decides what becomes of the set. */
static void put_member(struct namer *x, const struct orr_cluster *c,
                       const struct orr_member *m, bool choosing)
{
    const struct orr_cluster_job *j = &c->job[m->job];
    put_number(x, j->is.template);
    put_number(x, j->is.gpus);
    if (j->named) /* others of its kind are not like it */
        put_number(x, UINT32_MAX - m->job);
    if (c->inventory.n_kinds > 1)
        put_number(x, j->kind);
    put_number(x, m->phase);
    put_number(x, m->facts->paths.n);
    put_paths(x, c->world->graph, &m->facts->paths);
    /* ways are not known, or will be others: the GPUs themselves count */
    if (m->facts->unknown || (choosing && m->facts->chooses))
        put_bytes(x, j->gpu, j->is.gpus * sizeof *j->gpu);
}

orr_err orr__job_sets_key(const struct orr_cluster *c,
                          const struct orr_member *const *member, uint32_t n,
                          bool choosing, uint64_t salt, uint64_t *key,
                          struct orr_report *why)
{
    const struct orr_graph *g = c->world->graph;
    struct namer x = {XXH3_createState(), orr__alloc(g->links, sizeof *x.seen),
                      0};
    bool failed = !x.state || !x.seen;
    if (!failed) {
        XXH3_64bits_reset_withSeed(x.state, salt);
        put_number(&x, n);
        for (uint32_t i = 0; i < n; i++) {
            put_member(&x, c, member[i], choosing);
            put_number(&x, standing(member, n, member[i]));
        }
        *key = XXH3_64bits_digest(x.state);
    }
    XXH3_freeState(x.state);
    orr__free(x.seen);
    return failed ? orr__no_memory(why) : ORR_OK;
}
