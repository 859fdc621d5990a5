/* DCTCP: RFC 8257. The share of marked packets in each window moves alpha, and
 * the first mark in a window cuts it by alpha / 2. */
#include "net/cc/reno.h"

struct dctcp_params {
    struct orr_reno_params reno;
    double g, alpha;
};

struct dctcp {
    struct orr_reno reno;
    double alpha;
    uint32_t acked, marked; /* packets in this observation window */
    uint32_t window_end;    /* it ends when more than this is acknowledged */
};

static const struct orr_param params[] = {
    {.key = "g", .type = ORR_PARAM_REAL,
     .offset = offsetof(struct dctcp_params, g), .fallback = "0.0625",
     .min = "0", .max = "1",
     .help = "weight of the newest window in alpha (RFC 8257, section 4.2)"},
    {.key = "alpha", .type = ORR_PARAM_REAL,
     .offset = offsetof(struct dctcp_params, alpha), .fallback = "1",
     .min = "0", .max = "1", .help = "alpha at the start"},
    ORR_RENO_PARAMS(struct dctcp_params, reno.),
    ORR_PARAM_END,
};

static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    struct dctcp *d = state;
    const struct dctcp_params *q = p;

    d->reno.ssthresh = q->reno.ssthresh;
    d->alpha = q->alpha;
}

/* RFC 8257, section 3.3, steps 4 to 8. */
static void observe(struct dctcp *d, const struct dctcp_params *q,
                    const struct orr_cc_ack *a)
{
    d->acked += a->acked;
    if (a->echo)
        d->marked += a->acked;
    if ((int32_t)(a->una - d->window_end) <= 0 || d->acked == 0)
        return;
    d->alpha += ((double)d->marked / (double)d->acked - d->alpha) * q->g;
    d->acked = d->marked = 0;
    d->window_end = a->next;
}

static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct dctcp *d = state;
    const struct dctcp_params *q = p;

    observe(d, q, a);
    if (d->reno.waiting && (int32_t)(a->una - d->reno.cut) > 0)
        d->reno.waiting = false;
    if (a->echo && !d->reno.waiting && !a->recovering) {
        w->cwnd = orr__reno_cut(&q->reno, w->cwnd, 1 - d->alpha / 2);
        d->reno.ssthresh = w->cwnd;
        d->reno.cut = a->next;
        d->reno.waiting = true;
    } else if (a->delivered && !d->reno.waiting && !a->recovering) {
        orr__reno_grow(&d->reno, &q->reno, w, a);
    }
}

/* A loss is answered as in Reno (RFC 8257, section 3.5). */
static void on_loss(void *state, const void *p, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    struct dctcp *d = state;
    const struct dctcp_params *q = p;

    d->reno.ssthresh = w->cwnd = orr__reno_cut(&q->reno, w->cwnd, 0.5);
}

static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    struct dctcp *d = state;
    const struct dctcp_params *q = p;

    d->reno.ssthresh = orr__reno_cut(&q->reno, w->cwnd, 0.5);
    w->cwnd = 1;
}

static double alpha(const void *state)
{
    return ((const struct dctcp *)state)->alpha;
}

extern const struct orr_cc_ops orr__cc_dctcp;
const struct orr_cc_ops orr__cc_dctcp = {
    .name = "dctcp",
    .doc = "DCTCP (RFC 8257): cuts the window by the share of marked packets",
    .state_size = sizeof(struct dctcp),
    .params_size = sizeof(struct dctcp_params),
    .params = params,
    .init = init,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .estimate = alpha,
};
