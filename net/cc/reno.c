/* NewReno: RFC 5681 (windows), RFC 6582 and RFC 6675 (recovery, done by the
 * connection), RFC 3168 (a marked packet is answered as a loss, once a
 * window). */
#include "net/cc/reno.h"

static const struct orr_param params[] = {
    ORR_RENO_PARAMS(struct orr_reno_params, ),
    ORR_PARAM_END,
};

static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    struct orr_reno *r = state;
    const struct orr_reno_params *q = p;

    r->ssthresh = q->ssthresh;
}

static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct orr_reno *r = state;

    if (r->waiting && (int32_t)(a->una - r->cut) > 0)
        r->waiting = false;
    if (a->echo && !r->waiting && !a->recovering) {
        r->ssthresh = w->cwnd = orr__reno_cut(p, w->cwnd, 0.5);
        r->cut = a->next;
        r->waiting = true;
    } else if (a->delivered && !r->waiting && !a->recovering) {
        orr__reno_grow(r, p, w, a);
    }
}

/* RFC 5681, equation 4: half of what is in flight. */
static void on_loss(void *state, const void *p, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    struct orr_reno *r = state;

    r->ssthresh = w->cwnd = orr__reno_cut(p, w->cwnd, 0.5);
}

static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    struct orr_reno *r = state;

    r->ssthresh = orr__reno_cut(p, w->cwnd, 0.5);
    w->cwnd = 1;
}

extern const struct orr_cc_ops orr__cc_reno;
const struct orr_cc_ops orr__cc_reno = {
    .name = "reno",
    .doc = "NewReno: slow start, one packet a window, half after a loss or a "
           "mark",
    .state_size = sizeof(struct orr_reno),
    .params_size = sizeof(struct orr_reno_params),
    .params = params,
    .init = init,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
};
