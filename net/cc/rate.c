#include "net/cc/rate.h"

const char *const orr__rate_windows[] = {"none", "bdp", "scaled", NULL};
const char *const orr__window_counts[] = {"wire", "payload", NULL};

const char *orr__rate_idle_window(const void *set, const void *around)
{
    const struct orr_rate_params *p = set;

    return p->window == ORR_RATE_NO_WINDOW ? "with `window: none` there is none"
                                           : NULL;
}

void orr__rate_init(struct orr_rate *r, const struct orr_rate_params *p,
                    struct orr_cc_window *w, const struct orr_cc_path *path)
{
    r->line = (double)path->line_bps;
    r->least = (double)p->least_bps;
    if (r->least > r->line)
        r->least = r->line;
    if (p->counts == ORR_COUNTS_PAYLOAD)
        r->payload = path->payload_bytes;
    r->full_packets = r->line / 8e12
                      * (double)(p->base_rtt_ps == ORR_AUTO ? path->base_rtt_ps
                                                            : p->base_rtt_ps)
                      / (r->payload ? r->payload : path->packet_bytes);
    orr__rate_set(r, p, w,
                  p->initial_bps == ORR_AUTO_SIZE ? r->line
                                                  : (double)p->initial_bps);
}

/* Whole bytes, as they are counted there; one packet at least. */
double orr__payload_window(double bytes, uint32_t payload)
{
    uint64_t whole, packets;

    if (bytes > 1e18)
        return ORR_CC_UNLIMITED;
    whole = (uint64_t)bytes;
    packets = whole / payload + (whole % payload != 0);
    return packets <= 1 ? 1 : (double)packets;
}

/* As in the published simulators a packet may start while less than the window
 * is in flight, so one packet reaches beyond it. */
void orr__rate_set(const struct orr_rate *r, const struct orr_rate_params *p,
                   struct orr_cc_window *w, double bps)
{
    if (!(bps > r->least))
        bps = r->least;
    if (bps > r->line)
        bps = r->line;
    w->rate = bps;
    if (p->window == ORR_RATE_NO_WINDOW)
        w->cwnd = ORR_CC_UNLIMITED;
    else if (r->payload)
        w->cwnd = orr__payload_window(
            r->full_packets * r->payload
                * (p->window == ORR_RATE_FIXED_WINDOW ? 1 : bps / r->line),
            r->payload);
    else if (p->window == ORR_RATE_FIXED_WINDOW)
        w->cwnd = r->full_packets + 1;
    else
        w->cwnd = r->full_packets * (bps / r->line) + 1;
}

double orr__rate_step(const struct orr_rate *r, uint64_t given_bps,
                      double share)
{
    return given_bps == ORR_AUTO_SIZE ? r->line * share : (double)given_bps;
}
