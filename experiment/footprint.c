#include "experiment/footprint.h"

#include <math.h>

#include "net/cc/cc.h"
#include "net/config/config.h"
#include "net/packet.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"
#include "workload/rank/traffic.h"

/* Bytes, measured, rounded up: of a connection both ends and a ring of sent
 * packets that has its first size; of a pair of members beside it a message,
 * a timer, and their places in tables, which are up to half empty; of a pair
 * without packets its two messages and timers, and what goes over links. */
#define CONNECTION_COST 960
#define PAIR_COST       290
#define FIXED_COST      280
#define MESSAGE_COST    80 /* each more that is under way */
#define SENT_COST       16 /* a packet that is not acknowledged ... */
#define REPEAT_COST     8  /* ... and is to be repeated, as many are */
#define SENT_FIRST      4  /* for which there is room anyway */

/* Records: the library that writes them, a node or a link of the topology, and
 * a bin of a link; how many of these there are at most (record/series.c). */
#define RECORDS_COST     6.5e6
#define PART_RECORD_COST 150
#define BIN_COST         24
#define MOST_BINS        2000.0
#define LEAST_BINS       96.0
#define MOST_CELLS       262144.0

/* What is in none of these, and what malloc loses between its pieces. */
#define SLACK       2.5e6
#define SLACK_SHARE 1.08

double orr__ring_slots(double packets)
{
    double n = SENT_FIRST;
    while (n < packets && n < 2147483648.0)
        n *= 2;
    return n;
}

/* State of the control of a connection, as malloc keeps it. NULL: it is the
 * network's. */
static double control_bytes(const struct orr_world *w,
                            const struct orr_net_service *own)
{
    const struct orr_cc *cc = own ? own->cc : w->net_config->service.cc;
    return cc && cc->state_size ? (double)cc->state_size + 24 : 0;
}

static double record_bytes(const struct orr_world *w, double links)
{
    double parts = (double)w->graph->nodes + w->graph->links;
    double cells = fmax(MOST_CELLS, LEAST_BINS * links);
    cells = fmin(MOST_BINS * links, cells);
    return RECORDS_COST + PART_RECORD_COST * parts + BIN_COST * cells;
}

/* How often what is under way at a member goes out again: once in a while.
 * Where links are crowded, or without a control and if nobody knows, where the
 * messages of a few pairs may meet, packets are lost again and again; and those
 * behind them go on, without a control of the next message, too. */
#define SENT_TWICE         2
#define SENT_BLINDLY       4
#define SENT_IN_VAIN       24
#define PAIRS_SENT_IN_VAIN 16
#define PEERS_IN_SERIES    2

/* How often a member sends what is under way, at most; mine: its pairs; it
 * sends to so many peers at once. */
static double copies_sent(const struct orr_world *w,
                          const struct orr_footprint *f, double mine,
                          double peers)
{
    if (f->crowded)
        return SENT_IN_VAIN;
    if (w->net_config->controlled)
        return SENT_TWICE;
    if (mine < PAIRS_SENT_IN_VAIN && peers > mine)
        return SENT_IN_VAIN;
    return peers > mine              ? SENT_BLINDLY
           : peers > PEERS_IN_SERIES ? SENT_TWICE
                                     : 1;
}

/* A ring of as many packets as chance has it: in the mean 1 / ln 2 as many. */
#define RING_SHARE 1.443

/* Slots of a pair's ring of packets that are not acknowledged, in the mean. It
 * stays as large as it was at most. mine: pairs of a member; it sends to so
 * many peers at once, more than these if that is not known. */
static double slots_of_pair(const struct orr_world *w,
                            const struct orr_footprint *f, double mine,
                            double peers)
{
    double copies = copies_sent(w, f, mine, peers), at_once = fmin(mine, peers);
    bool vain = copies == SENT_IN_VAIN;
    bool two = vain && at_once > PEERS_IN_SERIES && !w->net_config->controlled;
    double most = f->host_sent / at_once, sum = 0, pairs = 0;
    if (peers <= mine)
        most = fmin(most, f->path_sent);
    most *= copies;
    for (int i = 0; i < ORR_SENT_SIZES; i++) {
        double sent = ldexp(two ? 2 : 1, i);
        double slots = sent <= most || !vain
                           ? orr__ring_slots(fmin(sent, most))
                           : fmin(orr__ring_slots(sent),
                                  fmax(SENT_FIRST, RING_SHARE * most));
        sum += f->pairs_sent[i] * slots;
        pairs += f->pairs_sent[i];
    }
    return pairs > 0 ? sum / pairs : SENT_FIRST;
}

/* Of all ranks; they share their hosts' rates. */
static double job_bytes(const struct orr_world *w, const struct orr_job *j,
                        const struct orr_footprint *f)
{
    const struct orr_net_wire wire = orr__net_wire(w->net_config);
    struct orr_pairs p;
    orr__traffic_pairs(j->team, &p);
    double each = CONNECTION_COST + PAIR_COST + MESSAGE_COST * (p.at_once - 1)
                  + control_bytes(w, j->team->service);
    if (wire.whole)
        each += FIXED_COST;
    if (!wire.reliable)
        return p.pairs * each;
    double mine = fmax(p.pairs, 1) / fmax(j->team->members, 1);
    double packet = SENT_COST;
    if (!w->net_config->controlled || f->crowded)
        packet += REPEAT_COST;
    double peers = orr__traffic_peers(j->team);
    each += (slots_of_pair(w, f, mine, peers) - SENT_FIRST) * packet;
    return p.pairs * each;
}

uint64_t orr__footprint(const struct orr_world *w, uint64_t before,
                        const struct orr_footprint *f)
{
    const struct orr_net_wire wire = orr__net_wire(w->net_config);
    double sum = (double)orr__jobs_bytes(w);
    sum += f->flows * CONNECTION_COST;
    for (uint32_t i = 0; w->flows && i < w->flows->count; i++)
        sum += control_bytes(w, w->flows->flow[i].service);
    if (wire.reliable && f->flows_open > 0)
        sum += f->flows_open * orr__ring_slots(f->flows_sent / f->flows_open)
               * SENT_COST;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        sum += job_bytes(w, &w->jobs[i], f);
    if (!wire.whole)
        sum += f->slots * (double)sizeof(struct orr_packet);
    if (w->watch.series)
        sum += record_bytes(w, f->links);
    return before + (uint64_t)(SLACK + SLACK_SHARE * sum);
}
