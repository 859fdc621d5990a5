/* Routes while links fail and come back. */
#ifndef ORR_NET_PATH_REROUTE_H
#define ORR_NET_PATH_REROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

struct orr_net;
struct orr_sender;

/* Of a run: routes as they are now. A route that does not exist is the link
 * number `links`, whose port takes everything and sends nothing. */
struct orr_rerouting;
ORR_CHECK_RESULT orr_err orr__rerouting_start(struct orr_net *n,
                                              struct orr_report *why);
void orr__rerouting_free(struct orr_net *n);
/* Do routes avoid this link now? */
bool orr__rerouting_closed(const struct orr_net *n, uint32_t link);
/* When routes change next; ORR_NEVER: no more. */
int64_t orr__rerouting_next(const struct orr_net *n);
/* Per link, whether routes avoid it now. NULL: they never avoid any. */
const bool *orr__rerouting_closed_links(const struct orr_net *n);
/* Were routes ever others in this time, both ends included? */
bool orr__rerouted(const struct orr_net *n, int64_t from, int64_t to);
/* Can this sender's packets, or the ACKs for them, never arrive any more? */
bool orr__rerouting_in_vain(const struct orr_net *n, const struct orr_sender *s,
                            int64_t now);

#endif
