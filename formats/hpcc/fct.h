/* fct.txt, as HPCC and its kin write it: a line for each flow that finished,
 * in order of their ends,
 *     <source ip> <destination ip> <source port> <destination port>
 *     <bytes> <start, ns> <completion time, ns> <the same alone, ns>
 * The addresses are those of the simulator, 11.(i/256).(i%256).1 in hexadecimal
 * for node i of topology.txt (here: of any graph, host i). Times are rounded
 * down to nanoseconds. The time alone is `ideal_ns`: the flow's own, with
 * nothing else on its path. Starts are ours: what `origin` took off a flow
 * file's is not put back. */
#ifndef ORR_FORMATS_HPCC_FCT_H
#define ORR_FORMATS_HPCC_FCT_H

#include <stdio.h>

#include "core/error.h"
#include "workload/world.h"

/* After a run. Write errors show in ferror. */
ORR_CHECK_RESULT orr_err orr__fct_write(const struct orr_world *w, FILE *f,
                                        struct orr_report *why);

#endif
