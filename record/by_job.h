/* Links split by who uses them: what each job had of each link, the flows as
 * one more owner (record/owners.h). An observer of packets
 * (net/watch/packet_observer.h), so only where it is asked for: every packet is
 * looked at on every link.
 *
 * A part is what one owner has of one link. Its bytes are those of its packets
 * that have left; of the packet in service, what the link's own figures have
 * beyond all others. So parts add up to their link, in each bin. */
#ifndef ORR_RECORD_BY_JOB_H
#define ORR_RECORD_BY_JOB_H

#include "core/error.h"
#include "record/cell.h"
#include "workload/world.h"

struct orr_split;
/* Needs world->net and world->watch.owners, before the run. Lives until all has
 * run: the net calls it. */
ORR_CHECK_RESULT orr_err orr__split_start(struct orr_world *w,
                                          struct orr_split **out,
                                          struct orr_report *why);
void orr__split_free(struct orr_split *s);

/* How many owners there may be: all jobs, flows, and what nobody owns. */
uint32_t orr__split_owners(const struct orr_split *s);

/* What a part is of, in the order in which they had their first cells. */
struct orr_split_part {
    uint32_t link, owner; /* directed; as turns.h numbers owners */
};
uint32_t orr__split_parts(const struct orr_split *s);
struct orr_split_part orr__split_part(const struct orr_split *s, uint32_t part);

/* Between windows: cells of the parts of a link that did something since it was
 * asked before, `link` being the number of the part, in order of these; whole:
 * of the link in the same time. Adds to *n of `out`, which has room for a cell
 * of each owner. */
ORR_CHECK_RESULT orr_err orr__split_take(struct orr_split *s,
                                         const struct orr_cell *whole,
                                         int64_t now, struct orr_cell *out,
                                         uint32_t *n);

#endif
