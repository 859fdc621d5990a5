#include "record/owners.h"

#include <stdatomic.h>

#include "core/memory.h"
#include "net/fabric/slab.h"
#include "net/watch/packet_observer.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/rank.h"

#define MOST_CONNECTIONS (UINT32_C(1) << 28) /* the net has no more */

/* From packet `first` on, what a connection carries is of this iteration. The
 * host that sends makes them; nodes on the way read those that were there when
 * the packet was sent, or later ones, which are of later packets. */
struct turn {
    struct turn *before;
    uint32_t first, iteration;
};

struct carrier {                   /* a connection */
    _Atomic(struct turn *) newest; /* NULL: not of a job */
    uint32_t owner;
    bool known;
};

/* Whose each packet is that is under way. */
struct orr_owners {
    const struct orr_world *world;
    struct orr_net *net;
    struct orr_slab carrier;
};

static uint32_t owner_of(const struct orr_owners *s, uint32_t user)
{
    for (uint32_t i = 0; i < s->world->n_jobs; i++)
        if (s->world->jobs[i].team->user == user)
            return i;
    return s->world->flows && user == orr__flows_user(s->world)
               ? ORR_OWNER_FLOWS(s->world->n_jobs)
               : ORR_OWNER_OTHERS(s->world->n_jobs);
}

/* The rest of the window is still simulated. */
static void out_of_memory(struct orr_owners *s)
{
    orr__net_fail(s->net, ORR_ENOMEM);
}

/* NULL: there was no memory for it. */
static struct carrier *carrier_of(const struct orr_owners *s,
                                  uint32_t connection)
{
    return s->carrier.chunk[connection / ORR_SLAB_CHUNK]
               ? orr__slab_get(&s->carrier, connection)
               : NULL;
}

uint32_t orr__owners_owner(const struct orr_owners *s,
                           const struct orr_packet *p)
{
    const struct carrier *c = carrier_of(s, p->connection);
    return c ? c->owner : ORR_OWNER_OTHERS(s->world->n_jobs);
}

/* The thread of the host that sends. */
static void on_message(void *turns, int64_t now, const struct orr_message *m)
{
    struct orr_owners *s = turns;
    (void)now;
    if (!orr__slab_reach(&s->carrier, m->connection)) {
        out_of_memory(s);
        return;
    }
    struct carrier *c = carrier_of(s, m->connection);
    if (!c->known) {
        c->owner = owner_of(s, m->user);
        c->known = true;
    }
    if (c->owner >= s->world->n_jobs)
        return;
    const struct orr_job *job = &s->world->jobs[c->owner];
    uint32_t iteration = job->team->rank[m->src].iteration;
    if (iteration >= job->iterations) /* a server that has done its own */
        iteration = job->iterations - 1;
    struct turn *newest =
        atomic_load_explicit(&c->newest, memory_order_relaxed);
    if (newest && newest->iteration == iteration)
        return;
    struct turn *turn = orr__alloc(1, sizeof *turn);
    if (!turn) {
        out_of_memory(s);
        return;
    }
    *turn = (struct turn){newest, m->first_seq, iteration};
    atomic_store_explicit(&c->newest, turn, memory_order_release);
}

/* What is counted of the iteration that a packet is of; NULL: it is not a
 * job's. An ACK is of the iteration of the packets that it tells of. */
static struct orr_iteration_packets *tally_of(const struct orr_owners *s,
                                              const struct orr_packet *p)
{
    const struct carrier *c = carrier_of(s, p->connection);
    const struct turn *turn =
        c ? atomic_load_explicit(&c->newest, memory_order_acquire) : NULL;
    uint32_t seq = p->seq - ((p->size_flags & ORR_PACKET_ACK) != 0);
    if (!turn)
        return NULL;
    while (turn->before && (int32_t)(seq - turn->first) < 0)
        turn = turn->before;
    return &s->world->jobs[c->owner].packets[turn->iteration];
}

static void on_drop(void *turns, const struct orr_observed_hop *h)
{
    struct orr_iteration_packets *t = tally_of(turns, h->packet);
    if (t)
        __atomic_fetch_add(&t->drops, 1, __ATOMIC_RELAXED);
}

static void on_arrival(void *turns, int64_t now, uint32_t host,
                       const struct orr_packet *p)
{
    const struct orr_owners *s = turns;
    (void)now;
    (void)host;
    if (p->size_flags & ORR_PACKET_ACK || !(p->size_flags & ORR_PACKET_CE))
        return;
    struct orr_iteration_packets *t = tally_of(s, p);
    if (t)
        __atomic_fetch_add(&t->marks, 1, __ATOMIC_RELAXED);
}

static const struct orr_packet_observer_ops observer = {
    .message = on_message,
    .dropped = on_drop,
    .arrived = on_arrival,
};

orr_err orr__owners_start(struct orr_world *w, struct orr_report *why)
{
    struct orr_owners *s = w->watch.owners = orr__alloc(1, sizeof *s);
    if (!s)
        return orr__no_memory(why);
    s->world = w;
    s->net = w->net;
    bool ok =
        orr__slab_init(&s->carrier, sizeof(struct carrier), MOST_CONNECTIONS);
    for (uint32_t i = 0; ok && i < w->n_jobs; i++) {
        w->jobs[i].packets =
            orr__alloc(w->jobs[i].iterations, sizeof *w->jobs[i].packets);
        ok = w->jobs[i].packets;
    }
    return ok ? orr__net_observe_packets(w->net, &observer, s, why)
              : orr__no_memory(why);
}

void orr__owners_free(struct orr_world *w)
{
    struct orr_owners *s = w->watch.owners;
    uint32_t n = s && s->carrier.chunk ? orr__slab_bound(&s->carrier) : 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!s->carrier.chunk[i / ORR_SLAB_CHUNK])
            continue;
        struct turn *turn = carrier_of(s, i)->newest;
        while (turn) {
            struct turn *before = turn->before;
            orr__free(turn);
            turn = before;
        }
    }
    if (s)
        orr__slab_fini(&s->carrier);
    orr__free(s);
    w->watch.owners = NULL;
}
