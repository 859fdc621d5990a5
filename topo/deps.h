/* igraph aborts or prints when something fails; here it is taught to return.
 * Included in topo/ only, like igraph itself. */
#ifndef ORR_TOPO_DEPS_H
#define ORR_TOPO_DEPS_H

#include <igraph/igraph.h>

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

#endif
