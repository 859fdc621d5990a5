/* HPCC: "HPCC: High Precision Congestion Control" (SIGCOMM'19), algorithm 1. A
 * window from the in-band telemetry of each hop: the fullest hop's bytes in
 * flight, by its rate and queue, are steered to a share eta of what it can
 * hold. The rate paces the window over a base round-trip time.
 *
 * A hop has 64 bits in a packet (section 4.1): 24 for the time, in ns, 20 for
 * the bytes sent, in units of 128, and 16 for the queue, in units of 80; the
 * first two go round. A packet has 12 for its path: what was kept of another
 * path is forgotten. Links of more than 25 Gbps have larger units, as in the
 * scripts of its authors. With PINT (pint.h) all there is is one byte, the
 * utilization of the fullest hop by its own account, which takes U's place. */
#include <string.h>

#include "core/snapshot.h"
#include "net/cc/cc.h"
#include "net/cc/pint.h"
#include "net/cc/rate.h"

/* Rates in bit/s, times in ps; ORR_AUTO and ORR_AUTO_SIZE: by the path of the
 * connection. */
struct hpcc_params {
    uint64_t least_bps, ai_bps;
    int64_t max_stage, base_rtt_ps, pint_rtt_ps;
    double eta;
    bool fast_react;
    int telemetry, pint_form, counts;
    double pint_base, pint_share;
    struct orr_pint pint;
};

/* A connection's state; letters are those of algorithm 1. */
struct hpcc {
    double rtt;         /* T: base round-trip time, ps */
    double line;        /* bit/s */
    double window;      /* W, bytes, of what `counts` says */
    double reference;   /* Wc: W as of the last round trip, the same */
    double most, least; /* bounds of both */
    double more;        /* W_AI, bytes */
    double used;        /* U: smoothed, 1 is a link just full */
    int64_t stage;      /* additive increases in a row, by round trips */
    uint32_t arrived;   /* packets since Wc moved: it does once a round trip, */
    uint32_t due;       /* when more than this many have arrived */
    uint32_t packet_bytes;
    bool payload;  /* that is of payload, and so is the window */
    bool heard;    /* with `pint_form: hpcc`: of PINT's byte */
    uint32_t hops; /* of the last telemetry; 0: none yet */
    uint32_t path; /* that it took */
    struct orr_cc_hop hop[ORR_CC_MOST_HOPS];
};

enum telemetry { EXACT, FIELDS, PINT };
static const char *const telemetries[] = {"exact", "fields", "pint", NULL};
enum pint_form { PAPER, HPCC };
static const char *const pint_forms[] = {"paper", "hpcc", NULL};

static const char *no_pint(const void *set, const void *around)
{
    const struct hpcc_params *q = set;

    return q->telemetry == PINT ? NULL : "only `telemetry: pint` has that byte";
}

#define FIELD(name) .offset = offsetof(struct hpcc_params, name)

static const struct orr_param params[] = {
    {.key = "eta",
     .type = ORR_PARAM_REAL,
     FIELD(eta),
     .fallback = "0.95",
     .min = "0.01",
     .max = "1",
     .help = "target utilization"},
    {.key = "max_stage",
     .type = ORR_PARAM_INT,
     FIELD(max_stage),
     .fallback = "5",
     .min = "0",
     .help = "round trips of additive increase before the window follows the "
             "utilization again (0: always follow)"},
    {.key = "rate_ai",
     .type = ORR_PARAM_RATE,
     FIELD(ai_bps),
     .fallback = "auto",
     .help = "additive increase: W_AI divided by the base RTT (auto: 10Mbps "
             "for every 25Gbps of the source's line rate)"},
    {.key = "base_rtt",
     .type = ORR_PARAM_TIME,
     FIELD(base_rtt_ps),
     .fallback = "auto",
     .min = "1ns",
     .help =
         "T (auto: round trip of a full packet and its ACK on the empty path)"},
    {.key = "fast_react",
     .type = ORR_PARAM_BOOL,
     FIELD(fast_react),
     .fallback = "true",
     .help = "every ACK updates the window from its value at the last round "
             "trip; false: one ACK a round trip"},
    {.key = "telemetry",
     .type = ORR_PARAM_CHOICE,
     FIELD(telemetry),
     .fallback = "exact",
     .choices = telemetries,
     .help =
         "exact: exact values; fields: the paper's widths, 24 bits of ns, 20 "
         "of 128 B sent and 16 of 80 B queued (times the link's rate over "
         "25Gbps); pint: one byte, the utilization of the busiest hop, "
         "averaged over `pint_rtt` (PINT, SIGCOMM'20)"},
    {.key = "pint_base",
     .type = ORR_PARAM_REAL,
     FIELD(pint_base),
     .fallback = "1.05",
     .min = "1.02",
     .max = "2",
     .help = "base of that byte's logarithm: a full link is 142",
     .idle = no_pint},
    {.key = "pint_share",
     .type = ORR_PARAM_REAL,
     FIELD(pint_share),
     .fallback = "1",
     .min = "0.0001",
     .max = "1",
     .help = "share of packets that carry that byte",
     .idle = no_pint},
    {.key = "pint_rtt",
     .type = ORR_PARAM_TIME,
     FIELD(pint_rtt_ps),
     .fallback = "auto",
     .min = "1ns",
     .help = "round-trip time of ports, one for all (auto: `base_rtt`, which "
             "is required then)",
     .idle = no_pint},
    {.key = "pint_form",
     .type = ORR_PARAM_CHOICE,
     FIELD(pint_form),
     .fallback = "paper",
     .choices = pint_forms,
     .help = "hpcc: as the simulator of its authors (UpdateRateHpPint, "
             "SwitchNotifyDequeue): a connection's first byte moves no window, "
             "and at a port an ACK makes the data before it forgotten",
     .idle = no_pint},
    {.key = "counts",
     .type = ORR_PARAM_CHOICE,
     FIELD(counts),
     .fallback = "wire",
     .choices = orr__window_counts,
     .help = ORR_WINDOW_COUNTS_HELP},
    {.key = "min_rate",
     .type = ORR_PARAM_RATE,
     FIELD(least_bps),
     .fallback = "100Mbps",
     .min = "1Kbps",
     .help = "the window never falls below this times the base RTT"},
    ORR_PARAM_END,
};

/* PINT needs one round-trip time: ports reckon with it, and know no
 * connection's own. ORR_ECONFIG without. */
static orr_err check(struct orr_config *c, const struct orr_yaml *at, void *p,
                     struct orr_report *why)
{
    struct hpcc_params *q = p;

    if (q->telemetry != PINT)
        return ORR_OK;
    q->pint.rtt_ps =
        q->pint_rtt_ps == ORR_AUTO ? q->base_rtt_ps : q->pint_rtt_ps;
    if (q->pint.rtt_ps == ORR_AUTO)
        return orr__yaml_fail(c, at, why,
                              "hpcc: with `telemetry: pint` ports use one "
                              "round-trip time for all: set `base_rtt` or "
                              "`pint_rtt`");
    q->pint.forgets = q->pint_form == HPCC;
    q->pint.base = q->pint_base;
    q->pint.share = q->pint_share;
    orr__pint_init(&q->pint);
    return ORR_OK;
}

static const struct orr_pint *pint(const void *p)
{
    const struct hpcc_params *q = p;

    return q->telemetry == PINT ? &q->pint : NULL;
}

/* A packet may start while less than the window is in flight. */
static void apply_window(const struct hpcc *h, struct orr_cc_window *w)
{
    w->cwnd = h->payload ? orr__payload_window(h->window, h->packet_bytes)
                         : h->window / h->packet_bytes + 1;
    w->rate = h->window * 8e12 / h->rtt;
}

/* The window begins at, and never exceeds, line rate times base round-trip
 * time. */
static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    const struct hpcc_params *q = p;
    struct hpcc *h = state;
    double ai = q->ai_bps == ORR_AUTO_SIZE ? (double)path->line_bps / 2500
                                           : (double)q->ai_bps;

    h->line = (double)path->line_bps;
    h->rtt = (double)(q->base_rtt_ps == ORR_AUTO ? path->base_rtt_ps
                                                 : q->base_rtt_ps);
    h->most = h->line * h->rtt / 8e12;
    h->least = (double)q->least_bps * h->rtt / 8e12;
    if (h->least > h->most)
        h->least = h->most;
    h->more = ai * h->rtt / 8e12;
    h->window = h->reference = h->most;
    h->used = 1;
    h->payload = q->counts == ORR_COUNTS_PAYLOAD;
    h->packet_bytes = h->payload ? path->payload_bytes : path->packet_bytes;
    apply_window(h, w);
}

#define TIME_BITS  24
#define BYTES_BITS 20
#define QUEUE_BITS 16
#define PATH_BITS  12
#define BYTES_UNIT 128
#define QUEUE_UNIT 80
#define UNIT_RATE  25000000000u

/* Units are so many times larger. */
static inline uint64_t units_of(const struct orr_cc_hop *hop)
{
    return hop->rate_bps > UNIT_RATE ? hop->rate_bps / UNIT_RATE : 1;
}

static inline uint64_t bytes_unit(const struct orr_cc_hop *hop)
{
    return BYTES_UNIT * units_of(hop);
}

/* What the fields of two packets tell of the time and the bytes between them,
 * and of the queue that the latter has left. */
static inline struct orr_cc_hop between(const struct orr_cc_hop *old,
                                        const struct orr_cc_hop *new,
                                        int telemetry)
{
    struct orr_cc_hop d = {.at_ps = new->at_ps - old->at_ps,
                           .sent_bytes = new->sent_bytes - old->sent_bytes,
                           .queue_bytes = new->queue_bytes};
    uint64_t bytes, queue, most, cells;

    if (telemetry == EXACT)
        return d;
    bytes = bytes_unit(new);
    queue = QUEUE_UNIT * units_of(new);
    most = (1u << QUEUE_BITS) - 1;
    cells = new->queue_bytes / queue;
    d.at_ps = (new->at_ps / 1000 - old->at_ps / 1000)
              % (INT64_C(1) << TIME_BITS) * 1000;
    d.sent_bytes = (new->sent_bytes / bytes - old->sent_bytes / bytes)
                   % (1u << BYTES_BITS) * bytes;
    d.queue_bytes = (cells < most ? cells : most) * queue;
    return d;
}

/* Bytes and rates are far below 2^63, and signed numbers are converted at
 * once. */
static inline double double_of(uint64_t n)
{
    return (double)(int64_t)n;
}

/* Bytes in flight on a hop, by what it could hold: of T seconds at its rate.
 * *tau: what time that tells of. Negative: nothing is known (an older
 * packet). */
static inline __attribute__((always_inline)) double use_of(
    const struct hpcc *h, const struct orr_cc_hop *old,
    const struct orr_cc_hop *new, int telemetry, double *tau)
{
    double rate = double_of(new->rate_bps);
    struct orr_cc_hop d = between(old, new, telemetry);
    uint64_t before = between(new, old, telemetry).queue_bytes;
    uint64_t queue = before < d.queue_bytes ? before : d.queue_bytes;

    if (new->at_ps <= old->at_ps || new->sent_bytes < old->sent_bytes
        || d.at_ps == 0)
        return -1;
    *tau = (double)d.at_ps;
    return double_of(d.sent_bytes) * 8e12 / (*tau * rate)
           + double_of(queue) * 8e12 / (rate * h->rtt);
}

/* The largest of all hops; negative: nothing is known. */
static inline __attribute__((always_inline)) double fullest_of(
    const struct hpcc *h, const struct orr_cc_telemetry *t, int telemetry,
    double *tau)
{
    double fullest = -1;

    for (uint32_t i = 0; i < t->hops; i++) {
        double time = 0;
        double use = use_of(h, &h->hop[i], &t->hop[i], telemetry, &time);

        if (use > fullest) {
            fullest = use;
            *tau = time;
        }
    }
    return fullest;
}

/* Whether what is kept is of the path that these hops are of. */
static bool same_path(const struct hpcc *h, const struct orr_cc_telemetry *t,
                      int telemetry)
{
    uint32_t differ = h->path ^ t->path;

    if (telemetry != EXACT)
        differ >>= 32 - PATH_BITS;
    return h->hops == t->hops && differ == 0;
}

/* MeasureInflight: U moves towards the fullest hop's. False: nothing new. */
static bool measure(struct hpcc *h, const struct orr_cc_telemetry *t,
                    const struct hpcc_params *q)
{
    double fullest = -1, tau = 0;

    if (t->pint) {
        bool first = q->pint_form == HPCC && !h->heard;

        h->heard = true;
        h->used = q->pint.value[t->code];
        return !first;
    }
    if (same_path(h, t, q->telemetry))
        fullest = q->telemetry == EXACT ? fullest_of(h, t, EXACT, &tau)
                                        : fullest_of(h, t, FIELDS, &tau);
    h->hops = t->hops;
    h->path = t->path;
    memcpy(h->hop, t->hop, t->hops * sizeof *t->hop);
    if (fullest < 0)
        return false;
    if (tau > h->rtt)
        tau = h->rtt;
    h->used += tau / h->rtt * (fullest - h->used);
    return true;
}

/* ComputeWind; round: a round trip has passed. */
static void compute(struct hpcc *h, const struct hpcc_params *q, double gain,
                    bool round)
{
    bool follow = h->used >= q->eta || h->stage >= q->max_stage;
    double window = h->reference;

    if (follow)
        window /= h->used / q->eta;
    window += gain * h->more;
    if (!(window < h->most)) /* U may be nothing */
        window = h->most;
    if (window < h->least)
        window = h->least;
    h->window = window;
    if (round) {
        h->stage = follow ? 0 : h->stage + 1;
        h->reference = window;
    }
}

/* The window follows every ACK that tells of hops (fast_react), its reference
 * one in each round trip: when a packet arrived that was sent after the last
 * time. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    const struct hpcc_params *q = p;
    struct hpcc *h = state;
    bool round;

    /* Of what was in flight then, no more is left than is in flight now. */
    h->arrived += a->delivered;
    if (h->due > h->arrived + a->in_flight)
        h->due = h->arrived + a->in_flight;
    round = h->arrived > h->due;
    if (!a->telemetry)
        return;
    if (measure(h, a->telemetry, q) && (round || q->fast_react)) {
        compute(h, q, w->gain, round);
        apply_window(h, w);
    }
    if (round) {
        h->arrived = 0;
        h->due = a->in_flight;
    }
}

/* Fields are of whole units of time and of bytes, counted from the beginning:
 * it matters where in a unit a hop is, and while none has been heard of, all
 * that was before. */
static void snapshot_units(const struct hpcc *h, struct orr_snapshot *w)
{
    if (h->hops == 0)
        orr__snapshot_value(w, (uint64_t)w->now);
    for (uint32_t i = 0; i < h->hops; i++) {
        orr__snapshot_value(w, (uint64_t)h->hop[i].at_ps % 1000);
        orr__snapshot_value(w, h->hop[i].sent_bytes % bytes_unit(&h->hop[i]));
    }
}

/* With telemetry in fields of a packet its counters wrap, so what is compared
 * is the units that they count. */
static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
    const struct hpcc_params *q = p;
    struct hpcc *h = state;

    orr__snapshot_real(w, h->window);
    orr__snapshot_real(w, h->reference);
    orr__snapshot_real(w, h->used);
    orr__snapshot_value(w, (uint64_t)h->stage);
    orr__snapshot_value(w, (uint64_t)h->arrived << 32 | h->due);
    orr__snapshot_value(w, h->path);
    orr__snapshot_value(w, h->heard);
    if (q->telemetry == FIELDS)
        snapshot_units(h, w);
}

static struct orr_cc_hop *kept(void *state, uint32_t *hops)
{
    struct hpcc *h = state;

    *hops = h->hops;
    return h->hop;
}

static double utilization(const void *state)
{
    return ((const struct hpcc *)state)->used;
}

extern const struct orr_cc_ops orr__cc_hpcc;
const struct orr_cc_ops orr__cc_hpcc = {
    .name = "hpcc",
    .doc = "HPCC (SIGCOMM'19): a window from the telemetry of every hop",
    .signals = ORR_CC_TELEMETRY,
    .state_size = sizeof(struct hpcc),
    .params_size = sizeof(struct hpcc_params),
    .params = params,
    .rdma = true,
    .telemetry = true,
    .check = check,
    .pint = pint,
    .init = init,
    .on_ack = on_ack,
    .estimate = utilization,
    .snapshot = snapshot,
    .kept = kept,
};
