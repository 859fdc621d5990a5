/* TIMELY: "RTT-based Congestion Control for the Datacenter" (SIGCOMM'15),
 * algorithm 1. `patched` replaces the reaction to the gradient by that of "ECN
 * or Delay: Lessons Learnt from Analysis of DCQCN and TIMELY" (CoNEXT'16),
 * algorithm 2, which gives it a fixed point with equal rates. */
#include "core/assert.h"
#include "core/snapshot.h"
#include "core/units.h"
#include "net/cc/rate.h"

/* Rates in bit/s, times in ps; beta < 0: by form. */
struct timely_params {
    struct orr_rate_params rate;
    int64_t t_low_ps, t_high_ps, min_rtt_ps, reference_ps;
    double ewma, beta;
    int64_t hai_after;
    uint64_t ai_bps, hai_bps, segment_bytes;
    bool patched;
};

/* A connection's state. */
struct timely {
    struct orr_rate bounds;
    double rate;       /* bit/s */
    double ai, hai;    /* bit/s a step */
    double difference; /* smoothed, of two RTTs, ps */
    int64_t last_rtt;  /* ps; 0: none yet */
    int64_t increases; /* in a row */
    uint32_t segment;  /* packets; 0: what is in flight */
    uint32_t arrived;  /* packets since the last update */
    uint32_t due;      /* of them, for the next one */
};

static const char *not_patched(const void *set, const void *around)
{
    const struct timely_params *q = set;

    return q->patched ? NULL : "only `patched: true` has it";
}

#define FIELD(name) .offset = offsetof(struct timely_params, name)

static const struct orr_param params[] = {
    {.key = "t_low",
     .type = ORR_PARAM_TIME,
     FIELD(t_low_ps),
     .fallback = "50us",
     .help = "below this RTT the rate always increases"},
    {.key = "t_high",
     .type = ORR_PARAM_TIME,
     FIELD(t_high_ps),
     .fallback = "500us",
     .min = "1ps",
     .help = "above this RTT the rate always decreases"},
    {.key = "min_rtt",
     .type = ORR_PARAM_TIME,
     FIELD(min_rtt_ps),
     .fallback = "20us",
     .min = "1ps",
     .help = "unit of RTT differences"},
    {.key = "alpha",
     .type = ORR_PARAM_REAL,
     FIELD(ewma),
     .fallback = "0.875",
     .min = "0",
     .max = "1",
     .help = "weight of the newest RTT difference"},
    {.key = "beta",
     .type = ORR_PARAM_REAL,
     FIELD(beta),
     .fallback = "auto",
     .min = "0",
     .max = "1",
     .help = "factor on decreases (auto: 0.8; patched: 0.008)"},
    {.key = "rate_ai",
     .type = ORR_PARAM_RATE,
     FIELD(ai_bps),
     .fallback = "auto",
     .help = "a step of additive increase (auto: 10Mbps for every 10Gbps of "
             "the source's line rate)"},
    {.key = "rate_hai",
     .type = ORR_PARAM_RATE,
     FIELD(hai_bps),
     .fallback = "auto",
     .help = "step after several increases in a row (auto: five of rate_ai)"},
    {.key = "hai_after",
     .type = ORR_PARAM_INT,
     FIELD(hai_after),
     .fallback = "5",
     .min = "0",
     .help = "number of such increases"},
    {.key = "segment",
     .type = ORR_PARAM_SIZE,
     FIELD(segment_bytes),
     .fallback = "auto",
     .min = "1B",
     .help = "payload acknowledged between two updates (auto: bytes in flight "
             "at the last one, an update every round trip)"},
    {.key = "patched",
     .type = ORR_PARAM_BOOL,
     FIELD(patched),
     .fallback = "false",
     .help = "weigh increase against decrease by the gradient (CoNEXT'16)"},
    {.key = "reference",
     .type = ORR_PARAM_TIME,
     FIELD(reference_ps),
     .fallback = "auto",
     .min = "1ps",
     .help = "patched: target RTT (auto: t_low)",
     .idle = not_patched},
    ORR_RATE_PARAMS(struct timely_params, rate.),
    ORR_PARAM_END,
};

/* Fills beta and the reference by the form chosen. ORR_ECONFIG: t_low above
 * t_high. */
static orr_err check(struct orr_config *c, const struct orr_yaml *at, void *p,
                     struct orr_report *why)
{
    struct timely_params *q = p;

    if (q->t_low_ps > q->t_high_ps)
        return orr__yaml_fail(c, at, why,
                              "timely: t_low is larger than t_high");
    if (q->beta < 0)
        q->beta = q->patched ? 0.008 : 0.8;
    if (q->reference_ps == ORR_AUTO)
        q->reference_ps = q->t_low_ps > 0 ? q->t_low_ps : 1;
    return ORR_OK;
}

/* Starts at the initial rate; a segment is a whole number of packets, 0: what
 * is in flight. */
static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    const struct timely_params *q = p;
    struct timely *t = state;

    orr__rate_init(&t->bounds, &q->rate, w, path);
    t->rate = w->rate;
    t->ai = orr__rate_step(&t->bounds, q->ai_bps, 1e-3);
    t->hai = q->hai_bps == ORR_AUTO_SIZE ? 5 * t->ai : (double)q->hai_bps;
    if (q->segment_bytes != ORR_AUTO_SIZE) {
        uint64_t packets =
            (q->segment_bytes + path->payload_bytes - 1) / path->payload_bytes;
        t->segment = packets < INT32_MAX ? (uint32_t)packets : INT32_MAX;
    }
}

/* The share of the decrease, by the gradient: nothing below -1/4, all of it
 * above 1/4, in proportion between (CoNEXT'16, with algorithm 2). */
static double weight(double gradient)
{
    double w = 2 * gradient + 0.5;

    return w < 0 ? 0 : w > 1 ? 1 : w;
}

static double add_gain(struct timely *t, const struct timely_params *q,
                       double gain)
{
    bool many = t->increases++ >= q->hai_after;

    return t->rate + gain * (many ? t->hai : t->ai);
}

/* The rate after a sample, before its bounds: by how far the delay is beyond
 * t_high, or within both thresholds by how it changes (algorithm 1 of the
 * paper; patched: by its own target, as in "ECN or Delay", CoNEXT'16). */
static double react_to_rtt(struct timely *t, const struct timely_params *q,
                           double rtt, double gain)
{
    ORR_ASSERT(rtt > 0);
    double gradient = t->difference / (double)q->min_rtt_ps, keep;

    if (rtt < (double)q->t_low_ps)
        return add_gain(t, q, gain);
    if (rtt > (double)q->t_high_ps) {
        keep = 1 - q->beta * (1 - (double)q->t_high_ps / rtt);
    } else if (q->patched) {
        double error = rtt / (double)q->reference_ps - 1;
        double share = weight(gradient);

        t->increases = 0;
        return gain * t->ai * (1 - share)
               + t->rate * (1 - q->beta * share * error);
    } else if (gradient <= 0) {
        return add_gain(t, q, gain);
    } else {
        keep = 1 - q->beta * gradient;
    }
    t->increases = 0;
    return t->rate * (keep > 0 ? keep : 0);
}

/* One sample for each segment, or each window where there are none. The first
 * one only says what the next is compared with. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    const struct timely_params *q = p;
    struct timely *t = state;

    /* Of what was in flight then, no more is left than is in flight now. */
    t->arrived += a->delivered;
    if (!t->segment && t->due > t->arrived + a->in_flight)
        t->due = t->arrived + a->in_flight + 1;
    if (a->rtt_ps < 0 || t->arrived < t->due)
        return;
    ORR_ASSERT(t->segment || t->due <= t->arrived + a->in_flight + 1);
    t->arrived = 0;
    t->due = t->segment ? t->segment : a->in_flight + 1;
    if (t->last_rtt) {
        double change = (double)(a->rtt_ps - t->last_rtt);

        t->difference += q->ewma * (change - t->difference);
        t->rate = react_to_rtt(t, q, (double)a->rtt_ps, w->gain);
        if (t->rate < t->bounds.least)
            t->rate = t->bounds.least;
        if (t->rate > t->bounds.line)
            t->rate = t->bounds.line;
        orr__rate_set(&t->bounds, &q->rate, w, t->rate);
    }
    t->last_rtt = a->rtt_ps;
}

/* The gradient, in units of min_rtt, would need the parameters: what is shown
 * is the smoothed difference of RTTs in microseconds. */
static double difference(const void *state)
{
    return ((const struct timely *)state)->difference / (double)ORR_US;
}

/* More increases in a row than are asked for are as good as that many. */
static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
    const struct timely_params *q = p;
    const struct timely *t = state;

    orr__snapshot_real(w, t->rate);
    orr__snapshot_real(w, t->difference);
    orr__snapshot_value(w, (uint64_t)t->last_rtt);
    orr__snapshot_value(
        w,
        (uint64_t)(t->increases < q->hai_after ? t->increases : q->hai_after));
    orr__snapshot_value(w, t->arrived);
    orr__snapshot_value(w, t->due);
}

extern const struct orr_cc_ops orr__cc_timely;
const struct orr_cc_ops orr__cc_timely = {
    .name = "timely",
    .doc = "TIMELY (SIGCOMM'15): a rate that follows the gradient of the RTT",
    .signals = ORR_CC_DELAY,
    .state_size = sizeof(struct timely),
    .params_size = sizeof(struct timely_params),
    .params = params,
    .rdma = true,
    .check = check,
    .init = init,
    .on_ack = on_ack,
    .estimate = difference,
    .snapshot = snapshot,
};
