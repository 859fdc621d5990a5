/* BBRv3 (draft-ietf-ccwg-bbr): a model of the path, the largest rate of late at
 * which packets were delivered and the least round trip, sets the rate of
 * sending, and a window of about twice their product; bounds on what is in
 * flight come from losses above a share. Names and constants are the draft's;
 * sections in brackets.
 *
 * What differs: a rate of delivery is taken over the round trip of the packet
 * that an ACK answers, from a list of what was delivered when: no packet
 * carries state; what was lost is what was sent and is neither delivered nor in
 * flight; ACKs that come in bunches get no extra window [5.5.9], since hosts
 * here bunch none; marks are not heard. Rates count bytes on the wire. */
#include "core/assert.h"
#include "core/units.h"
#include "net/cc/cc.h"

#define STARTUP_GAIN   2.773 /* 4 ln 2 [5.3.1] */
#define DRAIN_GAIN     0.5
#define CWND_GAIN      2.0
#define UP_CWND_GAIN   2.25
#define LOSS_THRESH    0.02 /* [2.4] */
#define BETA           0.7
#define HEADROOM       0.15
#define MARGIN         0.99 /* pacing stays below the bandwidth [5.6.2] */
#define LEAST_CWND     4.0  /* packets */
#define STARTUP_LOSSES 6    /* that end Startup in a round, at least */
#define RENO_ROUNDS    63   /* between two probes, at most [5.3.3.5] */

/* Times are ps. */
struct bbr_params {
    int64_t probe_rtt_interval, probe_rtt_time, min_rtt_window, probe_wait;
};

enum phase { STARTUP, DRAIN, DOWN, CRUISE, REFILL, UP, PROBE_RTT };

/* What was delivered by when. */
struct mark {
    int64_t at;         /* ps */
    uint64_t delivered; /* packets */
};
#define MARKS 64 /* a round trip has 32 of them */

/* A connection's state; packets, ps, and packets a ps. */
struct bbr {
    enum phase phase;
    double pacing_gain, cwnd_gain;
    double bw_cycle[2];                /* largest of this cycle and the last */
    double bw_lo, inflight_lo;         /* after losses; 0: none [5.5.10] */
    double inflight_hi;                /* 0: none yet */
    double bw_latest, inflight_latest; /* largest in this round */
    double full_bw;
    double initial;    /* window */
    double prior_cwnd; /* before a timeout or PROBE_RTT */
    double up_step;    /* packets acknowledged for one more of inflight_hi */
    double up_acked;
    double wire_bits;            /* of a full packet */
    int64_t min_rtt, min_rtt_at; /* in min_rtt_window */
    int64_t probe_rtt, probe_rtt_at;
    int64_t phase_at; /* it began then */
    int64_t cycle_at; /* the last probe ended then */
    int64_t wait;     /* until the next, at most */
    int64_t done_at;  /* PROBE_RTT ends then; 0: not at its window yet */
    int64_t sent_at;
    uint64_t delivered, lost;       /* packets so far */
    uint64_t lost_before;           /* by the last round's end */
    uint64_t round_end, round_from; /* delivered, when it ends, and began */
    uint64_t limited_until; /* delivered: samples before are of an application
                             * that sent less than it might */
    uint32_t rounds, rounds_since_probe, up_rounds;
    uint32_t full_rounds; /* without a growth of a quarter */
    uint32_t lot;         /* of the wait */
    bool full, lossy;     /* Startup is over; this round had losses */
    bool probing;         /* what is acknowledged was sent in UP or before */
    uint32_t first, marks;
    struct mark mark[MARKS];
};

#define AT(member) offsetof(struct bbr_params, member)
static const struct orr_param params[] = {
    {.key = "probe_rtt_interval",
     .type = ORR_PARAM_TIME,
     .offset = AT(probe_rtt_interval),
     .fallback = "5s",
     .min = "1us",
     .help = "without a round trip as short as the least, after which the "
             "window falls to half a bandwidth-delay product (ProbeRTT)"},
    {.key = "probe_rtt_time",
     .type = ORR_PARAM_TIME,
     .offset = AT(probe_rtt_time),
     .fallback = "200ms",
     .min = "0ns",
     .help = "for which it stays there, at least a round trip"},
    {.key = "min_rtt_window",
     .type = ORR_PARAM_TIME,
     .offset = AT(min_rtt_window),
     .fallback = "10s",
     .min = "1us",
     .help = "for which the least round trip is remembered"},
    {.key = "probe_wait",
     .type = ORR_PARAM_TIME,
     .offset = AT(probe_wait),
     .fallback = "2s",
     .min = "1us",
     .help = "between two probes for bandwidth, and up to half of it more at "
             "random; sooner where Reno would have grown by as much"},
    ORR_PARAM_END,
};

/* ---- the model ----------------------------------------------------------- */

static double larger_of(double a, double b)
{
    return a > b ? a : b;
}

static double smaller_of(double a, double b)
{
    return a < b ? a : b;
}

static double max_bw(const struct bbr *s)
{
    return larger_of(s->bw_cycle[0], s->bw_cycle[1]);
}

static double bottleneck_rate(const struct bbr *s)
{
    return s->bw_lo > 0 ? smaller_of(max_bw(s), s->bw_lo) : max_bw(s);
}

/* gain times the bandwidth-delay product, packets; the initial window before
 * anything is known. */
static double inflight(const struct bbr *s, double rate, double gain)
{
    return rate > 0 ? gain * rate * (double)s->min_rtt : s->initial;
}

/* At most 32 in a round trip; the oldest goes when there is no room. */
static void keep_mark(struct bbr *s, int64_t now)
{
    const struct mark *last =
        s->marks ? &s->mark[(s->first + s->marks - 1) % MARKS] : NULL;

    if (last && now - last->at < s->min_rtt / 32)
        return;
    if (s->marks == MARKS) {
        s->first = (s->first + 1) % MARKS;
        s->marks--;
    }
    s->mark[(s->first + s->marks++) % MARKS] =
        (struct mark){.at = now, .delivered = s->delivered};
}

/* The latest mark that is no later than t; older ones are forgotten. */
static struct mark mark_at(struct bbr *s, int64_t t)
{
    ORR_ASSERT(s->marks > 0);
    while (s->marks > 1 && s->mark[(s->first + 1) % MARKS].at <= t) {
        s->first = (s->first + 1) % MARKS;
        s->marks--;
    }
    return s->mark[s->first];
}

/* A wait of its own for each connection and probe. */
static void pick_wait(struct bbr *s, const struct bbr_params *p)
{
    s->lot = s->lot * 1664525u + 1013904223u;
    s->wait =
        orr__time_add(p->probe_wait, (int64_t)((double)p->probe_wait
                                               * (s->lot >> 8) * 0x1p-25));
}

/* The gains of a phase [5.6.1]. */
static void enter_phase(struct bbr *s, enum phase phase, int64_t now)
{
    static const double pacing[] = {STARTUP_GAIN, DRAIN_GAIN, 0.9, 1, 1,
                                    1.25,         1};

    s->phase = phase;
    s->phase_at = now;
    s->pacing_gain = pacing[phase];
    s->cwnd_gain = phase == UP          ? UP_CWND_GAIN
                   : phase == PROBE_RTT ? 0.5
                                        : CWND_GAIN;
}

static void forget_short_term(struct bbr *s)
{
    s->bw_lo = s->inflight_lo = 0;
}

static void start_down(struct bbr *s, const struct bbr_params *p, int64_t now)
{
    pick_wait(s, p);
    s->cycle_at = now;
    s->rounds_since_probe = 0;
    s->probing = false;
    s->bw_cycle[1] = s->bw_cycle[0];
    s->bw_cycle[0] = s->bw_latest;
    enter_phase(s, DOWN, now);
}

static void start_refill(struct bbr *s, int64_t now)
{
    forget_short_term(s);
    s->up_rounds = 0;
    s->round_end = s->delivered;
    enter_phase(s, REFILL, now);
}

/* One more packet for up_step acknowledged, which halves from round to round:
 * the bound grows by 1, 2, 4 ... in a round [5.3.3.6]. */
static void raise_step(struct bbr *s, double cwnd)
{
    double growth = (double)(1u << (s->up_rounds < 30 ? s->up_rounds : 30));

    s->up_rounds++;
    s->up_step = larger_of(cwnd / growth, 1);
}

static void start_up(struct bbr *s, double cwnd, int64_t now)
{
    s->probing = true;
    s->up_acked = 0;
    s->full_bw = s->bw_latest;
    s->full_rounds = 0;
    raise_step(s, cwnd);
    enter_phase(s, UP, now);
}

/* ---- losses -------------------------------------------------------------- */

static bool loses_much(const struct bbr *s)
{
    double lost = (double)(s->lost - s->lost_before);
    double got = (double)(s->delivered - s->round_from);

    return lost > LOSS_THRESH * (lost + got);
}

/* [5.5.10.2]: too much was in flight. */
static void lower_long_term(struct bbr *s, const struct bbr_params *p,
                            const struct orr_cc_ack *a)
{
    s->inflight_hi =
        larger_of(larger_of((double)a->in_flight, s->inflight_latest),
                  BETA * inflight(s, max_bw(s), s->cwnd_gain));
    s->probing = false;
    if (s->phase == UP)
        start_down(s, p, a->now_ps);
}

/* [5.5.10.3]: a round with losses, and no probe. */
static void lower_short_term(struct bbr *s, double cwnd)
{
    if (s->bw_lo <= 0)
        s->bw_lo = max_bw(s);
    if (s->inflight_lo <= 0)
        s->inflight_lo = cwnd;
    s->bw_lo = larger_of(s->bw_latest, BETA * s->bw_lo);
    s->inflight_lo = larger_of(s->inflight_latest, BETA * s->inflight_lo);
}

/* What this ACK shows to be lost; too much of it ends a probe [5.5.10.2]. */
static void check_losses(struct bbr *s, const struct bbr_params *p,
                         const struct orr_cc_ack *a)
{
    uint64_t gone = s->delivered + a->in_flight;

    /* a copy that was sent in vain may arrive as well */
    if (a->sent > gone && a->sent - gone > s->lost) {
        s->lost = a->sent - gone;
        s->lossy = true;
    }
    if (s->probing && s->full && loses_much(s))
        lower_long_term(s, p, a);
}

/* ---- phases -------------------------------------------------------------- */

/* [5.3.1.2, 5.3.1.3]: the bandwidth has not grown by a quarter for three
 * rounds, or a round lost more than the threshold. */
static void end_startup_round(struct bbr *s, const struct orr_cc_ack *a)
{
    bool losses = s->lost - s->lost_before >= STARTUP_LOSSES && loses_much(s);

    if (losses)
        s->inflight_hi =
            larger_of(inflight(s, max_bw(s), 1), s->inflight_latest);
    if (max_bw(s) >= 1.25 * s->full_bw) {
        s->full_bw = max_bw(s);
        s->full_rounds = 0;
    } else if (s->delivered > s->limited_until) {
        s->full_rounds++;
    }
    s->full = losses || s->full_rounds >= 3;
    if (s->full)
        enter_phase(s, DRAIN, a->now_ps);
}

/* What is judged once a round trip; then the next one begins. */
static void end_round(struct bbr *s, const struct orr_cc_ack *a, double cwnd)
{
    s->rounds++;
    s->rounds_since_probe++;
    if (s->phase == STARTUP)
        end_startup_round(s, a);
    else if (s->phase == REFILL)
        start_up(s, cwnd, a->now_ps);
    else if (s->phase == UP)
        raise_step(s, cwnd);
    if (s->lossy && s->full && !s->probing && s->phase != REFILL)
        lower_short_term(s, cwnd);
    s->round_from = s->delivered;
    s->round_end = s->delivered;
    s->lost_before = s->lost;
    s->lossy = false;
    s->bw_latest = s->inflight_latest = 0;
}

static double with_headroom(const struct bbr *s)
{
    return s->inflight_hi > 0
               ? larger_of(s->inflight_hi * (1 - HEADROOM), LEAST_CWND)
               : 1e18;
}

static bool is_time_to_probe(const struct bbr *s, int64_t now)
{
    return now - s->cycle_at > s->wait
           || s->rounds_since_probe >= smaller_of(
                  inflight(s, bottleneck_rate(s), CWND_GAIN / 2), RENO_ROUNDS);
}

/* [5.3.3.6]: the bound goes up while it is what limits. */
static void raise_bound(struct bbr *s, const struct orr_cc_ack *a, double cwnd)
{
    if (s->inflight_hi <= 0 || a->peak + 1.0 < smaller_of(cwnd, s->inflight_hi))
        return;
    s->up_acked += a->delivered;
    while (s->up_acked >= s->up_step) {
        s->up_acked -= s->up_step;
        s->inflight_hi++;
    }
}

/* [5.3.3]. */
static void advance_phase(struct bbr *s, const struct bbr_params *p,
                          const struct orr_cc_ack *a, double cwnd)
{
    int64_t now = a->now_ps;

    switch (s->phase) {
    case DRAIN:
        if (a->in_flight <= inflight(s, bottleneck_rate(s), 1))
            start_down(s, p, now);
        break;
    case DOWN:
        if (is_time_to_probe(s, now))
            start_refill(s, now);
        else if (a->in_flight <= with_headroom(s)
                 && a->in_flight <= inflight(s, bottleneck_rate(s), 1))
            enter_phase(s, CRUISE, now);
        break;
    case CRUISE:
        if (is_time_to_probe(s, now))
            start_refill(s, now);
        break;
    case UP:
        raise_bound(s, a, cwnd);
        if (now - s->phase_at > s->min_rtt
            && a->in_flight >= inflight(s, max_bw(s), 1.25))
            start_down(s, p, now);
        break;
    case STARTUP:
    case REFILL:
    case PROBE_RTT: break;
    }
}

/* [5.3.4]. */
static void probe_rtt(struct bbr *s, const struct bbr_params *p,
                      struct orr_cc_window *w, const struct orr_cc_ack *a,
                      bool round)
{
    if (s->phase != PROBE_RTT) {
        if (a->now_ps - s->probe_rtt_at <= p->probe_rtt_interval)
            return;
        s->prior_cwnd = w->cwnd;
        s->done_at = 0;
        enter_phase(s, PROBE_RTT, a->now_ps);
        return;
    }
    if (s->done_at == 0) {
        if (a->in_flight <= larger_of(
                LEAST_CWND, inflight(s, bottleneck_rate(s), s->cwnd_gain)))
            s->done_at = orr__time_add(a->now_ps, p->probe_rtt_time);
        return;
    }
    if (!round || a->now_ps < s->done_at)
        return;
    s->probe_rtt_at = a->now_ps;
    w->cwnd = larger_of(w->cwnd, s->prior_cwnd);
    if (!s->full) {
        enter_phase(s, STARTUP, a->now_ps);
        return;
    }
    forget_short_term(s);
    start_down(s, p, a->now_ps);
    enter_phase(s, CRUISE, a->now_ps);
}

/* ---- what is measured ---------------------------------------------------- */

/* [5.5.7]: the least of a window, and that of the shorter one that says when to
 * probe. */
static void take_rtt(struct bbr *s, const struct bbr_params *p, int64_t rtt,
                     int64_t now)
{
    if (rtt <= s->probe_rtt || now - s->probe_rtt_at > p->probe_rtt_interval) {
        if (rtt <= s->probe_rtt)
            s->probe_rtt_at = now;
        s->probe_rtt = rtt;
    }
    if (s->probe_rtt < s->min_rtt || now - s->min_rtt_at > p->min_rtt_window) {
        s->min_rtt = s->probe_rtt;
        s->min_rtt_at = now;
    }
}

/* A rate of delivery, packets a ps, over the round trip of what was answered;
 * true: a round is over. */
static bool take_rate(struct bbr *s, const struct orr_cc_ack *a)
{
    struct mark then;
    double got, rate;

    if (a->rtt_ps < 0 || s->marks == 0)
        return false;
    then = mark_at(s, a->now_ps - a->rtt_ps);
    if (a->now_ps <= then.at)
        return false;
    got = (double)(s->delivered - then.delivered);
    rate = got / (double)(a->now_ps - then.at);
    s->bw_latest = larger_of(s->bw_latest, rate);
    s->inflight_latest = larger_of(s->inflight_latest, got);
    if (then.delivered >= s->limited_until || rate > max_bw(s))
        s->bw_cycle[0] = larger_of(s->bw_cycle[0], rate);
    return then.delivered >= s->round_end;
}

/* ---- what is set --------------------------------------------------------- */

/* [5.6.4.6]: no more than the bounds. */
static double bounded(const struct bbr *s, double cwnd)
{
    if (s->phase == CRUISE || s->phase == PROBE_RTT)
        cwnd = smaller_of(cwnd, with_headroom(s));
    else if (s->full && s->inflight_hi > 0)
        cwnd = smaller_of(cwnd, s->inflight_hi);
    if (s->inflight_lo > 0)
        cwnd = smaller_of(cwnd, s->inflight_lo);
    if (s->phase == PROBE_RTT)
        cwnd = smaller_of(cwnd, inflight(s, bottleneck_rate(s), s->cwnd_gain));
    return larger_of(cwnd, LEAST_CWND);
}

/* The window and the rate, after an ACK of so many packets [5.6]. */
static void set_window(struct bbr *s, struct orr_cc_window *w, double delivered)
{
    /* three more, so that a short path is filled as well [5.6.4.2] */
    double target = inflight(s, bottleneck_rate(s), s->cwnd_gain) + 3;
    double rate =
        MARGIN * s->pacing_gain * bottleneck_rate(s) * s->wire_bits * 1e12;

    if (s->full)
        w->cwnd = smaller_of(w->cwnd + delivered, target);
    else if (w->cwnd < target || (double)s->delivered < s->initial)
        w->cwnd += delivered;
    w->cwnd = bounded(s, w->cwnd);
    if (rate > 0 && (s->full || rate > w->rate))
        w->rate = rate;
}

/* [5.6.3]: before anything is known, the initial window in a round trip. */
static void init(void *state, const void *params_, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    struct bbr *s = state;

    s->initial = w->cwnd;
    s->wire_bits = 8.0 * path->packet_bytes;
    s->min_rtt = path->base_rtt_ps > 0 ? path->base_rtt_ps : 1;
    s->probe_rtt = INT64_MAX;
    s->min_rtt_at = s->probe_rtt_at = s->cycle_at = path->now_ps;
    s->sent_at = path->now_ps;
    s->lot = (uint32_t)((uint64_t)path->now_ps ^ (uint64_t)path->now_ps >> 32);
    pick_wait(s, params_);
    enter_phase(s, STARTUP, path->now_ps);
    w->rate =
        STARTUP_GAIN * s->initial / (double)s->min_rtt * s->wire_bits * 1e12;
    keep_mark(s, path->now_ps);
}

/* A gap of a round trip beyond the pace: there was nothing to send, and what is
 * delivered of the next window says little of the path [4.1.2.4]. */
static void on_send(void *state, const void *p, struct orr_cc_window *w,
                    int64_t now, uint32_t bytes)
{
    struct bbr *s = state;
    double gap = w->rate > 0 ? 3 * s->wire_bits * 1e12 / w->rate : 0;

    if ((double)(now - s->sent_at) > gap + (double)s->min_rtt)
        s->limited_until = s->delivered + (uint64_t)w->cwnd;
    s->sent_at = now;
}

/* [5.2.3]: the model, then the phase, then the answer. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct bbr *s = state;
    bool round;

    s->delivered += a->delivered;
    if (a->rtt_ps >= 0)
        take_rtt(s, p, a->rtt_ps, a->now_ps);
    round = take_rate(s, a);
    check_losses(s, p, a);
    if (round)
        end_round(s, a, w->cwnd);
    advance_phase(s, p, a, w->cwnd);
    probe_rtt(s, p, w, a, round);
    keep_mark(s, a->now_ps);
    set_window(s, w, a->delivered);
}

/* [5.6.4.4]: all that is in flight is lost; the window comes back with ACKs. */
static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    struct bbr *s = state;

    if (s->full && !s->probing)
        lower_short_term(s, w->cwnd);
    w->cwnd = 1;
}

static double estimate(const void *state)
{
    const struct bbr *s = state;

    return bottleneck_rate(s) * s->wire_bits * 1e12;
}

extern const struct orr_cc_ops orr__cc_bbr;
const struct orr_cc_ops orr__cc_bbr = {
    .name = "bbr",
    .doc = "BBRv3: paced at the rate of delivery, with about two "
           "bandwidth-delay products in flight",
    .state_size = sizeof(struct bbr),
    .params_size = sizeof(struct bbr_params),
    .params = params,
    .doubles = true,
    .signals = ORR_CC_DELAY,
    .init = init,
    .on_send = on_send,
    .on_ack = on_ack,
    .on_timeout = on_timeout,
    .estimate = estimate,
};
