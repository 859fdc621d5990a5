/* Links that are degraded: each bit of a packet may be wrong. */
#ifndef ORR_NET_CONFIG_BIT_ERRORS_H
#define ORR_NET_CONFIG_BIT_ERRORS_H

#include <stdint.h>

/* From `from` to `until` bits of packets that leave by a link are wrong, each
 * with this probability, and such packets are lost. */
struct orr_bit_errors {
    uint32_t link;       /* directed */
    int64_t from, until; /* ps; ORR_NEVER: to the end */
    double rate;         /* 0 to 1 */
    uint32_t entry;      /* of the list, that says so */
};

/* The probability that a packet of so many bytes that leaves at `left` is lost
 * by n bit errors of its link, in order of time: by the worst of them. */
double orr__bit_errors_loss(const struct orr_bit_errors *e, uint32_t n,
                            uint32_t bytes, int64_t left);

#endif
