/* From ASTRA-sim's files to a configuration: which is which is seen from what
 * is in them. */
#ifndef ORR_FORMATS_ASTRA_FIND_H
#define ORR_FORMATS_ASTRA_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/error.h"

/* Which of ASTRA-sim's analytical networks: messages that wait for nothing,
 * or that are stored whole and wait for their turn at each link. */
enum orr_astra_congestion {
    ORR_ASTRA_AUTO, /* unaware, but for 2.x with one dimension */
    ORR_ASTRA_UNAWARE,
    ORR_ASTRA_AWARE,
};

/* The files of a run and the options beside them; texts are borrowed. */
struct orr_astra_run {
    const char *network, *system, *workload; /* NULL: not known */
    const char *groups, *memory;             /* NULL: none */
    const char *logical; /* a file of the dimensions that collectives go by,
                            JSON; NULL: the network's */
    enum orr_astra_congestion congestion;
    int64_t passes, queues;                            /* 0: 1 */
    double compute_scale, comm_scale, injection_scale; /* < 0: 1 */
    /* packets as they travel, acknowledged and stored at each switch, instead
     * of what comes nearest to ASTRA-sim's network */
    bool packets;
    bool rendezvous; /* messages leave when they are asked for */
    /* learns what of the configuration stems from which file; or NULL */
    struct orr_origins *blame;
};

/* Fills what is NULL from paths: files, or one folder, or folder/stem for one
 * set of several in a folder. Texts found are in *arena. ECONFIG: something is
 * missing or there are several. */
struct orr_arena;
ORR_CHECK_RESULT orr_err orr__astra_find(const char *const *paths, size_t n,
                                         struct orr_arena *arena,
                                         struct orr_astra_run *run,
                                         struct orr_report *why);
/* The configuration, YAML; free with orr__free. Names of files are as given,
 * from the folder that one is in. */
ORR_CHECK_RESULT orr_err orr__astra_config(const struct orr_astra_run *run,
                                           char **text, struct orr_report *why);

#endif
