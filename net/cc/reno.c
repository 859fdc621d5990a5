/* NewReno: RFC 5681 (windows), RFC 6582, RFC 6675 and RFC 8985 (recovery, done
 * by the connection), RFC 6937 (the window in a recovery, and if
 * asked for after a mark), RFC 3168 (a marked
 * packet is answered as a loss, once a window). */
#include "net/cc/reno.h"

#include "core/snapshot.h"

static const struct orr_param params[] = {
    ORR_RENO_PARAMS(struct orr_reno_params, ),
    ORR_HYSTART_PARAM(struct orr_reno_params, , "false"),
    ORR_PARAM_END,
};

static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    orr__reno_init(state, p, path);
}

const char *const orr__prr_forms[] = {"linux", "ns3", NULL};

/* So many packets should have been sent in the proportional part. */
static double packets_due(const struct orr_reno *r)
{
    double share = r->prr.delivered * r->ssthresh / r->prr.flight;
    double whole = (double)(int64_t)share;

    return r->in_bytes || whole >= share ? share : whole + 1;
}

/* And so many more below the threshold, at most: Linux's bound, or that of
 * ns-3, which catches up with what is due only when the ACK makes progress. */
static double catch_up(const struct orr_reno *r, const struct orr_cc_ack *a,
                       double out)
{
    double behind = r->prr.delivered - out, more = a->delivered;

    if (r->in_bytes && !a->acked)
        return more;
    if (more < behind)
        more = behind;
    return a->acked && (r->in_bytes || !a->lost) ? more + 1 : more;
}

/* RFC 6937, section 3. */
static void reduce(struct orr_reno *r, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct orr_prr *prr = &r->prr;
    double out = (double)(a->sent - prr->sent), in_flight = a->in_flight;
    double more;

    prr->delivered += a->delivered;
    if (in_flight > r->ssthresh) {
        more = packets_due(r) - out;
    } else {
        more = catch_up(r, a, out);
        if (more > r->ssthresh - in_flight)
            more = r->ssthresh - in_flight;
    }
    if (out == 0 && more < 1)
        more = 1; /* what was lost first goes at once */
    w->cwnd = in_flight + (more > 0 ? more : 0);
}

void orr__reno_lost(struct orr_reno *r, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    r->hystart.on = false;
    if (!r->may_prr) {
        w->cwnd = r->ssthresh;
        return;
    }
    r->prr = (struct orr_prr){
        .on = true, .flight = a->next - a->una, .sent = a->sent};
    w->cwnd = a->in_flight + 1.0;
}

void orr__reno_timed_out(struct orr_reno *r, struct orr_cc_window *w)
{
    r->prr.on = r->waiting = r->hystart.on = false;
    w->cwnd = 1;
}

void orr__reno_followed(struct orr_reno *r, struct orr_cc_window *w,
                        const struct orr_cc_ack *a)
{
    if (r->prr.on && !a->recovering && !(r->slowly && r->waiting)) {
        r->prr.on = false;
        w->cwnd = r->ssthresh;
    } else if (r->prr.on && a->delivered) {
        reduce(r, w, a);
    }
    if (r->hystart.on && w->cwnd < r->ssthresh
        && orr__hystart_acked(&r->hystart, a))
        r->ssthresh = w->cwnd;
}

/* Halves at the first mark of a window, grows otherwise; recovery is the
 * connection's. */
static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    struct orr_reno *r = state;

    orr__reno_heard(r, w, a);
    if (r->waiting || a->recovering)
        return;
    if (a->echo) {
        r->ssthresh = orr__reno_cut(p, w->cwnd, 0.5);
        orr__reno_marked(r, w, a);
    } else if (orr__reno_grows(a)) {
        orr__reno_grow(r, p, w, a);
    }
}

/* RFC 5681, equation 4: half of what is in flight. */
static void on_loss(void *state, const void *p, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    struct orr_reno *r = state;

    r->ssthresh = orr__reno_left(r, p, w, 0.5);
    orr__reno_lost(r, w, a);
}

/* The threshold is held when what was sent again is lost again (section 3.1).
 * */
static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    struct orr_reno *r = state;

    if (a->timeouts <= 1)
        r->ssthresh = orr__reno_cut(p, orr__reno_window(r, w), 0.5);
    orr__reno_timed_out(r, w);
}

void orr__reno_snapshot(const struct orr_reno *r, struct orr_snapshot *w,
                        uint32_t una)
{
    orr__snapshot_real(w, r->ssthresh);
    orr__snapshot_value(w, r->waiting);
    if (r->waiting) {
        orr__snapshot_value(w, r->cut - una);
        orr__snapshot_real(w, r->before);
    }
    orr__snapshot_value(w, r->prr.on);
    if (r->prr.on) { /* `sent` does not come again: recoveries differ */
        orr__snapshot_real(w, r->prr.delivered);
        orr__snapshot_real(w, r->prr.flight);
        orr__snapshot_value(w, r->prr.sent);
    }
    orr__hystart_snapshot(&r->hystart, w, una);
}

static void snapshot(void *state, const void *p, struct orr_snapshot *w,
                     uint32_t una)
{
    orr__reno_snapshot(state, w, una);
}

extern const struct orr_cc_ops orr__cc_reno;
const struct orr_cc_ops orr__cc_reno = {
    .name = "reno",
    .doubles = true,
    .doc = "NewReno: slow start, one packet a window, half after a loss or a "
           "mark",
    .signals = ORR_CC_MARKS,
    .state_size = sizeof(struct orr_reno),
    .params_size = sizeof(struct orr_reno_params),
    .params = params,
    .init = init,
    .on_ack = on_ack,
    .on_loss = on_loss,
    .on_timeout = on_timeout,
    .snapshot = snapshot,
};
