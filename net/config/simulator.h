/* The family of other simulators whose rules `network.as` sets: text for the
 * `network` map, which a preset and what the user says go before. */
#ifndef ORR_NET_CONFIG_SIMULATOR_H
#define ORR_NET_CONFIG_SIMULATOR_H

#include "core/config/config.h"

/* A row of the table; static. */
struct orr_simulator {
    const char *name, *doc; /* what `as` calls it; one sentence */
    const char *text;       /* YAML, rule by rule with its source */
    /* The same by the control in use: `network` maps, which go before `text`;
     * of jobs and flows with controls of their own, their `cc` alone. */
    const char *by_control;
    const char *help;   /* both of them */
    const char *cc;     /* the control that `text` has */
    const char *beyond; /* what no key sets */
};

extern const struct orr_simulator orr__simulators[]; /* ends with name NULL */
const struct orr_simulator *orr__simulator_find(const char *name); /* or NULL */

/* Completes the `network` map by the simulator that it names, if it does, and
 * remarks what no key sets. After the preset. */
ORR_CHECK_RESULT orr_err orr__simulator_apply(struct orr_config *c,
                                              const struct orr_yaml *network,
                                              struct orr_report *why);
/* Completes the control of a job or flow by the simulator of this name, which
 * is known; "": none. */
ORR_CHECK_RESULT orr_err orr__simulator_control(struct orr_config *c,
                                                const struct orr_yaml *cc,
                                                const char *name,
                                                struct orr_report *why);

#endif
