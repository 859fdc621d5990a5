/* MLTCP (Rajasekaran et al., HotNets'24; arXiv 2402.09589) around another
 * control: its additive increase is multiplied by F(share of this iteration's
 * bytes that were sent), so that the job that is further ahead gets more of a
 * link and jobs slide apart until they take turns. Decreases and slow start
 * stay as they are.
 *
 * Bytes are counted as they are acknowledged, in full packets. An iteration
 * begins when a connection that had everything acknowledged sends again after
 * a pause of at least `gap`. (The authors' code looks at the time between two
 * ACKs; then a timeout looks like a pause too.) With `gap: auto` a pause counts
 * that is longer than several smoothed round trips and packets at the current
 * rate, and it begins an iteration if it is half the longest of late: so pauses
 * within an iteration have no effect once the one between iterations was seen.
 * The longest of late fades by 1/8 an iteration. It is given up, for the
 * longest since, when 16 pauses in a row were less than half of it; if one as
 * long comes after all, that was wrong, and next time it takes twice as many.
 * Until the bytes of an iteration are known, F is 1. */
#include <math.h>

#include "core/config/config.h"
#include "core/snapshot.h"
#include "net/cc/mltcp.h"

enum function { LINEAR, QUADRATIC, CONCAVE, SQRT, STEP, CONSTANT, REVERSE };
static const char *const functions[] = {
    [LINEAR] = "linear",   [QUADRATIC] = "quadratic",
    [CONCAVE] = "concave", [SQRT] = "sqrt",
    [STEP] = "step",       [CONSTANT] = "constant",
    [REVERSE] = "reverse", NULL,
};

/* A connection's state; the wrapped control's stands behind it. */
struct mltcp {
    const struct orr_cc_ops *base;
    double weight;     /* of the flow: a factor beside F */
    double initial;    /* window, packets */
    uint64_t payload;  /* of a full packet, bytes */
    double wire_bits;  /* the same of all of it */
    uint64_t sent;     /* bytes acknowledged in this iteration */
    uint64_t total;    /* bytes of an iteration; 0: not known yet */
    double longest;    /* pause of late, ps */
    double recent;     /* longest since an iteration began, ps */
    double given_up;   /* was the longest, before it was given up, ps; or 0 */
    uint32_t waited;   /* pauses since an iteration began, none long enough */
    uint32_t patience; /* pauses after which the longest is given up */
    double srtt;       /* ps, weight 1/8; 0: none yet */
    int64_t last;      /* time of the last ACK, ps */
    bool idle;         /* everything was acknowledged then */
};

enum { FIRST_PATIENCE = 16, MOST_PATIENCE = 1 << 20 };
/* Round trips, and packets at the current rate, that a pause lasts at least. */
#define SEVERAL 4.0

static const char *idle_if_flat(const void *set, const void *around)
{
    const struct orr_mltcp_params *q = set;

    return q->slope > 0 || q->slope < 0
               ? NULL
               : "with `slope: 0` F is the same at any x";
}

/* When F is always the same, and known from the start. */
static const char *no_iteration(const void *set, const void *around)
{
    const struct orr_mltcp_params *q = set;
    bool same = q->function == CONSTANT || idle_if_flat(set, around);

    return same && q->bytes != ORR_AUTO_SIZE && !q->restart
               ? "F is the same in all of an iteration, and nothing begins anew"
               : NULL;
}

#define AT(member) offsetof(struct orr_mltcp_params, member)
const struct orr_param orr__mltcp_params[] = {
    {.key = "base",
     .type = ORR_PARAM_TEXT,
     .offset = AT(base.name),
     .fallback = "reno",
     .help = "the control whose increase is scaled; its parameters go beside "
             "these"},
    {.key = "slope",
     .type = ORR_PARAM_REAL,
     .offset = AT(slope),
     .fallback = "1.75",
     .help = "F grows by this over an iteration"},
    {.key = "intercept",
     .type = ORR_PARAM_REAL,
     .offset = AT(intercept),
     .fallback = "0.25",
     .min = "0",
     .help = "F at the start of an iteration"},
    {.key = "function",
     .type = ORR_PARAM_CHOICE,
     .offset = AT(function),
     .fallback = "linear",
     .choices = functions,
     .help = "F is intercept + slope f(x), x from 0 to 1 over an iteration: x, "
             "x^2, 1 - (1 - x)^2, sqrt(x), 0 then 1 at half, 1/2 always, or "
             "1 - x",
     .idle = idle_if_flat},
    {.key = "bytes",
     .type = ORR_PARAM_SIZE,
     .offset = AT(bytes),
     .fallback = "auto",
     .min = "1B",
     .help = "payload of a connection in an iteration; auto: of the last one"},
    {.key = "gap",
     .type = ORR_PARAM_TIME,
     .offset = AT(gap),
     .fallback = "auto",
     .min = "1ns",
     .help = "a pause this long begins an iteration; auto: half of the longest "
             "recent one, and several round trips",
     .idle = no_iteration},
    {.key = "restart",
     .type = ORR_PARAM_BOOL,
     .offset = AT(restart),
     .fallback = "false",
     .help = "an iteration begins with network.initial_window again"},
    ORR_PARAM_END,
};

/* F; x from 0 to 1. */
static double factor(const struct orr_mltcp_params *q, double x)
{
    switch ((enum function)q->function) {
    case LINEAR: break;
    case QUADRATIC: x = x * x; break;
    case CONCAVE: x = x * (2 - x); break;
    case SQRT: x = sqrt(x); break;
    case STEP: x = x < 0.5 ? 0 : 1; break;
    case CONSTANT: x = 0.5; break;
    case REVERSE: x = 1 - x; break;
    }
    return q->intercept + q->slope * x;
}

static orr_err check(struct orr_config *c, const struct orr_yaml *at, void *p,
                     struct orr_report *why)
{
    const struct orr_mltcp_params *q = p;

    if (q->intercept + q->slope < 0)
        return orr__yaml_fail(c, at, why,
                              "mltcp: intercept + slope is below 0: the window "
                              "would shrink instead of grow");
    return ORR_OK;
}

static void *base_state(void *state)
{
    return ORR_CC_BASE_STATE(state, struct mltcp);
}

static void set_gain(const struct mltcp *s, const struct orr_mltcp_params *q,
                     struct orr_cc_window *w)
{
    double x = s->sent < s->total ? (double)s->sent / (double)s->total : 1;

    w->gain = s->weight * (s->total > 0 ? factor(q, x) : 1);
}

/* The weight of the flow is taken from w->gain before the wrapped control
 * starts, since that may read it. */
static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    struct mltcp *s = state;
    const struct orr_mltcp_params *q = p;

    s->base = q->base.ops;
    s->weight = w->gain;
    s->initial = w->cwnd;
    s->payload = path->payload_bytes;
    s->wire_bits = 8.0 * path->packet_bytes;
    if (q->bytes != ORR_AUTO_SIZE)
        s->total = q->bytes;
    s->patience = FIRST_PATIENCE;
    set_gain(s, q, w);
    if (s->base->init)
        s->base->init(base_state(state), q->base.params, w, path);
}

/* Whether a pause (ps) lies between two iterations: with `gap: auto`. */
static bool is_long(struct mltcp *s, const struct orr_cc_window *w,
                    double pause)
{
    if (pause < SEVERAL * s->srtt
        || (w->rate > 0 && pause < SEVERAL * s->wire_bits * 1e12 / w->rate))
        return false;
    if (pause < s->longest / 2) {
        s->recent = pause > s->recent ? pause : s->recent;
        if (++s->waited < s->patience)
            return false;
        s->given_up = s->longest > s->given_up ? s->longest : s->given_up;
        s->longest = s->recent;
        s->waited = 0;
        return pause >= s->longest / 2;
    }
    if (s->given_up > 0 && pause >= s->given_up * 7 / 8) {
        s->given_up = 0;
        if (s->patience < MOST_PATIENCE)
            s->patience *= 2;
    }
    s->longest -= s->longest / 8;
    if (s->longest < pause)
        s->longest = pause;
    return true;
}

/* The first packet after a pause, ps. */
static void resume(struct mltcp *s, const struct orr_mltcp_params *q,
                   struct orr_cc_window *w, double pause)
{
    s->idle = false;
    if (q->gap == ORR_AUTO ? !is_long(s, w, pause) : pause < (double)q->gap)
        return;
    s->waited = 0;
    s->recent = 0;
    if (q->bytes == ORR_AUTO_SIZE)
        s->total = s->sent;
    s->sent = 0;
    if (q->restart && w->cwnd > s->initial && w->cwnd < ORR_CC_UNLIMITED)
        w->cwnd = s->initial;
}

/* The base first: what its timers did in the pause belongs to the iteration
 * before it, and counts with F as it was then. */
static void on_send(void *state, const void *p, struct orr_cc_window *w,
                    int64_t now_ps, uint32_t bytes)
{
    struct mltcp *s = state;
    const struct orr_mltcp_params *q = p;

    if (s->base->on_send)
        s->base->on_send(base_state(state), q->base.params, w, now_ps, bytes);
    if (s->idle) {
        resume(s, q, w, (double)(now_ps - s->last));
        set_gain(s, q, w);
    }
}

/* Counts payload, sets the gain for this moment of the iteration, and lets the
 * wrapped control decide. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct mltcp *s = state;
    const struct orr_mltcp_params *q = p;
    double rtt = (double)a->rtt_ps;

    if (a->rtt_ps >= 0)
        s->srtt = s->srtt > 0 ? s->srtt + (rtt - s->srtt) / 8 : rtt;
    s->sent += a->acked * s->payload;
    s->last = a->now_ps;
    s->idle = a->una == a->next;
    set_gain(s, q, w);
    if (s->base->on_ack)
        s->base->on_ack(base_state(state), q->base.params, w, a);
}

static void on_loss(void *state, const void *p, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    const struct mltcp *s = state;
    const struct orr_mltcp_params *q = p;

    if (s->base->on_loss)
        s->base->on_loss(base_state(state), q->base.params, w, a);
}

static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    const struct mltcp *s = state;
    const struct orr_mltcp_params *q = p;

    if (s->base->on_timeout)
        s->base->on_timeout(base_state(state), q->base.params, w, a);
}

static void on_cnp(void *state, const void *p, struct orr_cc_window *w,
                   int64_t now_ps)
{
    const struct mltcp *s = state;
    const struct orr_mltcp_params *q = p;

    if (s->base->on_cnp)
        s->base->on_cnp(base_state(state), q->base.params, w, now_ps);
}

/* Of the control inside. */
static double estimate(const void *state)
{
    const struct mltcp *s = state;

    return s->base->estimate
               ? s->base->estimate(ORR_CC_BASE_STATE(state, struct mltcp))
               : (double)NAN;
}

/* Its own state, then the wrapped control's. */
static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
    struct mltcp *s = state;
    const struct orr_mltcp_params *q = p;

    orr__snapshot_value(w, s->sent);
    orr__snapshot_value(w, s->total);
    orr__snapshot_real(w, s->longest);
    orr__snapshot_real(w, s->recent);
    orr__snapshot_real(w, s->given_up);
    orr__snapshot_value(w, s->waited);
    orr__snapshot_value(w, s->patience);
    orr__snapshot_real(w, s->srtt);
    orr__snapshot_time(w, &s->last);
    orr__snapshot_value(w, s->idle);
    if (s->base->snapshot) /* see orr__cc_has_snapshot */
        s->base->snapshot(base_state(state), q->base.params, w, una);
}

static struct orr_cc_hop *kept(void *state, uint32_t *hops)
{
    const struct mltcp *s = state;

    *hops = 0;
    return s->base->kept ? s->base->kept(base_state(state), hops) : NULL;
}

const struct orr_cc_ops orr__cc_mltcp = {
    .name = "mltcp",
    .doc = "MLTCP around another control: its increase grows with the share "
           "of the iteration's bytes that were sent",
    .state_size = sizeof(struct mltcp),
    .params_size = sizeof(struct orr_mltcp_params),
    .params = orr__mltcp_params,
    .wraps = true,
    .check = check,
    .init = init,
    .on_send = on_send,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .on_cnp = on_cnp,
    .estimate = estimate,
    .snapshot = snapshot,
    .kept = kept,
};
