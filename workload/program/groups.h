/* Calls whose members send on trees of switches (ops->on_trees): the groups of
 * the net that they need. */
#ifndef ORR_WORKLOAD_PROGRAM_GROUPS_H
#define ORR_WORKLOAD_PROGRAM_GROUPS_H

#include "net/net.h"
#include "workload/program/program.h"
#include "workload/world.h"

/* Groups of a call, side by side; and the one that a rank is in. */
uint32_t orr__call_groups(const struct orr_program *p,
                          const struct orr_call *x);
uint32_t orr__call_group_of(const struct orr_program *p,
                            const struct orr_call *x, uint32_t rank);

/* What a group is made of; its arrays are owned, one block. */
struct orr_call_group {
    struct orr_group_spec spec;
    uint32_t *owned;
};
/* hosts: per rank. False: no memory. The service is left to the caller. */
bool orr__call_group_make(const struct orr_graph *g,
                          const struct orr_program *p, const struct orr_call *x,
                          const uint32_t *hosts, uint32_t i, uint32_t job,
                          struct orr_call_group *out);
void orr__call_group_free(struct orr_call_group *g);

/* What the i-th group of a call puts on links; see orr__net_group_load. */
ORR_CHECK_RESULT orr_err orr__call_group_load(
    const struct orr_world *w, const struct orr_program *p,
    const struct orr_call *x, const uint32_t *hosts, uint32_t i, uint32_t job,
    struct orr_group_load *load, struct orr_report *why);

/* Whether the network has trees for such a call, and a word to the net that it
 * will need them if so; else `text` says why not. ECONFIG: a server is none. */
ORR_CHECK_RESULT orr_err orr__call_groups_fit(
    const struct orr_world *w, const struct orr_program *p,
    const struct orr_call *x, const uint32_t *hosts, const struct orr_yaml *at,
    bool *fits, char text[ORR_GROUP_TEXT], struct orr_report *why);

/* ECONFIG at `at`: it has not for one of the calls of a program. */
ORR_CHECK_RESULT orr_err orr__program_groups_check(const struct orr_world *w,
                                                   const struct orr_program *p,
                                                   const uint32_t *hosts,
                                                   const struct orr_yaml *at,
                                                   struct orr_report *why);

#endif
