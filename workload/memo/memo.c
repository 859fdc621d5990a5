#include "workload/memo/memo.h"

#include <stdlib.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/fingerprint.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "net/config/config.h"
#include "net/loop/marker.h"
#include "net/watch/state.h"
#include "topo/part.h"
#include "workload/flow/flows.h"
#include "workload/memo/internal.h"

/* ---- a call of an island --------------------------------------------------
 */

/* The run ends after this window; benches may be of no use any more. */
static void fail_memo(struct orr_call_memo *m, const struct orr_island *i,
                      int64_t now, orr_err err, const char *message)
{
    struct orr_net *n = m->world->net;
    __atomic_store_n(&m->failed, true, __ATOMIC_RELAXED);
    if (err == ORR_ENOMEM)
        orr__net_fail(n, err);
    else
        orr__net_fail_at(n, m->member[i->first].rank->host, now, "%s", message);
}

/* All that was counted while the call was gone through counts here. */
static void count_call(struct orr_call_memo *m, struct orr_island *i,
                       const struct orr_known_call *k, int64_t first)
{
    struct orr_net *n = m->world->net;
    struct orr_island_member *s = &m->member[i->first];
    struct orr_rank *r = s->rank;
    const struct orr_island_class *c = &m->class[i->class];
    struct orr_tally_call *record =
        orr__collect_record(r, s->iteration, r->team->program->op[s->op].index);
    uint64_t name = orr__digest(i->first, s->op, s->iteration);
    for (uint32_t l = 0; l < c->graph->links; l++)
        if (k->link[l].packets)
            orr__net_link_gain(n, i->link[l], &k->link[l]);
    orr__net_gain(n, r->host, &k->counters, first + k->last_ps, name);
    orr__connection_stats_add(&r->tally->replayed, &k->stats);
    record->sent += k->call.sent;
    record->arrived += k->call.arrived;
    record->bytes += k->call.bytes;
    record->chunks += k->call.chunks;
    record->message_ps += k->call.message_ps;
    record->chunk_ps += k->call.chunk_ps;
    record->queue_ps += k->call.queue_ps;
}

/* The link of a member's host in the run that its end is a place on. */
static uint32_t link_of(const struct orr_call_memo *m,
                        const struct orr_island *i, uint32_t place,
                        bool arrives)
{
    const struct orr_island_class *c = &m->class[i->class];
    const struct orr_graph *g = c->graph;
    uint32_t host = c->host[place];
    return i->link[arrives ? g->in_link[g->in_off[host]]
                           : g->out_link[g->out_off[host]]];
}

/* A marker for each member. False: no memory, or an end that is in the past;
 * the run is failing. */
static bool set_ends(struct orr_call_memo *m, const struct orr_island *i,
                     const struct orr_known_call *k, int64_t first, int64_t now)
{
    bool ok = true;
    for (uint32_t p = 0; p < i->n && ok; p++) {
        const struct orr_call_part *part = &k->part[p];
        struct orr_island_member *s = &m->member[i->first + p];
        const struct orr_marker mark = {
            .at = first + part->end_ps,
            .link = link_of(m, i, p, part->arrives),
            .arrives = part->arrives,
            .user = m->user,
            .tag = i->first + p,
        };
        s->sent = part->sent;
        s->received = part->received;
        if (mark.at < now) {
            fail_memo(m, i, now, ORR_ERUN,
                      "a rank is done with a collective before all others have "
                      "begun: repeat.operations cannot be exact here");
            return false;
        }
        ok = orr__net_mark(m->world->net, &mark);
    }
    return ok;
}

/* All members have entered: what comes of it. Up to `now` all has happened. */
static void resolve(struct orr_call_memo *m, struct orr_island *i, int64_t now)
{
    const struct orr_known_call *k;
    struct orr_report why = {.code = ORR_OK};
    int64_t first = m->member[i->first].at_ps;
    if (__atomic_load_n(&m->failed, __ATOMIC_RELAXED))
        return;
    for (uint32_t p = 1; p < i->n; p++) {
        const struct orr_island_member *s = &m->member[i->first + p];
        first = s->at_ps < first ? s->at_ps : first;
    }
    orr_err err = orr__memo_find_call(m, i, &k, &why);
    if (err) {
        fail_memo(m, i, now, err, why.message);
        return;
    }
    m->result.calls++;
    m->result.hops += k->hops;
    i->quiet_ps = first + k->quiet_ps;
    i->entered = 0;
    count_call(m, i, k, first);
    set_ends(m, i, k, first, now);
}

/* ---- what ranks and the net call ------------------------------------------
 */

/* All members are in the call now. */
static void enter_last(struct orr_call_memo *m, struct orr_island *i,
                       uint32_t host, int64_t now)
{
    struct due_list *due;
    if (i->local) {
        pthread_mutex_lock(&m->lock);
        resolve(m, i, now);
        pthread_mutex_unlock(&m->lock);
        return;
    }
    due = &m->due[orr__net_worker(m->world->net, host)];
    due->island[due->n++] = (uint32_t)(i - m->island);
    orr__net_ask(m->world->net);
}

/* That a rank has in a call; NULL: the call is simulated. */
static struct orr_island_member *member_in(const struct orr_job_members *j,
                                           const struct orr_rank *r,
                                           uint32_t op)
{
    const struct orr_call_memo *m = j->memo;
    const struct orr_program *p = r->team->program;
    const struct orr_call *x = &p->call[p->op[op].index];
    for (uint32_t s = j->member[r->rank]; s != ORR_NONE; s = m->member[s].next)
        if (orr__is_call_of(p, x, r->rank,
                            &m->group[m->island[m->member[s].island].group]))
            return &m->member[s];
    return NULL;
}

/* struct orr_call_replay: in the thread of the rank. */
static bool enter(void *members, struct orr_rank *r, int64_t now, uint32_t op)
{
    const struct orr_job_members *j = members;
    struct orr_call_memo *m = j->memo;
    struct orr_island_member *s = member_in(j, r, op);
    if (!s)
        return false;
    struct orr_island *i = &m->island[s->island];
    if (now < i->quiet_ps) {
        fail_memo(
            m, i, now, ORR_ERUN,
            "a collective begins before the last one of the same ranks has "
            "come to rest: repeat.operations cannot be exact here");
        return true;
    }
    orr__collect_count_begin(r, now, op);
    s->op = op;
    s->iteration = orr__rank_iteration(r, op);
    s->at_ps = now;
    if (__atomic_add_fetch(&i->entered, 1, __ATOMIC_ACQ_REL) == i->n)
        enter_last(m, i, r->host, now);
    return true;
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* After a window: in the order of islands, whatever threads there were. */
static void after_window(void *memo, int64_t now)
{
    struct orr_call_memo *m = memo;
    struct due_list *all = &m->due[0];
    for (unsigned w = 1; w < m->world->options.workers; w++) {
        for (uint32_t k = 0; k < m->due[w].n; k++)
            all->island[all->n++] = m->due[w].island[k];
        m->due[w].n = 0;
    }
    qsort(all->island, all->n, sizeof *all->island, compare_numbers);
    for (uint32_t k = 0; k < all->n; k++)
        resolve(m, &m->island[all->island[k]], now);
    all->n = 0;
}

/* A member's end. */
static void marked(void *memo, uint32_t host, int64_t now, uint32_t tag)
{
    struct orr_call_memo *m = memo;
    struct orr_island_member *s = &m->member[tag];
    struct orr_rank *r = s->rank;
    r->bytes_sent += s->sent;
    r->tally->bytes_sent += s->sent;
    r->bytes_received += s->received;
    orr__collect_count_end(r, now, s->op);
}

static const struct orr_net_ops upcalls = {.marked = marked};

/* ---- islands --------------------------------------------------------------
 */

/* The nodes of a region, ascending; *n of them. NULL: no memory. */
static uint32_t *nodes_of(const struct orr_call_memo *m, uint32_t region,
                          uint32_t *n)
{
    const struct orr_graph *g = m->world->graph;
    bool *in = orr__alloc(g->nodes, sizeof *in);
    uint32_t *node = NULL;
    *n = 0;
    for (uint32_t l = 0; in && l < g->links; l++)
        if (m->region_of[l] == region) {
            *n += !in[g->from[l]];
            in[g->from[l]] = true;
        }
    if (in)
        node = orr__alloc(*n, sizeof *node);
    for (uint32_t v = 0, k = 0; node && v < g->nodes; v++)
        if (in[v])
            node[k++] = v;
    orr__free(in);
    return node;
}

static uint64_t digest_of_part(const struct orr_graph *g, const uint32_t *host,
                               uint32_t n)
{
    uint64_t d = orr__digest(g->nodes, g->hosts, g->links);
    for (uint32_t l = 0; l < g->links; l++) {
        d = orr__digest(d, g->from[l], g->to[l]);
        d = orr__digest(d, g->rate_bps[l], (uint64_t)g->delay_ps[l]);
    }
    for (uint32_t i = 0; i < n; i++)
        d = orr__digest(d, host[i], i);
    return d;
}

static bool same_part(const struct orr_graph *a, const struct orr_graph *b)
{
    if (a->nodes != b->nodes || a->hosts != b->hosts || a->links != b->links)
        return false;
    for (uint32_t l = 0; l < a->links; l++)
        if (a->from[l] != b->from[l] || a->to[l] != b->to[l]
            || a->rate_bps[l] != b->rate_bps[l]
            || a->delay_ps[l] != b->delay_ps[l])
            return false;
    return true;
}

/* What connections of a team are made by. */
static bool same_terms(const struct orr_team *a, const struct orr_team *b)
{
    return a->service == b->service && a->acked == b->acked;
}

/* A class like this one, or ORR_NONE. */
static uint32_t find_class(const struct orr_call_memo *m,
                           const struct orr_island_class *c)
{
    for (uint32_t i = 0; i < m->classes; i++) {
        const struct orr_island_class *x = &m->class[i];
        bool same = x->shape == c->shape && x->n == c->n
                    && same_part(x->graph, c->graph)
                    && same_terms(x->team, c->team);
        for (uint32_t k = 0; same && k < c->n; k++)
            same = x->host[k] == c->host[k];
        if (same)
            return i;
    }
    return ORR_NONE;
}

/* Whether packets from anywhere to a member have one way alone. */
static bool paths_are_single(const struct orr_island_class *c)
{
    for (uint32_t k = 0; k < c->n; k++)
        for (uint32_t v = 0; v < c->graph->nodes; v++) {
            uint32_t n;
            if (v == c->host[k]
                || (!c->graph->forwards[v] && !orr__is_host(c->graph, v)))
                continue;
            orr__routing_next(c->routes, v, c->host[k], &n);
            if (n != 1)
                return false;
        }
    return true;
}

/* *c owns what it was given also after a failure. */
static orr_err finish_class(struct orr_call_memo *m, struct orr_island_class *c,
                            struct orr_report *why)
{
    const struct orr_world *w = m->world;
    struct orr_routing *routes = NULL;
    orr_err err = orr__net_routes(c->graph, w->net_config, w->seed, c->host,
                                  c->n, &routes, why);
    c->routes = routes;
    if (err)
        return err;
    c->program = orr__program_new(c->n);
    if (!c->program || !orr__array_one_more(c->state, c->states)
        || !orr__array_one_more(m->class, m->classes))
        return orr__no_memory(why);
    c->program->streams = 1;
    c->state[c->states++] = (struct orr_memo_state){.from = ORR_NONE};
    return ORR_OK;
}

/* Nodes are of one process or each of its own, by how long links are: then an
 * island is one or the other on whatever processes there are. Returns what
 * stands in the way; NULL: nothing. */
static const char *find_processes(const struct orr_call_memo *m,
                                  struct orr_island *i,
                                  const struct orr_graph *part)
{
    i->local = true;
    for (uint32_t l = 0; l < part->links; l++) {
        i->local &= orr__net_link_local(m->world->net, i->link[l]);
        if (part->delay_ps[l] != part->delay_ps[0])
            return "its links have different delays";
    }
    return NULL;
}

/* Whoever enters last may find all that it waits for, unless that has to pass
 * through it: then it is done when its own messages have left, of which these
 * are so many bytes at least. ORR_NEVER: it has to wait for others. */
static uint64_t bytes_left(const struct orr_call *x)
{
    uint64_t bytes = x->bytes / x->chunks * x->chunks;
    switch (x->c.ops->kind) {
    case ORR_ALL_REDUCE: return UINT64_MAX;
    case ORR_ALL_GATHER: return bytes;
    default: return bytes / x->c.n * (x->c.n - 1);
    }
}

/* Whether a call of the group may be over for somebody before the window ends
 * in which the last of them entered it, which is no longer than a link of the
 * island: then it is too late to say so. */
static bool ends_early(const struct orr_group_of_ranks *g,
                       const struct orr_island_class *c)
{
    const struct orr_program *p = c->team->program;
    uint64_t bytes = UINT64_MAX, rate = 0;
    for (uint32_t k = 0; k < p->calls; k++)
        if (orr__is_call_of(p, &p->call[k], g->rank[g->n - 1], g)
            && bytes_left(&p->call[k]) < bytes)
            bytes = bytes_left(&p->call[k]);
    for (uint32_t k = 0; k < c->graph->links; k++)
        if (c->graph->rate_bps[k] > rate)
            rate = c->graph->rate_bps[k];
    return bytes != UINT64_MAX
           && orr__serialisation(bytes, rate) < c->graph->delay_ps[0];
}

/* The part of the graph that a group is on: its island, and *c of such. */
static orr_err cut_out(struct orr_call_memo *m,
                       const struct orr_group_of_ranks *g, struct orr_island *i,
                       struct orr_island_class *c, struct orr_report *why)
{
    uint32_t nodes;
    i->node = nodes_of(m, g->region, &nodes);
    c->n = i->n = g->n;
    c->team = m->world->jobs[g->job].team;
    c->host = orr__alloc(g->n, sizeof *c->host);
    if (!i->node || !c->host)
        return orr__no_memory(why);
    orr_err err = orr__graph_part(m->world->graph, i->node, nodes, &c->graph,
                                  &i->link, why);
    for (uint32_t k = 0; k < g->n; k++)
        while (i->node[c->host[k]] != c->team->hosts[g->rank[k]])
            c->host[k]++;
    if (!err)
        c->shape = digest_of_part(c->graph, c->host, c->n);
    return err;
}

static bool single_homed(const struct orr_island_class *c)
{
    const struct orr_graph *g = c->graph;
    for (uint32_t k = 0; k < c->n; k++)
        if (g->out_off[c->host[k] + 1] - g->out_off[c->host[k]] != 1)
            return false;
    return true;
}

/* Makes the group an island, or says why it is none. */
static orr_err add_island(struct orr_call_memo *m, uint32_t group,
                          struct orr_report *why)
{
    struct orr_group_of_ranks *g = &m->group[group];
    struct orr_island i = {.group = group};
    struct orr_island_class c = {0};
    orr_err err = cut_out(m, g, &i, &c, why);
    if (!err) {
        g->why = find_processes(m, &i, c.graph);
        i.class = find_class(m, &c);
    }
    if (!err && !g->why && ends_early(g, &c))
        g->why = "its collectives are so short that one may be over sooner "
                 "than a link is long";
    if (!err && !g->why && !single_homed(&c))
        g->why = "a rank has several links to the others";
    if (!err && !g->why && i.class == ORR_NONE) {
        err = finish_class(m, &c, why);
        if (!err && !paths_are_single(&c))
            g->why = "packets may take several paths";
        if (!err && !g->why) {
            i.class = m->classes;
            m->class[m->classes++] = c;
            c = (struct orr_island_class){0};
        }
    }
    orr__class_fini(&c);
    if (!err && !g->why && orr__array_one_more(m->island, m->islands)) {
        m->island[m->islands++] = i;
        return ORR_OK;
    }
    orr__free(i.link);
    orr__free(i.node);
    return err ? err : g->why ? ORR_OK : orr__no_memory(why);
}

#define PAUSES 4 /* times what was seen in a trial */

/* What has to lie between two calls of an island, by trial. */
static orr_err try_calls(struct orr_call_memo *m, const struct orr_island *i,
                         struct orr_report *why)
{
    struct orr_group_of_ranks *g = &m->group[i->group];
    const struct orr_program *p = m->world->jobs[g->job].team->program;
    uint64_t iterations = m->world->jobs[g->job].iterations;
    orr_err err = ORR_OK;
    for (uint32_t c = 0; c < p->calls && !err; c++) {
        struct orr_call_trial t;
        if (!orr__is_call_of(p, &p->call[c], g->rank[g->n - 1], g))
            continue;
        err = orr__memo_try(m, i, &p->call[c], &t, why);
        if (err)
            break;
        g->pause_ps = t.extent_ps > g->pause_ps ? t.extent_ps : g->pause_ps;
        g->calls += iterations;
        g->hops += iterations * t.hops;
    }
    g->pause_ps *= PAUSES;
    return err;
}

/* Of groups that nothing stands in the way of: those that programs allow. */
static orr_err find_islands(struct orr_call_memo *m, struct orr_report *why)
{
    uint32_t kept = 0;
    orr_err err = ORR_OK;
    for (uint32_t g = 0; g < m->groups && !err; g++)
        if (!m->group[g].why)
            err = add_island(m, g, why);
    for (uint32_t i = 0; i < m->islands && !err; i++)
        err = try_calls(m, &m->island[i], why);
    if (!err)
        err = orr__memo_check_order(m, why);
    m->members = 0;
    for (uint32_t i = 0; i < m->islands; i++) {
        struct orr_island x = m->island[i];
        if (err || !m->group[x.group].why) {
            x.first = m->members;
            m->members += x.n;
            m->result.calls_planned += m->group[x.group].calls;
            m->result.hops_planned += m->group[x.group].hops;
            m->island[kept++] = x;
        } else {
            orr__free(x.link);
            orr__free(x.node);
        }
    }
    m->islands = kept;
    return err;
}

/* Groups are counted by what stands in their way. */
static void note_obstacles(struct orr_call_memo *m)
{
    struct orr_memo_result *r = &m->result;
    for (uint32_t g = 0; g < m->groups; g++) {
        const char *why = m->group[g].why;
        uint32_t k = 0;
        if (!why)
            continue;
        while (k < r->obstacles && r->obstacle[k].why != why)
            k++;
        if (k == ORR_MEMO_OBSTACLES)
            continue;
        if (k == r->obstacles)
            r->obstacle[r->obstacles++].why = why;
        r->obstacle[k].groups++;
    }
}

/* ---- what a run must be like ----------------------------------------------
 */

/* Why nothing of this run can be replayed; NULL: something may be. */
static const char *why_unfit(const struct orr_world *w)
{
    const struct orr_net_config *c = w->net_config;
    const char *why = orr__net_opaque(w->net, true);
    if (why)
        return why;
    if (w->n_jobs == 0)
        return "there are no jobs";
    if (w->repeat)
        return "repeat.kind skips whole iterations";
    if (w->jobs_join || w->jobs_apart)
        return "jobs do not run together";
    if (w->options.stop_ps != ORR_NEVER)
        return "the run is stopped at a time";
    if (w->watch.series || w->watch.owners || w->watch.by_job)
        return "links are recorded over time (record: none would do)";
    if (c->failures)
        return "links fail or change";
    if (c->rules)
        return "rules are of links of the whole network (network.by_tier)";
    if (c->path != ORR_PATH_ecmp && c->path != ORR_PATH_first)
        return "paths are chosen by more than the tables of routing";
    if (c->idle_restart)
        return "windows begin anew after a rest (network.idle_restart)";
    return NULL;
}

/* ---- beginning and end ----------------------------------------------------
 */

/* Members of all islands, and which a rank is. */
static orr_err number_members(struct orr_call_memo *m, struct orr_report *why)
{
    const struct orr_world *w = m->world;
    m->member = orr__alloc(m->members, sizeof *m->member);
    m->of_job = orr__alloc(w->n_jobs, sizeof *m->of_job);
    if (!m->member || !m->of_job)
        return orr__no_memory(why);
    for (uint32_t i = 0; i < m->islands; i++) {
        const struct orr_island *x = &m->island[i];
        const struct orr_group_of_ranks *g = &m->group[x->group];
        uint32_t **of = &m->of_job[g->job].member,
                 ranks = w->jobs[g->job].ranks;
        if (!*of) {
            *of = orr__alloc(ranks, sizeof **of);
            if (!*of)
                return orr__no_memory(why);
            for (uint32_t r = 0; r < ranks; r++)
                (*of)[r] = ORR_NONE;
        }
        for (uint32_t k = 0; k < x->n; k++) {
            m->member[x->first + k] = (struct orr_island_member){
                .island = i, .next = (*of)[g->rank[k]]};
            (*of)[g->rank[k]] = x->first + k;
        }
    }
    return ORR_OK;
}

orr_err orr__memo_plan(struct orr_world *w, struct orr_report *why)
{
    if (!w->operations || w->memo)
        return ORR_OK;
    struct orr_call_memo *m = w->memo = orr__alloc(1, sizeof *m);
    if (!m)
        return orr__no_memory(why);
    pthread_mutex_init(&m->lock, NULL);
    m->world = w;
    w->result.replayed = &m->result;
    m->result.full = why_unfit(w);
    if (m->result.full)
        return ORR_OK;
    orr_err err = orr__memo_find_groups(m, why);
    if (!err)
        err = find_islands(m, why);
    if (err)
        return err;
    note_obstacles(m);
    m->result.islands = m->islands;
    m->result.classes = m->islands ? m->classes : 0;
    return number_members(m, why);
}

void orr__memo_check_observers(struct orr_world *w)
{
    struct orr_call_memo *m = w->memo;
    if (m && !m->result.full && orr__net_is_observed(w->net))
        m->result.full = "packets are looked at one by one";
}

orr_err orr__memo_start(struct orr_world *w, struct orr_report *why)
{
    struct orr_call_memo *m = w->memo;
    if (!orr__memo_works(w))
        return ORR_OK;
    m->due = orr__alloc_lines(w->options.workers, sizeof *m->due);
    m->user = orr__net_user(w->net, &upcalls, m);
    if (!m->due || m->user == ORR_NONE || !orr__net_may_mark(w->net))
        return orr__no_memory(why);
    for (unsigned k = 0; k < w->options.workers; k++) {
        m->due[k].island = orr__alloc(m->islands, sizeof(uint32_t));
        if (!m->due[k].island)
            return orr__no_memory(why);
    }
    for (uint32_t i = 0; i < m->islands; i++) {
        const struct orr_group_of_ranks *g = &m->group[m->island[i].group];
        struct orr_team *t = w->jobs[g->job].team;
        struct orr_job_members *j = &m->of_job[g->job];
        j->memo = m;
        j->replay = (struct orr_call_replay){.enter = enter, .arg = j};
        t->replay = &j->replay;
        for (uint32_t k = 0; k < g->n; k++)
            m->member[m->island[i].first + k].rank = &t->rank[g->rank[k]];
    }
    orr__net_between(w->net, after_window, m);
    return ORR_OK;
}

void orr__memo_free(struct orr_world *w)
{
    struct orr_call_memo *m = w->memo;
    if (!m)
        return;
    for (uint32_t i = 0; i < m->islands; i++) {
        struct orr_island *x = &m->island[i];
        orr__bench_free(x->bench);
        if (x->own)
            orr__known_fini(x->own);
        orr__free(x->own);
        orr__free(x->link);
        orr__free(x->node);
    }
    for (uint32_t i = 0; i < m->classes; i++)
        orr__class_fini(&m->class[i]);
    for (uint32_t i = 0; i < m->groups; i++)
        orr__free(m->group[i].rank);
    for (uint32_t i = 0; m->of_job && i < w->n_jobs; i++)
        orr__free(m->of_job[i].member);
    for (unsigned k = 0; m->due && k < w->options.workers; k++)
        orr__free(m->due[k].island);
    void *array[] = {m->island,    m->class,  m->group,  m->region,
                     m->region_of, m->member, m->of_job, m->due};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++)
        orr__free(array[i]);
    pthread_mutex_destroy(&m->lock);
    orr__free(m);
    w->memo = NULL;
    w->result.replayed = NULL;
}
