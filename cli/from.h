/* `orrery run --simai FILE...`: other simulators' files run as they are, by
 * the configuration that `orrery convert` would make of them. */
#ifndef ORR_CLI_FROM_H
#define ORR_CLI_FROM_H

#include <getopt.h>

#include "cli/cli.h"
#include "formats/blame.h"

enum { ORR_FROM_FIRST_OPTION = 2000 };

struct orr_from_cli {
    const char *format; /* NULL: none */
    struct orr_words inputs;
    char *text; /* the configuration */
    struct orr_blame blame; /* of text */
};

#define ORR_FROM_LONGS                                                        \
    { "simai", no_argument, NULL, ORR_FROM_FIRST_OPTION },                    \
    { "hpcc", no_argument, NULL, ORR_FROM_FIRST_OPTION + 1 },                 \
    { "htsim", no_argument, NULL, ORR_FROM_FIRST_OPTION + 2 },                \
    { "workload", required_argument, NULL, 'w' },                             \
    { "network-topo", required_argument, NULL, 'n' },                         \
    { "conf", required_argument, NULL, 'c' }

#define ORR_FROM_HELP                                                         \
    "      --simai           the arguments are SimAI's: workload, topology,\n"\
    "                        SimAI.conf; also as -w FILE -n FILE -c FILE\n"   \
    "      --hpcc            they are HPCC's: config.txt, or topology.txt\n"  \
    "                        and flow.txt\n"                                  \
    "      --htsim           they are htsim's: .topo, .cm\n"

/* Frees what options left. */
void orr__from_cli_fini(struct orr_from_cli *f);
/* Whether option c is one of these; *status: -1 to go on, or the exit
 * status. */
bool orr__from_take(struct orr_from_cli *f, int c, int *status);
/* Makes the configuration; the exit status, or -1. */
int orr__from_make(struct orr_from_cli *f, int argc, char **argv);

#endif
