/* Swift (Kumar et al., SIGCOMM'20): holds the round-trip time of each packet at
 * a target. Below it the window grows by `ai` packets a round trip; above it
 * the window shrinks, at most once a round trip, by the share of the delay that
 * is too much. Algorithm 1 and section 3.5 (flow scaling) of the paper.
 *
 * The paper has a second window for the delay in the hosts. Hosts here take no
 * time beyond their NIC's, so the window of the fabric is the only one. There
 * is no slow start: a flow begins with network.initial_window. */
#include <math.h>

#include "core/assert.h"
#include "core/config/config.h"
#include "core/snapshot.h"
#include "net/cc/cc.h"

/* Times in ps, windows in packets; names are the paper's. */
struct swift_params {
    int64_t base_target, hop_scaling, fs_range; /* ps, or ORR_AUTO */
    double fs_min, fs_max;
    double ai, beta, max_mdf;
    double min_cwnd, max_cwnd;
    int64_t reset;
};

/* A connection's state. */
struct swift {
    double cwnd;      /* packets, may be a fraction of one */
    double base;      /* base target and hops, ps */
    double range;     /* of flow scaling, ps */
    double alpha;     /* ps at one packet */
    double rtt;       /* last sample, ps */
    double wire_bits; /* of a full packet */
    int64_t cut;      /* when the window shrank last, ps */
    int64_t vain;     /* timeouts in a row */
    uint64_t asked;   /* times that it was to shrink, in vain or not */
};

static const char *no_scaling(const void *set, const void *around)
{
    const struct swift_params *q = set;

    return q->fs_range == 0 ? "with `fs_range: 0ns` there is no flow scaling"
                            : NULL;
}

#define AT(member) offsetof(struct swift_params, member)
static const struct orr_param params[] = {
    {.key = "base_target",
     .type = ORR_PARAM_TIME,
     .offset = AT(base_target),
     .fallback = "auto",
     .min = "1ns",
     .help = "target of the round-trip time over no hops; auto: 1.25 times "
             "that of a full packet through the empty path"},
    {.key = "hop_scaling",
     .type = ORR_PARAM_TIME,
     .offset = AT(hop_scaling),
     .fallback = "auto",
     .min = "0ns",
     .help = "added to the target for each link of the path; auto: base_target "
             "/ 6.55, or 0 if base_target is auto and so includes the path"},
    {.key = "fs_range",
     .type = ORR_PARAM_TIME,
     .offset = AT(fs_range),
     .fallback = "auto",
     .min = "0ns",
     .help = "flow scaling: the most that a small window adds to the target; "
             "auto: 5 times base_target; 0ns: no flow scaling"},
    {.key = "fs_min",
     .type = ORR_PARAM_REAL,
     .offset = AT(fs_min),
     .fallback = "0.1",
     .min = "1e-6",
     .help = "window at which flow scaling adds fs_range, packets",
     .idle = no_scaling},
    {.key = "fs_max",
     .type = ORR_PARAM_REAL,
     .offset = AT(fs_max),
     .fallback = "100",
     .min = "1e-6",
     .help = "window from which on it adds nothing, packets",
     .idle = no_scaling},
    {.key = "ai",
     .type = ORR_PARAM_REAL,
     .offset = AT(ai),
     .fallback = "1",
     .min = "0",
     .help = "additive increase, packets a round trip"},
    {.key = "beta",
     .type = ORR_PARAM_REAL,
     .offset = AT(beta),
     .fallback = "0.8",
     .min = "0",
     .max = "1",
     .help = "window decrease per relative excess delay"},
    {.key = "max_mdf",
     .type = ORR_PARAM_REAL,
     .offset = AT(max_mdf),
     .fallback = "0.5",
     .min = "0",
     .max = "1",
     .help = "largest relative decrease; the decrease at a loss or timeout"},
    {.key = "min_cwnd",
     .type = ORR_PARAM_REAL,
     .offset = AT(min_cwnd),
     .fallback = "0.01",
     .min = "1e-6",
     .help = "smallest window, packets; below one they are paced"},
    {.key = "max_cwnd",
     .type = ORR_PARAM_REAL,
     .offset = AT(max_cwnd),
     .fallback = "1e9",
     .min = "1",
     .help = "largest window, packets"},
    {.key = "reset",
     .type = ORR_PARAM_INT,
     .offset = AT(reset),
     .fallback = "5",
     .min = "1",
     .help = "timeouts in a row that reset the window to min_cwnd"},
    ORR_PARAM_END,
};

static orr_err check(struct orr_config *c, const struct orr_yaml *at, void *p,
                     struct orr_report *why)
{
    const struct swift_params *q = p;

    if (q->fs_min >= q->fs_max)
        return orr__yaml_fail(c, at, why, "swift: fs_min is not below fs_max");
    return ORR_OK;
}

/* One packet in flight at a time, and so far apart that a window of a fraction
 * of a packet goes every round trip. */
static void set_window(struct swift *s, const struct swift_params *q,
                       struct orr_cc_window *w)
{
    if (s->cwnd < q->min_cwnd)
        s->cwnd = q->min_cwnd;
    if (s->cwnd > q->max_cwnd)
        s->cwnd = q->max_cwnd;
    w->cwnd = s->cwnd < 1 ? 1 : s->cwnd;
    w->rate = s->cwnd < 1 ? s->wire_bits * 1e12 * s->cwnd / s->rtt : 0;
}

/* Defaults that follow the path: target 1.25 base round-trip times, hop scaling
 * in the paper's proportion to the target if that is given. */
static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    struct swift *s = state;
    const struct swift_params *q = p;
    double target = q->base_target == ORR_AUTO
                        ? 1.25 * (double)path->base_rtt_ps
                        : (double)q->base_target;
    double hop = q->hop_scaling != ORR_AUTO   ? (double)q->hop_scaling
                 : q->base_target == ORR_AUTO ? 0
                                              : target / 6.55;

    s->base = target + hop * path->hops;
    s->range = q->fs_range == ORR_AUTO ? 5 * target : (double)q->fs_range;
    s->alpha = s->range / (1 / sqrt(q->fs_min) - 1 / sqrt(q->fs_max));
    s->rtt = (double)path->base_rtt_ps;
    s->wire_bits = 8.0 * path->packet_bytes;
    s->cut = INT64_MIN / 2;
    s->cwnd = w->cwnd;
    set_window(s, q, w);
}

/* ps */
static double target_of(const struct swift *s, const struct swift_params *q)
{
    ORR_ASSERT(s->cwnd > 0);
    double scaled = s->alpha * (1 / sqrt(s->cwnd) - 1 / sqrt(q->fs_max));

    if (scaled > s->range)
        scaled = s->range;
    return s->base + (scaled > 0 ? scaled : 0);
}

/* Leaves `share` of the window, unless it shrank a round trip ago or less. With
 * max_mdf: 1 that may be nothing; set() makes it min_cwnd. */
static void shrink(struct swift *s, double share, int64_t now)
{
    s->asked++;
    if ((double)(now - s->cut) < s->rtt)
        return;
    ORR_ASSERT(share >= 0 && share <= 1);
    s->cwnd *= share;
    s->cut = now;
}

/* The sample of this ACK is all that counts: there is no mean. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct swift *s = state;
    const struct swift_params *q = p;
    double target, n = a->delivered;

    if (n > 0)
        s->vain = 0;
    if (s->cwnd > w->cwnd) /* somebody else began anew */
        s->cwnd = w->cwnd;
    if (a->rtt_ps < 0)
        return;
    s->rtt = (double)a->rtt_ps;
    target = target_of(s, q);
    if (s->rtt >= target) {
        double share = 1 - q->beta * (s->rtt - target) / s->rtt;

        shrink(s, share > 1 - q->max_mdf ? share : 1 - q->max_mdf, a->now_ps);
    } else if (s->cwnd < 1) {
        s->cwnd += w->gain * q->ai * n;
    } else if (s->cwnd < a->peak + 1) { /* one that is used; see reno.h */
        s->cwnd += w->gain * q->ai * (n / s->cwnd);
    }
    set_window(s, q, w);
}

static void on_loss(void *state, const void *p, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    struct swift *s = state;
    const struct swift_params *q = p;

    shrink(s, 1 - q->max_mdf, a->now_ps);
    set_window(s, q, w);
}

/* After `reset` timeouts in a row the least window, before that one cut of the
 * most. */
static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    struct swift *s = state;
    const struct swift_params *q = p;

    if (++s->vain >= q->reset) {
        s->cwnd = q->min_cwnd;
        s->cut = a->now_ps;
    } else {
        shrink(s, 1 - q->max_mdf, a->now_ps);
    }
    set_window(s, q, w);
}

/* The moment of the last cut matters only while a cut is asked for, so runs of
 * vain ones may repeat. */
static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
    struct swift *s = state;
    uint64_t more;

    orr__snapshot_real(w, s->cwnd);
    orr__snapshot_real(w, s->rtt);
    orr__snapshot_value(w, (uint64_t)s->vain);
    orr__snapshot_idle(w, (double)(s->cut - w->now), s->asked);
    more = orr__snapshot_more(w, s->asked);
    s->asked += more;
    if (more)
        orr__snapshot_moved(w, &s->cut);
}

extern const struct orr_cc_ops orr__cc_swift;
const struct orr_cc_ops orr__cc_swift = {
    .name = "swift",
    .doc = "Swift (SIGCOMM'20): keeps the round-trip time at a target; paced "
           "below one packet",
    .signals = ORR_CC_DELAY,
    .state_size = sizeof(struct swift),
    .params_size = sizeof(struct swift_params),
    .params = params,
    .rdma = true,
    .check = check,
    .init = init,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .snapshot = snapshot,
};
