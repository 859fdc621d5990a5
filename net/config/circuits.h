/* Links that exist only for a while, as `topology.circuits` says: circuits of
 * an optical switch. What they do is said in the terms of links that fail
 * (failures.h). */
#ifndef ORR_NET_CONFIG_CIRCUITS_H
#define ORR_NET_CONFIG_CIRCUITS_H

#include "net/config/failures.h"

/* Reads `circuits` and `reconfigure` of the map `topology`, and adds them to
 * *io, which may be NULL. */
ORR_CHECK_RESULT orr_err orr__circuits_read(struct orr_config *c,
                                            const struct orr_graph *g,
                                            const struct orr_yaml *topology,
                                            const struct orr_failures **io,
                                            struct orr_report *why);
/* The list `failures`, and the document's circuits. */
ORR_CHECK_RESULT orr_err orr__link_changes_read(struct orr_config *c,
                                                const struct orr_graph *g,
                                                const struct orr_yaml *failures,
                                                const struct orr_failures **out,
                                                struct orr_report *why);
/* For help. */
const struct orr_param *orr__circuit_params(void);
const struct orr_param *orr__reconfigure_params(void);

#endif
