/* The running digest of one node's ordered arrivals and program steps. */
#ifndef ORR_CORE_FINGERPRINT_H
#define ORR_CORE_FINGERPRINT_H

#include <stdint.h>

/* Folds two words into a digest. Order matters, and so does every bit: two
 * odd multipliers keep (a, b) apart from (b, a) and from (a ^ x, b ^ x). */
static inline uint64_t orr__digest(uint64_t digest, uint64_t a, uint64_t b)
{
    digest ^= a * UINT64_C(0x9E3779B97F4A7C15);
    digest = (digest << 23 | digest >> 41) + b * UINT64_C(0xD6E8FEB86659FD93);
    digest *= UINT64_C(0xA0761D6478BD642F);
    return digest ^ digest >> 32;
}

#endif
