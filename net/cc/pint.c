#include "net/cc/pint.h"

void orr__pint_init(struct orr_pint *p)
{
    p->value[ORR_PINT_FULL] = 1;
    for (uint32_t i = ORR_PINT_FULL + 1; i < ORR_PINT_CODES; i++)
        p->value[i] = p->value[i - 1] * p->base;
    for (uint32_t i = ORR_PINT_FULL - 1; i > 0; i--)
        p->value[i] = p->value[i + 1] / p->base;
    p->value[0] = 0;
}

uint32_t orr__pint_encode(const struct orr_pint *p, double used, double draw)
{
    uint32_t low = 0, high = ORR_PINT_CODES - 1;

    if (used >= p->value[high])
        return high;
    while (high - low > 1) { /* value[low] <= used < value[high] */
        uint32_t middle = (low + high) / 2;

        if (p->value[middle] <= used)
            low = middle;
        else
            high = middle;
    }
    return draw * (p->value[high] - p->value[low]) < used - p->value[low] ? high
                                                                          : low;
}

/* Section 4.3: U = (1 - tau / T) U + tau / T u, where u is the queue by what
 * the link holds in T and the bytes by what it could have sent in tau, the time
 * since the packet before. Gaps longer than T count as T. */
double orr__pint_update(const struct orr_pint *p, struct orr_pint_port *port,
                        int64_t now, uint64_t sent, uint64_t queue,
                        uint64_t rate_bps)
{
    double rtt = (double)p->rtt_ps, tau = (double)(now - port->at);
    double held = (double)rate_bps * rtt / 8e12; /* bytes in T */

    if (tau > rtt)
        tau = rtt;
    port->used = (1 - tau / rtt) * port->used
                 + tau / rtt * ((double)queue / held)
                 + (double)(sent - port->sent) / held;
    port->at = now;
    port->sent = sent;
    return port->used;
}
