/* What happens to links during a run, as `failures` lists it. All of it is
 * known beforehand, so a packet's loss is decided when its departure is: it
 * does not depend on threads, nor on how ports are simulated. */
#ifndef ORR_NET_CONFIG_FAILURES_H
#define ORR_NET_CONFIG_FAILURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/config/config.h"
#include "core/error.h"
#include "core/units.h"
#include "net/config/bit_errors.h"
#include "topo/graph.h"

/* A directed link is dead from `down` on, and again alive from `up` on
 * (ORR_NEVER: never). Routes avoid it from `noticed` until `back`: that is
 * `up`, or before, where packets wait for the link. */
struct orr_outage {
    uint32_t link;                   /* directed */
    int64_t down, up, noticed, back; /* ps; down < up */
    uint32_t entry;                  /* of the list, that says so */
};

/* From `at` on a link has another rate. */
struct orr_rate_change {
    uint32_t link; /* directed */
    int64_t at;    /* ps; 0: as if the graph said so */
    uint64_t rate_bps;
    uint32_t entry; /* of the list, that says so */
};

/* Immutable; lives as long as the configuration. */
struct orr_failures {
    struct orr_outage *outage; /* by (link, down); those of a link are apart */
    struct orr_outage *dark;   /* by (link, down): nothing is lost, packets wait
                                * (circuits.h) */
    struct orr_rate_change *retune; /* by (at, link); none twice */
    struct orr_bit_errors *errors;  /* by (link, from); may overlap */
    uint32_t outages, retunes, degraded, darks; /* how many there are of each */
    uint32_t slots;   /* of circuits: so often others are set; 0: none are */
    uint32_t entries; /* of the list, for summaries */
};

/* Reads the list. */
ORR_CHECK_RESULT orr_err orr__failures_read(struct orr_config *c,
                                            const struct orr_graph *g,
                                            const struct orr_yaml *list,
                                            const struct orr_failures **out,
                                            struct orr_report *why);
/* The same and these directed links, which are away from the beginning to the
 * end, whatever was said of them before; n > 0, some may be twice there. */
ORR_CHECK_RESULT orr_err orr__failures_add(struct orr_config *c,
                                           const struct orr_graph *g,
                                           const uint32_t *links, uint32_t n,
                                           const struct orr_failures **io,
                                           struct orr_report *why);
struct orr_param;
const struct orr_param *orr__failure_params(void); /* for help */

/* Does a rate change after time 0? */
static inline bool orr__failures_rate_change(const struct orr_failures *f)
{
    return f && f->retunes && f->retune[f->retunes - 1].at > 0;
}

/* Do packets wait for a link at some time? */
static inline bool orr__failures_wait(const struct orr_failures *f)
{
    return f && f->darks;
}

/* Do routes change? */
static inline bool orr__failures_reroute(const struct orr_failures *f)
{
    return f && (f->outages || f->darks);
}

/* An outage of a circuit is of no entry of the list, which goes up to here. */
static inline bool orr__outage_listed(const struct orr_failures *f,
                                      const struct orr_outage *o)
{
    return o->entry < f->entries;
}

/* Order of outages by link, then time: for qsort. */
int orr__outage_order(const void *a, const void *b);
/* A hint for work that did not finish: the first link that stayed away, if
 * any did. c: may be NULL. */
struct orr_net_config;
void orr__failures_hint(const struct orr_net_config *c,
                        const struct orr_graph *g, struct orr_report *why);

/* Of n rows of `size` bytes that begin with a link, and are in its order: how
 * many are of this one, from *first on. */
static inline uint32_t orr__rows_of_link(const void *rows, size_t size,
                                         uint32_t n, uint32_t link,
                                         uint32_t *first)
{
    const char *row = rows;
    uint32_t low = 0, high = n, count = 0;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (*(const uint32_t *)(const void *)(row + middle * size) < link)
            low = middle + 1;
        else
            high = middle;
    }
    *first = low;
    while (low + count < n
           && *(const uint32_t *)(const void *)(row + (low + count) * size)
                  == link)
        count++;
    return count;
}

_Static_assert(offsetof(struct orr_outage, link) == 0
                   && offsetof(struct orr_bit_errors, link) == 0,
               "rows of a link begin with it");

/* The outages of one link: how many, from *first on. */
static inline uint32_t orr__failures_of(const struct orr_failures *f,
                                        uint32_t link,
                                        const struct orr_outage **first)
{
    uint32_t from = 0, n = f ? orr__rows_of_link(f->outage, sizeof *f->outage,
                                                 f->outages, link, &from)
                             : 0;
    *first = f ? f->outage + from : NULL;
    return n;
}

/* The same of the bit errors of one link. */
static inline uint32_t orr__failures_errors_of(
    const struct orr_failures *f, uint32_t link,
    const struct orr_bit_errors **first)
{
    uint32_t from = 0, n = f ? orr__rows_of_link(f->errors, sizeof *f->errors,
                                                 f->degraded, link, &from)
                             : 0;
    *first = f ? f->errors + from : NULL;
    return n;
}

/* Of the outages of a link, by time and apart, the first that ends after
 * `queued`; all: none does. A packet that was queued then is lost if it would
 * be at the link's end when that one has begun. */
static inline uint32_t orr__outage_after(const struct orr_outage *o,
                                         uint32_t all, int64_t queued)
{
    uint32_t n = all;
    uint32_t low = 0;

    while (low < n) {
        uint32_t middle = low + (n - low) / 2;

        if (o[middle].up <= queued)
            low = middle + 1;
        else
            n = middle;
    }
    return low;
}

#endif
