#include "study/units.h"

#include <stddef.h>

#include "core/assert.h"

const struct orr_unit orr__units_of_s[] = {
    {1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {0, NULL},
};

const struct orr_unit orr__units_of_ns[] = {
    {1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}, {0, NULL},
};

const struct orr_unit orr__units_of_bytes[] = {
    {1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "KB"}, {1, "B"}, {0, NULL},
};

const struct orr_unit orr__units_of_bps[] = {
    {1e12, "Tbps"}, {1e9, "Gbps"}, {1e6, "Mbps"},
    {1e3, "Kbps"},  {1, "bps"},    {0, NULL},
};

const struct orr_unit *orr__unit_for(const struct orr_unit *u, double most)
{
    ORR_ASSERT(u->name); /* a list has one at least */
    while (u[1].name && most < u->size)
        u++;
    return u;
}
