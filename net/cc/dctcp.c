/* DCTCP: RFC 8257. The share of marked packets in each window moves alpha, and
 * the first mark in a window cuts it by alpha / 2. */
#include "core/assert.h"
#include "core/snapshot.h"
#include "net/cc/reno.h"

/* g: weight of a window in alpha; alpha: at the beginning. */
struct dctcp_params {
    struct orr_reno_params reno;
    double g, alpha;
};

/* A connection's state; alpha is the smoothed share of marked packets, 0 to
 * 1. */
struct dctcp {
    struct orr_reno reno;
    double alpha;
    uint32_t acked, marked;  /* packets in this observation window */
    uint32_t window_end;     /* it ends when more than this is acknowledged */
    uint64_t windows, marks; /* windows so far; marks that were heard of */
};

static const struct orr_param params[] = {
    {.key = "g",
     .type = ORR_PARAM_REAL,
     .offset = offsetof(struct dctcp_params, g),
     .fallback = "0.0625",
     .min = "0",
     .max = "1",
     .help = "weight of the newest window in alpha (RFC 8257, section 4.2)",
     .idle = orr__cc_idle_marks},
    {.key = "alpha",
     .type = ORR_PARAM_REAL,
     .offset = offsetof(struct dctcp_params, alpha),
     .fallback = "1",
     .min = "0",
     .max = "1",
     .help = "alpha at the start",
     .idle = orr__cc_idle_marks},
    ORR_RENO_PARAMS(struct dctcp_params, reno.),
    ORR_PARAM_END,
};

static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    struct dctcp *d = state;
    const struct dctcp_params *q = p;

    orr__reno_init(&d->reno, &q->reno, path);
    d->alpha = q->alpha;
}

/* RFC 8257, section 3.3, steps 4 to 8. */
static void observe(struct dctcp *d, const struct dctcp_params *q,
                    const struct orr_cc_ack *a)
{
    d->acked += a->acked;
    if (a->echo) {
        d->marked += a->acked;
        d->marks++;
    }
    if ((int32_t)(a->una - d->window_end) <= 0 || d->acked == 0)
        return;
    ORR_ASSERT(d->marked <= d->acked);
    d->alpha += ((double)d->marked / (double)d->acked - d->alpha) * q->g;
    d->acked = d->marked = 0;
    d->window_end = a->next;
    d->windows++;
}

/* Moves alpha once a window, cuts at most once a window, and not during
 * recovery or while an answer to a mark is under way. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct dctcp *d = state;
    const struct dctcp_params *q = p;

    observe(d, q, a);
    orr__reno_heard(&d->reno, w, a);
    if (d->reno.waiting || a->recovering)
        return;
    if (a->echo) {
        d->reno.ssthresh = orr__reno_cut(&q->reno, w->cwnd, 1 - d->alpha / 2);
        orr__reno_marked(&d->reno, w, a);
    } else if (orr__reno_grows(a)) {
        orr__reno_grow(&d->reno, &q->reno, w, a);
    }
}

/* A loss is answered as in Reno (RFC 8257, section 3.5). */
static void on_loss(void *state, const void *p, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    struct dctcp *d = state;
    const struct dctcp_params *q = p;

    d->reno.ssthresh = orr__reno_left(&d->reno, &q->reno, w, 0.5);
    orr__reno_lost(&d->reno, w, a);
}

static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    struct dctcp *d = state;
    const struct dctcp_params *q = p;

    if (a->timeouts <= 1)
        d->reno.ssthresh =
            orr__reno_cut(&q->reno, orr__reno_window(&d->reno, w), 0.5);
    orr__reno_timed_out(&d->reno, w);
}

/* While nothing is marked alpha only fades, and nothing depends on it. */
static void fade_alpha(struct dctcp *d, double g, uint64_t windows)
{
    for (; windows > 0; windows--) {
        double before = d->alpha;

        d->alpha += (0 - d->alpha) * g;
        if (d->alpha == before)
            break;
    }
}

/* Windows without a mark only shrink alpha, by the same factor each, so they
 * may repeat: the replay counts them and `fade` does them all at once. */
static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
    struct dctcp *d = state;
    const struct dctcp_params *q = p;
    uint64_t more, marks;

    orr__reno_snapshot(&d->reno, w, una);
    orr__snapshot_value(w, d->acked);
    orr__snapshot_value(w, d->marked);
    orr__snapshot_value(w, d->window_end - una);
    orr__snapshot_idle(w, d->alpha, d->marks);
    more = orr__snapshot_more(w, d->windows);
    marks = orr__snapshot_more(w, d->marks);
    d->windows += more;
    d->marks += marks;
    if (marks == 0)
        fade_alpha(d, q->g, more);
}

static double alpha_of(const void *state)
{
    return ((const struct dctcp *)state)->alpha;
}

extern const struct orr_cc_ops orr__cc_dctcp;
const struct orr_cc_ops orr__cc_dctcp = {
    .name = "dctcp",
    .doubles = true,
    .doc = "DCTCP (RFC 8257): cuts the window by the share of marked packets",
    .signals = ORR_CC_MARKS,
    .state_size = sizeof(struct dctcp),
    .params_size = sizeof(struct dctcp_params),
    .params = params,
    .marks = true,
    .init = init,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .estimate = alpha_of,
    .snapshot = snapshot,
};
