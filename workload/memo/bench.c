/* A bench: a small net with the part of the graph that islands of a class are,
 * and ranks on it that enter calls when they are told to. */
#include "core/assert.h"
#include "core/fingerprint.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/units.h"
#include "net/watch/state.h"
#include "workload/memo/internal.h"

#define PAUSE ORR_MS /* where it does not matter how long it is */

/* A net that the bench owns, and what happens on it in one call. */
struct orr_bench {
    const struct orr_island_class *class;
    struct orr_net *net;
    struct orr_net_alias alias;
    struct orr_team team;
    struct orr_rank *rank; /* of the team: one for each member */
    struct orr_tally *tally;
    struct orr_call_replay replay; /* what the team calls */
    uint32_t user, state, op;
    int64_t now; /* all has happened by then; 0: nothing has */
    int64_t *end;
    bool *arrives, arriving; /* what is being dealt with has arrived */
};

uint32_t orr__bench_state(const struct orr_bench *b)
{
    return b->state;
}

void orr__bench_set_state(struct orr_bench *b, uint32_t state)
{
    b->state = state;
}

uint64_t orr__bench_lots(const struct orr_bench *b)
{
    return orr__net_lots(b->net);
}

/* ---- what ranks hear ----------------------------------------------------- */

static void received(void *bench, uint32_t host, int64_t now,
                     const struct orr_message *m)
{
    struct orr_bench *b = bench;
    b->arriving = true;
    b->rank[m->dst].bytes_received += m->bytes;
    orr__rank_received(&b->rank[m->dst], now, m->src, m->tag, m->arg);
}

static void sent(void *bench, uint32_t host, int64_t now,
                 const struct orr_message *m)
{
    struct orr_bench *b = bench;
    b->arriving = false;
    if (!b->team.acked)
        orr__rank_left(&b->rank[m->src], now, m->tag, m->arg);
}

static void acked(void *bench, uint32_t host, int64_t now,
                  const struct orr_message *m)
{
    struct orr_bench *b = bench;
    b->arriving = true;
    if (b->team.acked)
        orr__rank_left(&b->rank[m->src], now, m->tag, m->arg);
}

static bool leaves(void *bench, uint32_t host, int64_t at,
                   const struct orr_message *m)
{
    struct orr_bench *b = bench;
    return b->team.acked
           || orr__rank_leaves(&b->rank[m->src], at, m->tag, m->arg);
}

static void timer(void *bench, uint32_t host, int64_t now, uint64_t rank)
{
    struct orr_bench *b = bench;
    orr__collect_start(&b->rank[rank], now, b->op);
}

static const struct orr_net_ops upcalls = {
    .received = received,
    .sent = sent,
    .leaves = leaves,
    .acked = acked,
    .timer = timer,
};

static void ended(void *bench, struct orr_rank *r, int64_t now, uint32_t op)
{
    struct orr_bench *b = bench;
    b->end[r->rank] = now;
    b->arrives[r->rank] = b->arriving;
}

/* ---- making one ---------------------------------------------------------- */

void orr__bench_free(struct orr_bench *b)
{
    if (!b)
        return;
    for (uint32_t i = 0; b->rank && i < b->class->n; i++)
        if (b->rank[i].team)
            orr__rank_fini(&b->rank[i]);
    orr__free(b->rank);
    if (b->tally)
        orr__free(b->tally->call);
    orr__free(b->tally);
    orr__free(b->end);
    orr__free(b->arrives);
    orr__net_free(b->net);
    orr__free(b);
}

/* A team of the members of an island, in one process and one iteration. */
static void make_team(struct orr_bench *b)
{
    const struct orr_island_class *c = b->class;
    struct orr_team *t = &b->team;
    *t = *c->team;
    t->ranks = t->members = c->n;
    t->iterations = 1;
    t->program = c->program;
    t->hosts = c->host;
    t->net = b->net;
    t->clock = &orr__packet_clock;
    t->free_posts = true;
    t->rank = b->rank;
    t->tally = &b->tally;
    t->replay = &b->replay;
    t->slower = NULL;
    t->kept = 0; /* what is counted of calls goes to `beyond` */
    t->ended = NULL;
    t->finished = NULL;
    b->replay = (struct orr_call_replay){.ended = ended, .arg = b};
    b->user = t->user = orr__net_user(b->net, &upcalls, b);
}

orr_err orr__bench_new(const struct orr_call_memo *m,
                       const struct orr_island_class *c, struct orr_bench **out,
                       struct orr_report *why)
{
    const struct orr_world *w = m->world;
    struct orr_bench *b = *out = orr__alloc(1, sizeof *b);
    if (!b)
        return orr__no_memory(why);
    b->class = c;
    orr_err err = orr__net_new(c->graph, c->routes, w->net_config, w->seed, 1,
                               NULL, &b->net, why);
    if (err)
        return err;
    orr__net_set_window(b->net, orr__net_fixed_window(w->net));
    b->rank = orr__alloc_lines(c->n, sizeof *b->rank);
    b->tally = orr__alloc_lines(1, sizeof *b->tally);
    b->end = orr__alloc(c->n, sizeof *b->end);
    b->arrives = orr__alloc(c->n, sizeof *b->arrives);
    if (!b->rank || !b->tally || !b->end || !b->arrives)
        return orr__no_memory(why);
    make_team(b);
    bool ok = b->user != ORR_NONE;
    for (uint32_t i = 0; ok && i < c->n; i++) {
        ok = orr__rank_init(&b->rank[i], &b->team, i, b->tally);
        b->rank[i].left = 1; /* it does what it is told, and nothing else */
    }
    return ok ? ORR_OK : orr__no_memory(why);
}

/* ---- going through a call ------------------------------------------------ */

/* Sums over all of its connections. */
static struct orr_connection_stats stats_of(const struct orr_bench *b)
{
    struct orr_connection_stats sum = {0}, one;
    for (uint32_t i = 0; i < b->class->n; i++) {
        const struct orr_rank *r = &b->rank[i];
        for (uint32_t k = 0; r->peer && k <= r->peer_mask; k++) {
            if (r->connection[k] == ORR_NONE)
                continue;
            orr__net_connection_stats(b->net, r->connection[k], &one);
            orr__connection_stats_add(&sum, &one);
        }
    }
    return sum;
}

/* What there was before a call, so that what it makes is the difference. */
struct then {
    struct orr_net_counters counters;
    struct orr_link_gain *link;
    struct orr_connection_stats stats;
    uint64_t hops;
};

/* All that is counted so far; ->link is the caller's, also after a failure. */
static orr_err measure(const struct orr_bench *b, struct then *x,
                       struct orr_report *why)
{
    uint32_t links = b->class->graph->links;
    struct orr_net_totals t;
    x->link = orr__alloc(links, sizeof *x->link);
    if (!x->link)
        return orr__no_memory(why);
    for (uint32_t l = 0; l < links; l++)
        orr__net_link_counters(b->net, l, &x->link[l]);
    orr__net_counters(b->net, &x->counters);
    orr__net_totals(b->net, &t);
    x->hops = t.packet_hops;
    x->stats = stats_of(b);
    return ORR_OK;
}

static void subtract_stats(struct orr_connection_stats *a,
                           const struct orr_connection_stats *b)
{
    a->packets -= b->packets;
    a->payload_bytes -= b->payload_bytes;
    a->wire_bytes -= b->wire_bytes;
    a->marks -= b->marks;
    a->retransmissions -= b->retransmissions;
    a->timeouts -= b->timeouts;
    a->cnps -= b->cnps;
    a->probes -= b->probes;
}

/* a becomes what came since b was measured; the longest backlogs stay. */
static void subtract_links(struct orr_link_gain *a,
                           const struct orr_link_gain *b, uint32_t links)
{
    for (uint32_t l = 0; l < links; l++) {
        a[l].bytes -= b[l].bytes;
        a[l].packets -= b[l].packets;
        a[l].marks -= b[l].marks;
        a[l].drops -= b[l].drops;
        a[l].lost -= b[l].lost;
        a[l].pauses -= b[l].pauses;
        a[l].frames -= b[l].frames;
        a[l].paused_ps -= b[l].paused_ps;
        a[l].area -= b[l].area;
    }
}

/* The same of what lanes count; the longest timeout stays. */
static void subtract_counters(struct orr_net_counters *a,
                              const struct orr_net_counters *b)
{
    a->events -= b->events;
    a->sent -= b->sent;
    a->delivered -= b->delivered;
    a->dropped -= b->dropped;
    a->marks -= b->marks;
    a->repeats -= b->repeats;
    a->trimmed -= b->trimmed;
    a->timeouts -= b->timeouts;
    a->frames -= b->frames;
    a->frames_received -= b->frames_received;
    a->pauses -= b->pauses;
}

/* What has changed since. */
static orr_err keep_difference(struct orr_bench *b, const struct then *before,
                               struct orr_known_call *k, struct orr_report *why)
{
    struct then now;
    orr_err err = measure(b, &now, why);
    if (err)
        return err;
    subtract_links(now.link, before->link, b->class->graph->links);
    subtract_counters(&now.counters, &before->counters);
    subtract_stats(&now.stats, &before->stats);
    orr__free(k->link);
    k->link = now.link;
    k->counters = now.counters;
    k->stats = now.stats;
    k->hops = now.hops - before->hops;
    k->call = b->tally->beyond;
    return ORR_OK;
}

/* Members enter; all is over when this returns. */
static orr_err run_call(struct orr_bench *b, const struct orr_bench_run *run,
                        struct orr_known_call *k, int64_t begin,
                        struct orr_report *why)
{
    int64_t end = 0;
    b->op = run->call;
    b->tally->beyond = (struct orr_tally_call){0};
    for (uint32_t i = 0; i < b->class->n; i++) {
        b->end[i] = -1;
        b->rank[i].bytes_sent = b->rank[i].bytes_received = 0;
        orr__net_timer(b->net, b->rank[i].host, begin + run->offset[i], b->user,
                       i);
    }
    uint64_t lots = orr__net_lots(b->net);
    orr__net_random_ties_begin(b->net);
    orr_err err = orr__net_run(b->net, ORR_NEVER, NULL, NULL, &end, why);
    k->lots = orr__net_random_ties_end(b->net) + orr__net_lots(b->net) - lots;
    if (err)
        return err;
    b->now = orr__net_settle(b->net, end);
    k->last_ps = end - begin;
    k->quiet_ps = b->now - begin;
    for (uint32_t i = 0; i < b->class->n; i++) {
        if (b->end[i] < 0)
            return orr__fail(why, ORR_EINTERNAL,
                             "a collective did not end by itself");
        k->part[i] = (struct orr_call_part){
            .end_ps = b->end[i] - begin,
            .arrives = b->arrives[i],
            .sent = b->rank[i].bytes_sent,
            .received = b->rank[i].bytes_received,
        };
    }
    return ORR_OK;
}

/* Two looks, so far apart that whatever goes on shows. */
static orr_err sample_quiet(struct orr_bench *b, uint64_t *digest,
                            bool *goes_on, struct orr_report *why)
{
    uint64_t later;
    int64_t end = b->now;
    bool ok = orr__net_quiet_digest(b->net, digest);
    orr__net_settle(b->net, orr__time_add(end, PAUSE));
    ok &= orr__net_quiet_digest(b->net, &later);
    b->now = orr__net_settle(b->net, end);
    ORR_ASSERT(b->now == end);
    *goes_on = *digest != later;
    return ok ? ORR_OK : orr__no_memory(why);
}

orr_err orr__bench_go(struct orr_bench *b, const struct orr_bench_run *run,
                      struct orr_known_call *k, uint64_t *digest, bool *goes_on,
                      struct orr_report *why)
{
    int64_t pause = run->pause_ps < 0 ? PAUSE : run->pause_ps;
    int64_t begin = orr__time_add(b->now, b->now > 0 ? pause : PAUSE);
    struct then before;
    if (b->now > 0)
        orr__net_settle(b->net, begin);
    b->alias = (struct orr_net_alias){.link = run->island->link,
                                      .node = run->island->node,
                                      .shift_ps = run->first_ps - begin};
    orr__net_stand_for(b->net, &b->alias);
    orr__net_forget_maxima(b->net);
    orr_err err = measure(b, &before, why);
    if (!err)
        err = run_call(b, run, k, begin, why);
    if (!err)
        err = keep_difference(b, &before, k, why);
    if (!err)
        err = sample_quiet(b, digest, goes_on, why);
    orr__free(before.link);
    return err;
}
