/* Random early detection (Floyd and Jacobson, 1993) as switches do it for
 * RDMA (DCQCN, SIGCOMM'15, section 3.1): the probability rises linearly from 0
 * at kmin to pmax at kmax and is 1 above. Switches go by the backlog itself
 * (weight 1); with a smaller weight by its moving average, which decays over
 * idle time as if packets had arrived (section 4 there). Their count of
 * packets since the last mark is left out, as in switches. */
#include "net/queue/red.h"

#include "core/assert.h"
#include "core/units.h"
#include "net/queue/idle.h"

/* Capacity in bytes; `mark` says whether packets are judged as they come or
 * leave. */
struct red {
    uint64_t capacity;
    struct orr_red line;
    int mark;
    bool ecn;
};

enum { AT_ENQUEUE, AT_DEQUEUE };
static const char *const moments[] = {"enqueue", "dequeue", NULL};

/* Vendors' setting for 25 Gbps; in proportion for other rates. */
#define AUTO_RATE UINT64_C(25000000000)
#define AUTO_KMIN 100000
#define AUTO_KMAX 400000

static const char *unreached(const void *set, const void *around)
{
    const struct red *q = set;

    return orr__idle_beyond(around, q->capacity, &q->line.kmin);
}

static const struct orr_param params[] = {
    {.key = "capacity",
     .type = ORR_PARAM_SIZE,
     .offset = offsetof(struct red, capacity),
     .fallback = "1MiB",
     .min = "1B",
     .help = "bytes that may wait, the packet in service included",
     .idle = orr__idle_capacity},
    {.key = "kmin",
     .type = ORR_PARAM_SIZE_BY_RATE,
     .offset = offsetof(struct red, line.kmin),
     .fallback = "auto",
     .help = "up to here no packet is marked; auto: 100KB for 25 Gbps, in "
             "proportion for other rates",
     .idle = unreached},
    {.key = "kmax",
     .type = ORR_PARAM_SIZE_BY_RATE,
     .offset = offsetof(struct red, line.kmax),
     .fallback = "auto",
     .help = "above this every data packet is marked; auto: 400KB for 25 "
             "Gbps",
     .idle = unreached},
    {.key = "pmax",
     .type = ORR_PARAM_REAL_BY_RATE,
     .offset = offsetof(struct red, line.pmax),
     .fallback = "0.2",
     .min = "0",
     .max = "1",
     .help = "probability of a mark at kmax",
     .idle = unreached},
    {.key = "weight",
     .type = ORR_PARAM_REAL,
     .offset = offsetof(struct red, line.weight),
     .fallback = "1",
     .min = "0.000001",
     .max = "1",
     .help = "of a packet in the moving average of the queue; 1: the queue "
             "itself",
     .idle = unreached},
    {.key = "mark",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct red, mark),
     .fallback = "enqueue",
     .choices = moments,
     .help = "enqueue: by the queue that a packet finds; dequeue: by the queue "
             "behind it when it is sent",
     .idle = unreached},
    {.key = "ecn",
     .type = ORR_PARAM_BOOL,
     .offset = offsetof(struct red, ecn),
     .fallback = "true",
     .help = "false: packets are dropped instead of marked",
     .idle = unreached},
    ORR_PARAM_END,
};

/* Of one rate; at: the map, or where kmin stands. */
static orr_err check_pair(struct orr_config *c, const struct orr_yaml *at,
                          uint64_t kmin, uint64_t kmax, struct orr_report *why)
{
    if ((kmin == ORR_AUTO_SIZE) != (kmax == ORR_AUTO_SIZE))
        return orr__yaml_fail(
            c, at, why, "network.queue: give both kmin and kmax, or neither");
    if (kmin > kmax)
        return orr__yaml_fail(c, orr__yaml_get(at, "kmin"), why,
                              "network.queue: kmin is larger than kmax");
    return ORR_OK;
}

/* Rates that only one of them lists are found with the graph. */
orr_err orr__red_check(struct orr_config *c, const struct orr_yaml *at,
                       const struct orr_red *r, struct orr_report *why)
{
    const struct orr_by_rate *more = r->kmin.n ? &r->kmin : &r->kmax;
    orr_err err = ORR_OK;

    if (!more->n)
        return check_pair(c, at, r->kmin.one.size, r->kmax.one.size, why);
    for (size_t i = 0; i < more->n && err == ORR_OK; i++) {
        uint64_t rate = more->entry[i].rate_bps;
        const union orr_rate_value *kmin = orr__by_rate(&r->kmin, rate);
        const union orr_rate_value *kmax = orr__by_rate(&r->kmax, rate);

        if (kmin && kmax)
            err = check_pair(c, at, kmin->size, kmax->size, why);
    }
    return err;
}

static uint64_t in_proportion(uint64_t bytes, uint64_t rate_bps)
{
    return (uint64_t)((unsigned __int128)bytes * rate_bps / AUTO_RATE);
}

void orr__red_limits(const struct orr_red *r, uint64_t rate_bps,
                     struct orr_queue_limits *out)
{
    uint64_t kmin = orr__queue_value(&r->kmin, rate_bps).size;
    uint64_t kmax = orr__queue_value(&r->kmax, rate_bps).size;

    if (kmin == ORR_AUTO_SIZE) {
        kmin = in_proportion(AUTO_KMIN, rate_bps);
        kmax = in_proportion(AUTO_KMAX, rate_bps);
    }
    while (out->entry < r->pmax.n
           && r->pmax.entry[out->entry].rate_bps != rate_bps)
        out->entry++;
    out->kmin_ps = orr__serialisation(kmin, rate_bps);
    out->kmax_ps = orr__serialisation(kmax, rate_bps);
}

/* x to the power of n, by squaring: the same on every machine. */
static double power_of(double x, uint64_t n)
{
    double y = 1;

    for (; n && y > 0; n >>= 1, x *= x)
        if (n & 1)
            y *= x;
    return y;
}

/* The backlog to judge by, ps. Each packet is judged once, in order, because
 * the average remembers it. */
static double average(const struct orr_red *r, const struct orr_queue_case *q)
{
    double a = *q->average;

    ORR_ASSERT(q->backlog_ps >= 0 && a >= 0);
    if (r->weight == 1)
        return (double)q->backlog_ps;
    if (q->backlog_ps == 0 && q->idle_ps > 0 && q->time_ps > 0)
        a *= power_of(1 - r->weight, (uint64_t)(q->idle_ps / q->time_ps));
    a += r->weight * ((double)q->backlog_ps - a);
    *q->average = a;
    return a;
}

static double pmax_of(const struct orr_red *r, const struct orr_queue_limits *l)
{
    ORR_ASSERT(!r->pmax.n || l->entry < r->pmax.n);
    return r->pmax.n ? r->pmax.entry[l->entry].value.real : r->pmax.one.real;
}

bool orr__red_picks(const struct orr_red *r, const struct orr_queue_limits *l,
                    const struct orr_queue_case *q)
{
    double backlog = average(r, q), p;

    ORR_ASSERT(l->kmin_ps <= l->kmax_ps);
    if (backlog <= (double)l->kmin_ps)
        return false;
    if (backlog > (double)l->kmax_ps)
        return true;
    p = pmax_of(r, l) * (backlog - (double)l->kmin_ps)
        / (double)(l->kmax_ps - l->kmin_ps);
    return orr__random_unit(q->random) < p;
}

static orr_err check(struct orr_config *c, const struct orr_yaml *at, void *p,
                     struct orr_report *why)
{
    struct red *q = p;

    if (q->mark == AT_DEQUEUE && !q->ecn)
        return orr__yaml_fail(c, orr__yaml_get(at, "mark"), why,
                              "network.queue: packets are dropped (ecn: false) "
                              "when they arrive, not with `mark: dequeue`");
    return orr__red_check(c, at, &q->line, why);
}

static bool wants_departures(const void *p)
{
    const struct red *q = p;

    return q->mark == AT_DEQUEUE;
}

static void limits(const void *p, uint64_t rate_bps,
                   struct orr_queue_limits *out)
{
    const struct red *q = p;

    out->drop_ps = orr__serialisation(q->capacity, rate_bps);
    out->mark_ps = ORR_NEVER;
    out->at_dequeue = q->mark == AT_DEQUEUE;
    out->from_kmin = q->line.weight == 1;
    orr__red_limits(&q->line, rate_bps, out);
}

static enum orr_verdict judge(const void *p, const struct orr_queue_limits *l,
                              const struct orr_queue_case *c)
{
    const struct red *q = p;

    if (!orr__red_picks(&q->line, l, c))
        return ORR_VERDICT_PASS;
    return q->ecn ? ORR_VERDICT_MARK : ORR_VERDICT_DROP;
}

static bool marks(const void *p)
{
    const struct red *q = p;
    return q->ecn;
}

extern const struct orr_queue_ops orr__queue_red;
const struct orr_queue_ops orr__queue_red = {
    .name = "red",
    .doc = "marks (or drops) at random, more often for a longer queue",
    .params_size = sizeof(struct red),
    .params = params,
    .check = check,
    .wants_departures = wants_departures,
    .limits = limits,
    .judge = judge,
    .marks = marks,
};
