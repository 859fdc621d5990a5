/* igraph aborts or prints when something fails; here it is taught to return.
 * Included in topo/ only, like igraph itself. */
#ifndef ORR_TOPO_IGRAPH_H
#define ORR_TOPO_IGRAPH_H

#include <igraph/igraph.h>
#include <stdint.h>

#include "core/error.h"

/* Installs handlers that keep igraph silent. Cheap; call it before the first
 * use of igraph in a function. Debian's igraph has process-wide state: only
 * one thread may be inside it at a time. */
void orr__igraph_init(void);

/* What an igraph function returned while `doing` ("reading cluster.graphml"):
 * ORR_OK for IGRAPH_SUCCESS; else ENOMEM, ECONFIG (a file that cannot be
 * parsed), EIO or EINTERNAL, with igraph's own reason. igraph has already
 * freed what stood on its finally stack: a caller of IGRAPH_FINALLY must not
 * destroy those objects again. */
ORR_CHECK_RESULT orr_err orr__igraph(struct orr_report *why,
                                     igraph_error_t status, const char *doing);

/* Whether there is room for igraph or METIS to work on a graph of this size. To
 * be asked before functions of theirs that do not fail well when an allocation
 * does: igraph_is_mutual crashes, igraph_square_lattice and
 * igraph_write_graph_graphml abort, METIS prints, and so does libxml2 below
 * igraph_read_graph_graphml. */
ORR_CHECK_RESULT orr_err orr__graph_room(uint64_t vertices, uint64_t edges,
                                         struct orr_report *why);

#endif
