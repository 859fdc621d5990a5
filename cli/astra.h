/* `orrery run --astra`: ASTRA-sim's files and the options that its users type
 * for them. */
#ifndef ORR_CLI_ASTRA_H
#define ORR_CLI_ASTRA_H

#include <getopt.h>

#include "core/memory.h"
#include "formats/astra/find.h"

enum { ORR_ASTRA_FIRST_OPTION = 1000 };

struct orr_astra_cli {
    bool on;
    struct orr_astra_run run;
    const char *name;   /* of the run, in CSV files */
    const char *folder; /* where these go; NULL: nowhere */
    int64_t row, rows;  /* which row of how many is this run's there */
    struct orr_arena arena;
    char *text; /* the configuration */
};

#define ORR_ASTRA_LONGS                                                       \
    { "astra", no_argument, NULL, ORR_ASTRA_FIRST_OPTION },                   \
    { "packets", no_argument, NULL, ORR_ASTRA_FIRST_OPTION + 1 },             \
    { "path", required_argument, NULL, ORR_ASTRA_FIRST_OPTION + 2 },          \
    { "run-name", required_argument, NULL, ORR_ASTRA_FIRST_OPTION + 3 },      \
    { "network-configuration", required_argument, NULL,                       \
      ORR_ASTRA_FIRST_OPTION + 4 },                                           \
    { "system-configuration", required_argument, NULL,                        \
      ORR_ASTRA_FIRST_OPTION + 5 },                                           \
    { "workload-configuration", required_argument, NULL,                      \
      ORR_ASTRA_FIRST_OPTION + 6 },                                           \
    { "comm-group-configuration", required_argument, NULL,                    \
      ORR_ASTRA_FIRST_OPTION + 7 },                                           \
    { "num-passes", required_argument, NULL, ORR_ASTRA_FIRST_OPTION + 8 },    \
    { "num-queues-per-dim", required_argument, NULL,                          \
      ORR_ASTRA_FIRST_OPTION + 9 },                                           \
    { "compute-scale", required_argument, NULL,                               \
      ORR_ASTRA_FIRST_OPTION + 10 },                                          \
    { "comm-scale", required_argument, NULL, ORR_ASTRA_FIRST_OPTION + 11 },   \
    { "injection-scale", required_argument, NULL,                             \
      ORR_ASTRA_FIRST_OPTION + 12 },                                          \
    { "remote-memory-configuration", required_argument, NULL,                 \
      ORR_ASTRA_FIRST_OPTION + 14 },                                          \
    { "congestion", required_argument, NULL, ORR_ASTRA_FIRST_OPTION + 15 },   \
    { "total-stat-rows", required_argument, NULL,                             \
      ORR_ASTRA_FIRST_OPTION + 16 },                                          \
    { "stat-row", required_argument, NULL, ORR_ASTRA_FIRST_OPTION + 17 }

#define ORR_ASTRA_HELP                                                        \
    "      --astra           the arguments are ASTRA-sim's: its network,\n"   \
    "                        system and workload file, a folder with one of\n"\
    "                        each, or FOLDER/STEM for the set STEM.*\n"       \
    "      --congestion WHICH\n"                                             \
    "                        of ASTRA-sim's networks: unaware, messages wait\n"\
    "                        for nothing; aware, they are stored whole and\n" \
    "                        wait for links (default: unaware, but for 2.x\n" \
    "                        with one dimension)\n"                           \
    "      --packets         with packets as they travel, not as ASTRA-sim's\n"\
    "                        own network has it\n"                            \
    "      --path FOLDER     ASTRA-sim's files of results go there:\n"       \
    "                        EndToEnd.csv, detailed.csv,\n"                   \
    "                        backend_end_to_end.csv, backend_dim_info.csv,\n" \
    "                        tutorial_result.csv\n"                           \
    "\n"                                                                      \
    "ASTRA-sim's options are known too: --network-configuration=FILE and so\n"\
    "on (system, workload, comm-group, remote-memory), --num-passes,\n"       \
    "--num-queues-per-dim, --compute-scale, --comm-scale,\n"                  \
    "--injection-scale, --run-name, --total-stat-rows, --stat-row.\n"

void orr__astra_cli_init(struct orr_astra_cli *a);
void orr__astra_cli_fini(struct orr_astra_cli *a);
/* Whether option c is one of these; *status: -1 to go on, or the exit
 * status. */
bool orr__astra_take(struct orr_astra_cli *a, int c, int *status);
/* Finds the files and makes the configuration; the exit status, or -1. */
int orr__astra_make(struct orr_astra_cli *a, int argc, char **argv);

#endif
