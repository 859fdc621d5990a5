/* Processes: sets of nodes that one worker runs together. */
#ifndef ORR_NET_FABRIC_PROCESS_H
#define ORR_NET_FABRIC_PROCESS_H

#include "net/fabric/fabric.h"

/* Gives every node its process and counts them (n->processes); needs the
 * delays of the ports. A process is numbered by its lowest node. False when
 * out of memory. */
bool orr__processes_group(struct orr_net *n);
/* Fills n->process: links, sources; and where ports and NICs find theirs. */
void orr__processes_make(struct orr_net *n);
/* Smallest delay between two processes, ps. */
int64_t orr__processes_lookahead(const struct orr_net *n);

/* The smallest of all blocks of a process anew, where its sources were changed
 * behind their back. */
void orr__process_reblock(struct orr_process *p);

#endif
