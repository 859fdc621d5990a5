/* DCTCP as the simulators of the HPCC family have it for RDMA: HandleAckDctcp
 * of their rdma-hw.cc. A rate in the place of the window: it grows by a step a
 * round trip without a mark, and the first mark of one cuts it by alpha / 2,
 * where alpha follows the share of ACKs with a mark. There is no slow start,
 * and a loss changes nothing. */
#include "core/snapshot.h"
#include "net/cc/idle.h"
#include "net/cc/rate.h"

/* g: weight of a round trip in alpha; alpha: at the beginning. */
struct dctcp_rate_params {
    struct orr_rate_params rate;
    double g, alpha;
    uint64_t ai_bps; /* ORR_AUTO_SIZE: a packet a round trip */
};

/* A connection's state. */
struct dctcp_rate {
    struct orr_rate bounds;
    double rate;         /* bit/s */
    double alpha;        /* smoothed share of marks, 0 to 1 */
    double step;         /* bit/s, once a round trip */
    uint32_t marks;      /* ACKs with one in this round trip */
    uint32_t packets;    /* that it is taken to have */
    uint32_t window_end; /* it ends when more than this is acknowledged */
    uint32_t cut_end;    /* the answer to a mark is over, the same */
    bool begun;          /* the first ACK is not of a round trip yet */
    bool cut;            /* the answer to a mark goes on */
};

#define FIELD(name) .offset = offsetof(struct dctcp_rate_params, name)

static const struct orr_param params[] = {
    {.key = "g",
     .type = ORR_PARAM_REAL,
     FIELD(g),
     .fallback = "0.0625",
     .min = "0",
     .max = "1",
     .help = "weight of the newest round trip in alpha",
     .idle = orr__cc_idle_marks},
    {.key = "alpha",
     .type = ORR_PARAM_REAL,
     FIELD(alpha),
     .fallback = "1",
     .min = "0",
     .max = "1",
     .help = "alpha at the start",
     .idle = orr__cc_idle_marks},
    {.key = "rate_ai",
     .type = ORR_PARAM_RATE,
     FIELD(ai_bps),
     .fallback = "auto",
     .help = "a step of additive increase (auto: a packet's payload in a base "
             "round-trip time)"},
    ORR_RATE_PARAMS(struct dctcp_rate_params, rate.),
    ORR_PARAM_END,
};

/* Starts at the initial rate. */
static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    const struct dctcp_rate_params *q = p;
    struct dctcp_rate *d = state;

    orr__rate_init(&d->bounds, &q->rate, w, path);
    d->rate = w->rate;
    d->alpha = q->alpha;
    d->step = q->ai_bps == ORR_AUTO_SIZE
                  ? path->payload_bytes * 8e12 / (double)path->base_rtt_ps
                  : (double)q->ai_bps;
}

/* True: a round trip has passed. The marks of the first ACK count in the
 * second. */
static bool observe(struct dctcp_rate *d, const struct dctcp_rate_params *q,
                    const struct orr_cc_ack *a)
{
    d->marks += a->echo;
    if ((int32_t)(a->una - d->window_end) <= 0)
        return false;
    if (d->begun) {
        double share = (double)d->marks / d->packets;

        d->alpha += q->g * ((share < 1 ? share : 1) - d->alpha);
        d->marks = 0;
        d->packets = a->next - a->una + 1;
    } else {
        d->packets = a->next + 1;
    }
    d->begun = true;
    d->window_end = a->next;
    return true;
}

/* The rate falls with the first mark of a round trip, and grows at the end of
 * one in which no answer to a mark goes on. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    const struct dctcp_rate_params *q = p;
    struct dctcp_rate *d = state;
    bool round = observe(d, q, a);
    double rate = d->rate;

    if (d->cut && (int32_t)(a->una - d->cut_end) > 0)
        d->cut = false;
    if (a->echo && !d->cut) {
        rate *= 1 - d->alpha / 2;
        d->cut = true;
        d->cut_end = a->next;
    }
    if (!d->cut && round)
        rate += w->gain * d->step;
    orr__rate_set(&d->bounds, &q->rate, w, rate);
    d->rate = w->rate;
}

static double alpha_of(const void *state)
{
    return ((const struct dctcp_rate *)state)->alpha;
}

/* An answer that is over is as good as any other. */
static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
    const struct dctcp_rate *d = state;

    orr__snapshot_real(w, d->rate);
    orr__snapshot_real(w, d->alpha);
    orr__snapshot_value(w, d->marks);
    orr__snapshot_value(w, d->packets);
    orr__snapshot_value(w, d->window_end - una);
    orr__snapshot_value(w, d->cut ? d->cut_end - una : 0);
    orr__snapshot_value(w, (uint64_t)d->begun << 1 | d->cut);
}

extern const struct orr_cc_ops orr__cc_dctcp_rate;
const struct orr_cc_ops orr__cc_dctcp_rate = {
    .name = "dctcp-rate",
    .doc = "DCTCP as the simulators of the HPCC family have it: a rate",
    .signals = ORR_CC_MARKS,
    .state_size = sizeof(struct dctcp_rate),
    .params_size = sizeof(struct dctcp_rate_params),
    .params = params,
    .rdma = true,
    .marks = true,
    .init = init,
    .on_ack = on_ack,
    .estimate = alpha_of,
    .snapshot = snapshot,
};
