/* The family of presets: what belongs together on a wire, under one name. A
 * preset is text for the `network` map; what the user says goes before it. */
#ifndef ORR_NET_CONFIG_PRESET_H
#define ORR_NET_CONFIG_PRESET_H

#include "core/config/config.h"

/* A row of the table; static. */
struct orr_preset {
    const char *name, *doc; /* what `preset` calls it; one sentence */
    const char *text;       /* YAML, with its sources as comments */
    const char *cc;         /* the control that it has */
};

extern const struct orr_preset orr__presets[]; /* ends with name NULL */
const struct orr_preset *orr__preset_find(const char *name); /* or NULL */

/* Completes the `network` map by the preset that it names, if it does. */
ORR_CHECK_RESULT orr_err orr__preset_apply(struct orr_config *c,
                                           const struct orr_yaml *network,
                                           struct orr_report *why);

#endif
