/* Circles of on/off jobs from a few numbers, for tests. */
#ifndef ORR_TESTS_CIRCLES_H
#define ORR_TESTS_CIRCLES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/schedule/affinity.h"

#define GBPS UINT64_C(1000000000)
#define C50  (50 * GBPS)

struct on_off { /* computes, then asks for a rate */
    int64_t compute_ms, comm_ms;
    uint64_t bps;
};

static inline void circles_of(struct orr_circles *c, const struct on_off *job,
                              uint32_t n)
{
    int64_t iteration[16];
    for (uint32_t j = 0; j < n; j++)
        iteration[j] = (job[j].compute_ms + job[j].comm_ms) * ORR_MS;
    assert_int_equal(orr__circles_init(c, n, iteration, NULL), ORR_OK);
}

/* Adds a link of 50 Gbps on which some of the jobs meet. */
static inline void meet(struct orr_circles *c, const struct on_off *job,
                        uint32_t link, uint32_t n, const uint32_t *which)
{
    struct orr_phase phase[16];
    struct orr_link_demand demand[16];
    const struct orr_link_demand *at[16];
    for (uint32_t i = 0; i < n; i++) {
        const struct on_off *o = &job[which[i]];
        phase[i] = (struct orr_phase){o->compute_ms * ORR_MS,
                                      o->comm_ms * ORR_MS, o->bps};
        demand[i] = (struct orr_link_demand){link, 1, &phase[i]};
        at[i] = &demand[i];
    }
    assert_int_equal(orr__circles_contend(c, link, C50, n, which, at, NULL),
                     ORR_OK);
}

/* All of them on one link. */
static inline void one_link(struct orr_circles *c, const struct on_off *job,
                            uint32_t n)
{
    static const uint32_t all[] = {0, 1, 2,  3,  4,  5,  6,  7,
                                   8, 9, 10, 11, 12, 13, 14, 15};
    circles_of(c, job, n);
    meet(c, job, 0, n, all);
}

#endif
