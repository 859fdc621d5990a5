/* CUBIC: RFC 9438. After a loss the window follows a cubic curve of the time
 * since, which is flat where the loss was; where Reno would have a larger
 * window, it follows Reno. A mark is answered as a loss, once a window. Slow
 * start ends at ssthresh, a loss or a mark, or by HyStart++ (RFC 9406), which
 * the RFC asks for (section 4.10).
 *
 * The gain stands at the constant C and at Reno's increase: with gain g the
 * curve is g C (t - K)^3. That is the same curve on a clock that runs cbrt(g)
 * times as fast, and so it may change at any time. */
#include <string.h>

#include "core/assert.h"
#include "core/snapshot.h"
#include "net/cc/reno.h"

/* Names and defaults are RFC 9438's. */
struct cubic_params {
    struct orr_reno_params reno;
    double c, beta;
    bool fast_convergence, friendly;
    int form;
};

/* A connection's state; windows are in packets. */
struct cubic {
    struct orr_reno reno;
    bool in_epoch;  /* the stage of congestion avoidance has begun */
    bool cut;       /* it begins after a reduction: w_max and prior are set */
    bool fresh;     /* it did not */
    double w_max;   /* packets, plateau of the curve */
    double prior;   /* window before the reduction (cwnd_prior), packets */
    double k;       /* s, at gain 1: when the curve is at w_max */
    double t;       /* s of the curve's clock since the stage began */
    double w_est;   /* Reno's window, packets */
    double srtt;    /* s, weight 1/8; 0: none yet */
    int64_t last;   /* time of the last ACK, ps */
    bool idle;      /* nothing was in flight after it */
    int64_t credit; /* packets that arrived and are not yet part of the window;
                     * 0 with `form: rfc` */
    double gain, speed; /* speed = cbrt(gain) */
};

enum form { RFC, LINUX, NS3 };
static const char *const forms[] = {"rfc", "linux", "ns3", NULL};

static const struct orr_param params[] = {
    {.key = "C",
     .type = ORR_PARAM_REAL,
     .offset = offsetof(struct cubic_params, c),
     .fallback = "0.4",
     .min = "1e-6",
     .max = "1e15",
     .help = "steepness of the curve, packets/s^3 (RFC 9438, section 5)"},
    {.key = "beta",
     .type = ORR_PARAM_REAL,
     .offset = offsetof(struct cubic_params, beta),
     .fallback = "0.7",
     .min = "0.01",
     .max = "0.99",
     .help = "share of the window left after a loss or mark (section 4.6)"},
    {.key = "fast_convergence",
     .type = ORR_PARAM_BOOL,
     .offset = offsetof(struct cubic_params, fast_convergence),
     .fallback = "true",
     .help = "a plateau lower than the last one is lowered further, in favour "
             "of new flows (section 4.7)"},
    {.key = "friendly",
     .type = ORR_PARAM_BOOL,
     .offset = offsetof(struct cubic_params, friendly),
     .fallback = "true",
     .help = "never below the window of Reno (section 4.3)"},
    {.key = "form",
     .type = ORR_PARAM_CHOICE,
     .offset = offsetof(struct cubic_params, form),
     .fallback = "rfc",
     .choices = forms,
     .help = "rfc: RFC 9438; linux: in whole packets, with one packet per "
             "hundred windows while the curve is flat, by which small windows "
             "grow; ns3: the same, but ACKs that arrived while the curve was "
             "flat are kept and spent, a packet each, once it is steep"},
    ORR_RENO_PARAMS(struct cubic_params, reno.),
    ORR_HYSTART_PARAM(struct cubic_params, reno., "true"),
    ORR_PARAM_END,
};

/* The cube root of x >= 0, the same on every machine: a third of the exponent
 * is within 6 % of it, and each of Newton's steps squares that error. */
static double cube_root(double x)
{
    uint64_t bits;
    double r;

    if (!(x > 1e-300))
        return 0;
    memcpy(&bits, &x, sizeof bits);
    bits = bits / 3 + 0x2a9f7893782da1ceULL;
    memcpy(&r, &bits, sizeof r);
    for (int i = 0; i < 5; i++)
        r -= (r - x / (r * r)) / 3;
    return r;
}

static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    struct cubic *s = state;
    const struct cubic_params *q = p;

    orr__reno_init(&s->reno, &q->reno, path);
}

/* Towards 0; what is that large has no fraction. */
static double truncate_double(double x)
{
    return x > -1e15 && x < 1e15 ? (double)(int64_t)x : x;
}

/* A window in the unit of the form: whole packets, if it counts in these. */
static double counted(const struct cubic_params *q, double packets)
{
    return q->form == RFC ? packets : truncate_double(packets);
}

/* Equation 1. */
static double curve_window(const struct cubic *s, const struct cubic_params *q,
                           double t)
{
    double d = t - s->k, beside = q->c * d * d * d;

    return s->w_max + counted(q, beside);
}

/* A stage of congestion avoidance begins. Without a reduction before it (after
 * slow start or a timeout) it begins at the plateau (sections 4.8, 4.10). */
static void begin_epoch(struct cubic *s, const struct cubic_params *q,
                        double cwnd)
{
    if (!s->cut)
        s->w_max = s->prior = cwnd;
    s->w_max = counted(q, s->w_max);
    cwnd = counted(q, cwnd);
    s->k = s->w_max > cwnd ? cube_root((s->w_max - cwnd) / q->c) : 0;
    ORR_ASSERT(s->k >= 0);
    s->t = 0;
    s->fresh = !s->cut;
    s->w_est = cwnd;
    s->in_epoch = true;
}

/* Section 4.3: as much as Reno with the reduction beta gains, and one packet a
 * window once it is where it was before the reduction. */
static void grow_est(struct cubic *s, const struct cubic_params *q, double gain,
                     double n, double cwnd)
{
    double alpha = s->w_est < s->prior ? 3 * (1 - q->beta) / (1 + q->beta) : 1;

    s->w_est += gain * alpha * (n / cwnd);
}

/* What a time of s counts for on the clock of the curve. */
static double clocked(struct cubic *s, const struct orr_cc_window *w, double t)
{
    if (w->gain != s->gain) {
        s->gain = w->gain;
        s->speed = cube_root(w->gain);
    }
    return t * s->speed;
}

/* tcp_cubic.c of Linux: a packet for each so many that arrived: two at least, a
 * hundred windows where the curve is flat, 20 at most before any reduction. */
static int64_t packet_price(double target, double cwnd, bool fresh)
{
    double whole_cwnd = truncate_double(cwnd), count = 100 * whole_cwnd;

    target = truncate_double(target);
    if (target > whole_cwnd)
        count = truncate_double(whole_cwnd / (target - whole_cwnd));
    if (fresh && count > 20)
        count = 20;
    return count > 2 ? (int64_t)(count < 1e18 ? count : 1e18) : 2;
}

/* Packets that the window grows by. Credit that was gathered at a higher price
 * buys one packet in Linux, whatever there is of it (tcp_cong_avoid_ai). ns-3
 * keeps it, over reductions too, and spends it by the new price. */
static double buy_packets(struct cubic *s, enum form form, int64_t n,
                          int64_t each)
{
    int64_t bought = 0, most = form == NS3 ? 1 : INT64_MAX;

    ORR_ASSERT(s->credit >= 0 && n >= 0 && each >= 2);
    if (form == LINUX && s->credit >= each) {
        s->credit = 0;
        bought = 1;
    }
    s->credit += n;
    if (s->credit >= each) {
        int64_t more = s->credit / each < most ? s->credit / each : most;

        s->credit -= more * each;
        bought += more;
    }
    return (double)bought;
}

/* Sections 4.2 to 4.5. passed: s since the last ACK. */
static void avoid_congestion(struct cubic *s, const struct cubic_params *q,
                             struct orr_cc_window *w, int64_t arrived,
                             double passed)
{
    double target, n = (double)arrived;

    if (!s->in_epoch)
        begin_epoch(s, q, w->cwnd);
    else
        s->t += clocked(s, w, passed);
    target = curve_window(s, q, s->t + clocked(s, w, s->srtt));
    if (q->friendly)
        grow_est(s, q, w->gain, n, w->cwnd);
    if (q->friendly && curve_window(s, q, s->t) < s->w_est) {
        if (w->cwnd < s->w_est)
            w->cwnd = s->w_est;
        return;
    }
    if (target > 1.5 * w->cwnd)
        target = 1.5 * w->cwnd;
    if (q->form != RFC)
        w->cwnd += buy_packets(s, q->form, arrived,
                               packet_price(target, w->cwnd, s->fresh));
    else if (target > w->cwnd)
        w->cwnd += (target - w->cwnd) * (n < w->cwnd ? n / w->cwnd : 1);
}

/* Seconds since the last ACK that count: a pause of the program is a round trip
 * at most (section 5.8). */
static double advance_clock(struct cubic *s, const struct orr_cc_ack *a)
{
    double passed = (double)(a->now_ps - s->last) * 1e-12;

    ORR_ASSERT(a->now_ps >= s->last);
    if (a->rtt_ps >= 0) {
        double rtt = (double)a->rtt_ps * 1e-12;

        s->srtt = s->srtt > 0 ? s->srtt + (rtt - s->srtt) / 8 : rtt;
    }
    if (s->idle && passed > s->srtt)
        passed = s->srtt;
    s->last = a->now_ps;
    s->idle = a->in_flight == 0;
    return passed;
}

/* The threshold that a loss or a mark leaves. */
static void reduce(struct cubic *s, const struct cubic_params *q,
                   const struct orr_cc_window *w)
{
    double cwnd = counted(q, orr__reno_window(&s->reno, w));
    double left = counted(q, cwnd * q->beta);

    s->prior = cwnd;
    s->w_max = q->fast_convergence && cwnd < s->w_max
                   ? counted(q, cwnd * (1 + q->beta) / 2)
                   : cwnd;
    s->reno.ssthresh = left > q->reno.min_cwnd ? left : q->reno.min_cwnd;
    if (q->form == LINUX)
        s->credit = 0;
    s->cut = true;
    s->in_epoch = false;
}

/* A window that is not made use of does not grow and its clock stands still,
 * as in orr__reno_grow. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct cubic *s = state;
    const struct cubic_params *q = p;
    int64_t n = a->delivered > q->reno.growth ? q->reno.growth : a->delivered;
    double passed = advance_clock(s, a);

    orr__reno_heard(&s->reno, w, a);
    if (a->recovering || s->reno.waiting)
        return;
    if (a->echo) {
        reduce(s, q, w);
        orr__reno_marked(&s->reno, w, a);
    } else if (orr__reno_grows(a)) {
        if (w->cwnd < s->reno.ssthresh) {
            s->in_epoch = false;
            orr__reno_grow(&s->reno, &q->reno, w, a);
        } else if (w->cwnd < a->peak + 1) {
            avoid_congestion(s, q, w, n, passed);
        }
    }
}

static void on_loss(void *state, const void *p, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    struct cubic *s = state;

    if (!s->reno.waiting) /* once a window, as orr__reno_left */
        reduce(s, p, w);
    orr__reno_lost(&s->reno, w, a);
}

/* As in Reno, a timeout of what was sent again changes nothing more. */
static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    struct cubic *s = state;

    if (a->timeouts <= 1)
        reduce(s, p, w);
    s->cut = s->in_epoch = false;
    orr__reno_timed_out(&s->reno, w);
}

/* What the curve depends on: of the stage of congestion avoidance only what is
 * not set anew when the next one begins. */
static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
    struct cubic *s = state;

    orr__reno_snapshot(&s->reno, w, una);
    orr__snapshot_value(w, s->in_epoch | s->cut << 1 | s->idle << 2);
    orr__snapshot_real(w, s->w_max);
    orr__snapshot_real(w, s->prior);
    orr__snapshot_real(w, s->k);
    orr__snapshot_real(w, s->t);
    orr__snapshot_real(w, s->w_est);
    orr__snapshot_real(w, s->srtt);
    orr__snapshot_value(w, (uint64_t)s->credit);
    orr__snapshot_time(w, &s->last);
    orr__snapshot_real(w, s->gain);
}

extern const struct orr_cc_ops orr__cc_cubic;
const struct orr_cc_ops orr__cc_cubic = {
    .name = "cubic",
    .doubles = true,
    .doc = "CUBIC (RFC 9438): a cubic function of the time since the last loss "
           "or mark",
    .signals = ORR_CC_MARKS,
    .state_size = sizeof(struct cubic),
    .params_size = sizeof(struct cubic_params),
    .params = params,
    .init = init,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .snapshot = snapshot,
};
