/* Makes processes: sets of nodes that one worker runs together. */
#ifndef ORR_NET_LOOP_PROCESSES_H
#define ORR_NET_LOOP_PROCESSES_H

#include "net/fabric/fabric.h"

/* Gives every node its process and counts them (n->processes); needs the
 * delays of the ports. A process is numbered by its lowest node. False when
 * out of memory. */
bool orr__processes_group(struct orr_net *n);
/* Fills n->process: links, sources; and where ports and NICs find theirs. */
void orr__processes_make(struct orr_net *n);
/* Smallest delay between two processes, ps. */
int64_t orr__processes_lookahead(const struct orr_net *n);

#endif
