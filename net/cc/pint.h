/* Telemetry in one byte: PINT (SIGCOMM'20), as its third use has it. Every port
 * keeps the utilization of HPCC as a moving average of its own, and a packet
 * brings back the largest on its way: as the power of a base, rounded up or
 * down by chance, so that it is right on average. Of all packets only a share
 * may have that byte. */
#ifndef ORR_NET_CC_PINT_H
#define ORR_NET_CC_PINT_H

#include <stdbool.h>
#include <stdint.h>

#define ORR_PINT_CODES 256
/* The code of a link that is just full. */
#define ORR_PINT_FULL 142

struct orr_pint {   /* what all ports and senders of a network agree on */
    int64_t rtt_ps; /* T: the average is over about as much */
    double base;    /* > 1 */
    double share;   /* of packets that have the byte */
    bool forgets;   /* a port that sends an ACK or a frame has the data before
                     * it, and its time, no more (SwitchNotifyDequeue of HPCC's
                     * simulator keeps the last packet's alone) */
    double value[ORR_PINT_CODES]; /* that a code stands for: base to the power
                                   * of code - ORR_PINT_FULL; 0: nothing */
};

/* Fills `value` by `base`. */
void orr__pint_init(struct orr_pint *p);
/* The code of a utilization; draw: uniform in [0, 1). */
uint32_t orr__pint_encode(const struct orr_pint *p, double used, double draw);

/* What a port remembers. */
struct orr_pint_port {
    double used;   /* U: 1 is a link just full */
    int64_t at;    /* the last packet was taken out to be sent, ps */
    uint64_t sent; /* bytes until then, without that packet */
};
/* The next one is: `sent` counts on, `queue` is what it leaves behind. Returns
 * U. */
double orr__pint_update(const struct orr_pint *p, struct orr_pint_port *port,
                        int64_t now, uint64_t sent, uint64_t queue,
                        uint64_t rate_bps);

#endif
