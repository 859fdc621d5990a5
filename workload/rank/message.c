/* Messages of a rank: their overhead, then the net or, within one host, a
 * time of their own. */
#include <xxhash.h>

#include "core/assert.h"
#include "core/none.h"
#include "core/units.h"
#include "workload/rank/rank.h"

uint64_t orr__post_identity(const struct orr_team *t, uint32_t src,
                            uint32_t dst)
{
    /* the last was a class once: what a job is served as moves no path */
    const uint32_t name[] = {t->job, src, dst, 0};
    return XXH3_64bits(name, sizeof name);
}

/* A later stage's goes the way of the first, if nothing else is said. */
struct orr_connection_spec orr__post_spec(const struct orr_team *t,
                                          uint32_t stage, uint32_t src,
                                          uint32_t dst)
{
    stage = orr__path_stage_of(t, stage);
    uint64_t identity = orr__post_identity(t, src, dst);
    const uint64_t name[] = {identity, stage};
    struct orr_connection_spec spec = {
        .src = t->hosts[src],
        .dst = t->hosts[dst],
        .identity = stage ? XXH3_64bits(name, sizeof name) : identity,
        .entropy = stage ? identity : 0,
        .service = stage ? t->stage[stage].service : t->service,
        .share = t->job + UINT64_C(1),
    };
    orr__path_overrides_set(&t->stage[stage].overrides, src, dst, &spec);
    return spec;
}

uint32_t orr__path_stage_of(const struct orr_team *t, uint32_t stage)
{
    while (t->stage[stage].goes_on)
        stage--;
    return stage;
}

void orr__post_restage(struct orr_rank *r)
{
    if (r->team->stage[r->stage + 1].goes_on) {
        r->stage++;
        return;
    }
    r->stage++;
    if (r->peers == 0)
        return;
    uint32_t *more =
        orr__resize(r->retired, r->n_retired + r->peers, sizeof *more);
    if (!more) {
        orr__rank_fail(r);
        return;
    }
    r->retired = more;
    for (uint32_t i = 0; i <= r->peer_mask; i++) {
        if (r->connection[i] == ORR_NONE)
            continue;
        r->retired[r->n_retired++] = r->connection[i];
        r->connection[i] = ORR_NONE;
    }
    ORR_ASSERT(r->n_retired >= r->peers);
    r->peers = 0;
    r->recent_connection = ORR_NONE;
}

/* ---- connections -------------------------------------------------------- */

/* Twice the room for peers and their connections, entered anew. false: no
 * memory, nothing changed. */
static bool grow_peers(struct orr_rank *r)
{
    uint32_t mask = r->peer ? r->peer_mask * 2 + 1 : 3;
    uint32_t *peer = orr__alloc(mask + (size_t)1, sizeof *peer);
    uint32_t *connection = orr__alloc(mask + (size_t)1, sizeof *connection);
    if (!peer || !connection) {
        orr__free(peer);
        orr__free(connection);
        return false;
    }
    for (uint32_t i = 0; i <= mask; i++)
        connection[i] = ORR_NONE;
    for (uint32_t i = 0; r->peer && i <= r->peer_mask; i++)
        if (r->connection[i] != ORR_NONE) {
            uint32_t j = orr__peer_find(peer, connection, mask, r->peer[i]);
            peer[j] = r->peer[i];
            connection[j] = r->connection[i];
        }
    orr__free(r->peer);
    orr__free(r->connection);
    r->peer = peer;
    r->connection = connection;
    r->peer_mask = mask;
    return true;
}

/* How many classes above the job's a message is. */
static uint32_t raise_of(const struct orr_team *t, const struct orr_later *m)
{
    const struct orr_program *p = t->program;
    bool of_call = m->arg < ORR_ARG_OWN && !orr__is_request(m->arg);
    return p->raises && of_call ? p->call[m->arg].raise : 0;
}

/* The same of a peer, raised or not, that is not the recent one. */
static uint32_t find_connection(struct orr_rank *r, int64_t now, uint32_t peer)
{
    const struct orr_team *t = r->team;
    uint32_t i = 0, raise = peer / t->members;
    if (r->peer) {
        i = orr__peer_find(r->peer, r->connection, r->peer_mask, peer);
        if (r->connection[i] != ORR_NONE)
            return r->connection[i];
    }
    if (!r->peer || r->peers >= r->peer_mask - r->peer_mask / 4) {
        if (!grow_peers(r)) {
            orr__rank_fail(r);
            return ORR_NONE;
        }
        i = orr__peer_find(r->peer, r->connection, r->peer_mask, peer);
    }
    struct orr_connection_spec spec =
        orr__post_spec(t, r->stage, r->rank, peer % t->members);
    if (raise) { /* by the same path */
        const uint64_t name[] = {spec.identity, raise};
        spec.entropy = spec.entropy ? spec.entropy : spec.identity;
        spec.identity = XXH3_64bits(name, sizeof name);
        spec.raise = raise;
    }
    r->peer[i] = peer;
    r->connection[i] = orr__net_connect(t->net, now, &spec);
    r->peers += r->connection[i] != ORR_NONE;
    return r->connection[i];
}

/* Made when first used, and kept. peer: members times the raise are added to
 * it. ORR_NONE: the run is failing. */
static uint32_t connection_to(struct orr_rank *r, int64_t now, uint32_t peer)
{
    if (r->recent_peer == peer && r->recent_connection != ORR_NONE)
        return r->recent_connection;
    r->recent_peer = peer;
    r->recent_connection = find_connection(r, now, peer);
    return r->recent_connection;
}

/* ---- posting ------------------------------------------------------------ */

/* Without the network: leaves at the local rate, arrives after the local delay.
 * Both ranks are of this thread. */
static __attribute__((noinline)) void post_local(struct orr_rank *r,
                                                 int64_t now,
                                                 const struct orr_later *m)
{
    const struct orr_team *t = r->team;
    struct orr_later x = *m;
    int64_t leaves =
        orr__time_add(now, orr__serialisation(m->bytes, t->local_bps));
    int64_t arrives = orr__time_add(leaves, t->local_delay_ps);
    ORR_ASSERT(now <= leaves && leaves <= arrives);
    x.kind = ORR_LATER_LEFT;
    orr__rank_later(r, t->acked ? arrives : leaves, &x);
    x.kind = ORR_LATER_ARRIVED;
    x.peer = r->rank;
    orr__rank_later(&t->rank[m->peer], arrives, &x);
}

void orr__post_counted(struct orr_rank *r, int64_t now,
                       const struct orr_later *m)
{
    const struct orr_team *t = r->team;
    bool request = orr__is_request(m->arg);
    ORR_ASSERT(m->peer < t->members);
    if (t->hosts[m->peer] == t->hosts[r->rank]) {
        if (!orr__post_on_tree(r, now, m))
            post_local(r, now, m);
        return;
    }
    uint32_t connection =
        connection_to(r, now, m->peer + raise_of(t, m) * t->members);
    if (connection == ORR_NONE)
        return;
    const struct orr_message x = {
        .bytes = m->bytes,
        .tag = m->tag,
        .user = t->user,
        .src = r->rank,
        .dst = m->peer,
        .arg = m->arg,
    };
    r->tally->bytes_sent += request ? 0 : m->bytes;
    r->bytes_sent += request ? 0 : m->bytes;
    orr__net_send(t->net, now, connection, &x);
}

void orr__post_now(struct orr_rank *r, int64_t now, const struct orr_later *m)
{
    if (m->arg < ORR_ARG_OWN && !orr__is_request(m->arg))
        orr__collect_sent(r, now, m->arg, m->tag, m->bytes);
    orr__post_counted(r, now, m);
}

int64_t orr__post_cost(const struct orr_team *t, uint64_t bytes)
{
    if (!t->overhead_bps)
        return t->overhead_ps;
    return orr__time_add(t->overhead_ps,
                         orr__serialisation(bytes, t->overhead_bps));
}

int64_t orr__post_drawn(struct orr_rank *r, uint64_t bytes)
{
    const struct orr_team *t = r->team;
    int64_t cost = orr__post_cost(t, bytes);
    if (t->overhead_jitter.kind == ORR_JITTER_NONE)
        return cost;
    const uint64_t name[] = {t->job, r->rank, r->draws++};
    return orr__jitter_draw(&t->overhead_jitter, cost, t->seed,
                            XXH3_64bits(name, sizeof name));
}

void orr__post_message(struct orr_rank *r, int64_t now, uint32_t peer,
                       uint64_t bytes, uint64_t tag, uint32_t arg)
{
    const struct orr_later m = {
        .kind = ORR_LATER_POST,
        .tag = tag,
        .bytes = bytes,
        .arg = arg,
        .peer = peer,
    };
    if (r->team->free_posts) {
        orr__post_now(r, now, &m);
        return;
    }
    if (!r->team->program->request_bytes || orr__rendezvous_send(r, &m))
        orr__post_paid(r, now, &m);
}

void orr__post_paid(struct orr_rank *r, int64_t now, const struct orr_later *m)
{
    if (r->team->overhead_on == ORR_OVERHEAD_COMPUTE
        && (orr__post_cost(r->team, m->bytes)
            || r->team->overhead_jitter.kind != ORR_JITTER_NONE)) {
        orr__rank_enqueue(r, m); /* its turn draws its cost */
        return;
    }
    int64_t cost = orr__post_drawn(r, m->bytes);
    bool turn = r->team->overhead_jitter.kind != ORR_JITTER_NONE
                && r->post_free_ps > now; /* drawn costs keep the order */
    if (cost == 0 && !turn) {
        orr__post_now(r, now, m);
    } else {
        int64_t from = now > r->post_free_ps ? now : r->post_free_ps;
        r->post_free_ps = orr__time_add(from, cost);
        if (r->team->overhead_on == ORR_OVERHEAD_THREAD)
            r->stolen_ps = orr__time_add(r->stolen_ps, cost);
        orr__rank_later(r, r->post_free_ps, m);
    }
}
