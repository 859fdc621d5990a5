#include "workload/program/limits.h"

#include <stdio.h>

#include "core/units.h"
#include "net/config/config.h"
#include "net/net.h"

uint64_t orr__program_limits_fastest(const struct orr_graph *g,
                                     const struct orr_failures *f)
{
    uint64_t fastest = 0;
    for (uint32_t l = 0; l < g->links; l++)
        if (g->rate_bps[l] > fastest)
            fastest = g->rate_bps[l];
    for (uint32_t i = 0; f && i < f->retunes; i++)
        if (f->retune[i].rate_bps > fastest)
            fastest = f->retune[i].rate_bps;
    return fastest;
}

/* What a rate carries until simulated time ends; a run that is stopped before
 * need not carry it all. */
static uint64_t in_time(const struct orr_world *w, uint64_t bps)
{
    unsigned __int128 bytes =
        (unsigned __int128)ORR_HORIZON * bps / 8000000000000u;
    return bps == 0 || w->options.stop_ps < ORR_HORIZON || bytes > UINT64_MAX
               ? UINT64_MAX
               : (uint64_t)bytes;
}

/* Packet numbers of a connection are 32 bits, and half of them are used so that
 * they can be compared. */
static uint64_t in_packets(const struct orr_world *w)
{
    const struct orr_net_wire wire = orr__net_wire(w->net_config);
    return wire.whole ? UINT64_MAX
                      : orr__smallest_payload(w->net_config) * INT32_MAX;
}

uint64_t orr__program_limits_message(const struct orr_world *w)
{
    uint64_t a = in_time(w, w->fastest_bps), b = in_packets(w);
    return a < b ? a : b;
}

uint64_t orr__program_limits_local(const struct orr_world *w,
                                   uint64_t local_bps)
{
    return in_time(w, local_bps);
}

void orr__program_limits_words(const struct orr_world *w, uint64_t bytes,
                               char *text, size_t size)
{
    char most[32], rate[32];
    uint64_t packets = in_packets(w);
    if (bytes > packets) {
        orr__human_size(packets, most, sizeof most);
        snprintf(text, size, "more than 2^31 packets (%s)", most);
        return;
    }
    orr__human_rate((double)w->fastest_bps, rate, sizeof rate);
    snprintf(text, size,
             "more than the fastest link (%s) carries in 53 days, "
             "when simulated time ends",
             rate);
}

/* ---- programs ----------------------------------------------------------- */

static uint32_t host_of(const struct orr_program_limits *r,
                        const struct orr_program *p, uint32_t member)
{
    return member < p->ranks ? r->hosts[member]
                             : p->server_host[member - p->ranks];
}

/* The most bytes of one message of a call, within a host and beyond it. Every
 * group of a call does the same: one stands for all, those apart. */
struct largest {
    uint64_t local, remote;
};

#define MOST_TRANSFERS (UINT64_C(1) << 22)

/* The largest transfers at one spot, between hosts and within one; *seen counts
 * the work. */
static void see_spot(const struct orr_program_limits *r,
                     const struct orr_program *p, const struct orr_call *x,
                     struct orr_spot at, struct largest *most, uint64_t *seen)
{
    uint32_t sends, receives, of = x->from;
    uint32_t own = host_of(r, p, orr__call_rank(p, x, at.member, of));
    x->c.ops->count(&x->c, at, &sends, &receives);
    *seen += sends + 1;
    for (uint32_t i = 0; i < sends; i++) {
        struct orr_transfer t;
        x->c.ops->send(&x->c, x->c.largest, at, i, &t);
        uint64_t *m = host_of(r, p, orr__call_rank(p, x, t.peer, of)) == own
                          ? &most->local
                          : &most->remote;
        *m = t.bytes > *m ? t.bytes : *m;
    }
}

/* Over all spots, but after MOST_TRANSFERS transfers of one size only of some
 * members, which then stand for all. */
static struct largest largest_of(const struct orr_program_limits *r,
                                 const struct orr_program *p,
                                 const struct orr_call *x)
{
    struct largest most = {0, 0};
    uint32_t members = x->c.n + x->c.servers, lanes = x->lanes;
    uint64_t seen = 0;
    for (uint32_t l = 0; l < lanes; l++) {
        uint32_t steps = x->c.ops->steps(&x->c, l);
        for (uint32_t s = 0; s < steps; s++)
            for (uint32_t m = 0;
                 m < members && (seen < MOST_TRANSFERS || x->c.sizes); m++)
                see_spot(r, p, x, (struct orr_spot){m, l, s}, &most, &seen);
    }
    return most;
}

/* What is too large for a net, or for simulated time; text says how large. */
static bool beyond(const struct orr_program_limits *r, const char *whose,
                   const struct largest *most, char *text, size_t size)
{
    const struct orr_world *w = r->world;
    char why[160], bytes[32];
    if (most->remote > orr__program_limits_message(w)) {
        orr__human_size(most->remote, bytes, sizeof bytes);
        orr__program_limits_words(w, most->remote, why, sizeof why);
        snprintf(text, size, "%s%s is %s", whose, bytes, why);
        return true;
    }
    if (most->local <= orr__program_limits_local(w, r->local_bps))
        return false;
    orr__human_size(most->local, bytes, sizeof bytes);
    snprintf(text, size,
             "%s%s within a host takes longer than 53 days, when "
             "simulated time ends",
             whose, bytes);
    return true;
}

static bool call_beyond(const struct orr_program_limits *r,
                        const struct orr_program *p, const struct orr_call *x,
                        char *text, size_t size)
{
    uint64_t net = orr__program_limits_message(r->world);
    uint64_t local = orr__program_limits_local(r->world, r->local_bps);
    /* no message has more than all that a chunk is about */
    if (x->c.largest < (net < local ? net : local) / x->c.n)
        return false;
    struct largest most = largest_of(r, p, x);
    return beyond(r, "a message of ", &most, text, size);
}

/* The hosts of all that carry it out are the same as their peers'. */
static bool stays_on_hosts(const struct orr_program_limits *r,
                           const struct orr_program *p, const struct orr_op *op)
{
    for (uint32_t i = 0; i < p->ranks; i++)
        if (orr__program_runs(p, op, i)
            && r->hosts[i] != r->hosts[orr__op_peer(p, op, i)])
            return false;
    return true;
}

bool orr__program_limits_beyond(const struct orr_program_limits *r,
                                const struct orr_program *p,
                                const struct orr_op *op, char *text,
                                size_t size)
{
    if (orr__op_has(op->kind, ORR_OP_HAS_CALL))
        return call_beyond(r, p, &p->call[op->index], text, size);
    if (!orr__op_has(op->kind, ORR_OP_TRANSMITS)
        || (op->bytes <= orr__program_limits_message(r->world)
            && op->bytes <= orr__program_limits_local(r->world, r->local_bps)))
        return false;
    struct largest most = {op->bytes, stays_on_hosts(r, p, op) ? 0 : op->bytes};
    if (most.remote)
        most.local = 0;
    return beyond(r, "", &most, text, size);
}
