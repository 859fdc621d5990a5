/* `orrery run --astra`: ASTRA-sim's files and the options that its users type
 * for them. */
#ifndef ORR_CLI_ASTRA_H
#define ORR_CLI_ASTRA_H

#include <getopt.h>

#include <orrery/orrery.h>

#include "core/memory.h"
#include "formats/astra/find.h"
#include "formats/origin.h"

/* What getopt_long returns for them. */
enum orr_astra_option {
    ORR_ASTRA_OPTION = 1000, /* --astra */
    ORR_ASTRA_PACKETS,
    ORR_ASTRA_PATH,
    ORR_ASTRA_RUN_NAME,
    ORR_ASTRA_NETWORK,
    ORR_ASTRA_SYSTEM,
    ORR_ASTRA_WORKLOAD,
    ORR_ASTRA_GROUPS,
    ORR_ASTRA_MEMORY,
    ORR_ASTRA_LOGICAL,
    ORR_ASTRA_LOGGING,
    ORR_ASTRA_LOGGING_FOLDER,
    ORR_ASTRA_NUM_PASSES,
    ORR_ASTRA_NUM_QUEUES,
    ORR_ASTRA_COMPUTE_SCALE,
    ORR_ASTRA_COMM_SCALE,
    ORR_ASTRA_INJECTION_SCALE,
    ORR_ASTRA_CONGESTION,
    ORR_ASTRA_STAT_ROWS,
    ORR_ASTRA_STAT_ROW,
    ORR_ASTRA_RENDEZVOUS,
    ORR_ASTRA_OPTIONS_END,
};

/* What the options say, then the configuration made of the files; freed with
 * orr__astra_cli_fini. */
struct orr_astra_cli {
    bool on;
    struct orr_astra_run run;
    const char *name;    /* of the run, in CSV files */
    const char *folder;  /* where these go; NULL: nowhere */
    const char *logging; /* an option about logs that was given; NULL: none */
    int64_t row, rows;   /* which row of how many is this run's there */
    struct orr_arena arena;
    char *text;               /* the configuration */
    struct orr_origins blame; /* of text */
};

#define ORR_ASTRA_LONG(name, argument, id)                                     \
    {                                                                          \
        name, argument##_argument, NULL, ORR_ASTRA_##id                        \
    }
#define ORR_ASTRA_LONGS                                                        \
    ORR_ASTRA_LONG("astra", no, OPTION),                                       \
        ORR_ASTRA_LONG("packets", no, PACKETS),                                \
        ORR_ASTRA_LONG("path", required, PATH),                                \
        ORR_ASTRA_LONG("run-name", required, RUN_NAME),                        \
        ORR_ASTRA_LONG("network-configuration", required, NETWORK),            \
        ORR_ASTRA_LONG("system-configuration", required, SYSTEM),              \
        ORR_ASTRA_LONG("workload-configuration", required, WORKLOAD),          \
        ORR_ASTRA_LONG("comm-group-configuration", required, GROUPS),          \
        ORR_ASTRA_LONG("remote-memory-configuration", required, MEMORY),       \
        ORR_ASTRA_LONG("logical-topology-configuration", required, LOGICAL),   \
        ORR_ASTRA_LONG("logging-configuration", required, LOGGING),            \
        ORR_ASTRA_LONG("logging-folder", required, LOGGING_FOLDER),            \
        ORR_ASTRA_LONG("num-passes", required, NUM_PASSES),                    \
        ORR_ASTRA_LONG("num-queues-per-dim", required, NUM_QUEUES),            \
        ORR_ASTRA_LONG("compute-scale", required, COMPUTE_SCALE),              \
        ORR_ASTRA_LONG("comm-scale", required, COMM_SCALE),                    \
        ORR_ASTRA_LONG("injection-scale", required, INJECTION_SCALE),          \
        ORR_ASTRA_LONG("congestion", required, CONGESTION),                    \
        ORR_ASTRA_LONG("total-stat-rows", required, STAT_ROWS),                \
        ORR_ASTRA_LONG("stat-row", required, STAT_ROW),                        \
        ORR_ASTRA_LONG("rendezvous-protocol", optional, RENDEZVOUS)

#define ORR_ASTRA_HELP                                                         \
    "      --astra           the arguments are ASTRA-sim's: its network,\n"    \
    "                        system and workload file, a folder with one of\n" \
    "                        each, or FOLDER/STEM for the set STEM.*\n"        \
    "      --congestion WHICH\n"                                               \
    "                        ASTRA-sim's network: unaware, messages never\n"   \
    "                        wait; aware, they are stored whole and wait\n"    \
    "                        for links (default: unaware, except for 2.x\n"    \
    "                        with one dimension)\n"                            \
    "      --packets         simulate packets, not ASTRA-sim's network\n"      \
    "      --path FOLDER     write ASTRA-sim's files of results there:\n"      \
    "                        EndToEnd.csv, detailed.csv,\n"                    \
    "                        backend_end_to_end.csv, backend_dim_info.csv,\n"  \
    "                        tutorial_result.csv\n"                            \
    "\n"                                                                       \
    "ASTRA-sim's options are accepted: --network-configuration=FILE and so\n"  \
    "on (system, workload, comm-group, remote-memory, logical-topology),\n"    \
    "--num-passes, --num-queues-per-dim, --compute-scale, --comm-scale,\n"     \
    "--injection-scale, --run-name, --total-stat-rows, --stat-row,\n"          \
    "--rendezvous-protocol; --logging-configuration and --logging-folder\n"    \
    "have no effect.\n"

/* None of the options given; _fini frees what some left. */
void orr__astra_cli_init(struct orr_astra_cli *a);
void orr__astra_cli_fini(struct orr_astra_cli *a);
/* Whether option c is one of these; *status: -1 to go on, or the exit
 * status. */
bool orr__astra_take(struct orr_astra_cli *a, int c, int *status);
/* The folder for ASTRA-sim's files of results, and those files after a run. */
ORR_CHECK_RESULT orr_err orr__astra_folder(const struct orr_astra_cli *a,
                                           struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__astra_results(const struct orr_astra_cli *a,
                                            const orr_experiment *x,
                                            struct orr_report *why);
/* Finds the files and makes the configuration; the exit status, or -1. */
int orr__astra_make(struct orr_astra_cli *a, int argc, char **argv);

#endif
