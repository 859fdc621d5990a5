#include "net/config/bit_errors.h"

/* Products alone, so that no two libraries differ. */
double orr__bit_errors_loss(const struct orr_bit_errors *e, uint32_t n,
                            uint32_t bytes, int64_t left)
{
    double worst = 0, good, whole = 1;

    for (uint32_t i = 0; i < n && e[i].from <= left; i++)
        if (left < e[i].until && e[i].rate > worst)
            worst = e[i].rate;
    good = 1 - worst;
    for (uint64_t bits = 8 * (uint64_t)bytes; bits > 0; bits /= 2) {
        if (bits % 2)
            whole *= good;
        good *= good;
    }
    return 1 - whole;
}
