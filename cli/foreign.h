/* `orrery run --simai FILE...`: other simulators' files run as they are, by
 * the configuration that `orrery convert` would make of them. */
#ifndef ORR_CLI_FOREIGN_H
#define ORR_CLI_FOREIGN_H

#include <getopt.h>

#include "cli/cli.h"
#include "formats/origin.h"

enum { ORR_FOREIGN_FIRST_OPTION = 2000 };

/* What the options say, then the configuration made of the inputs; freed with
 * orr__foreign_cli_fini. */
struct orr_foreign_cli {
    const char *format; /* NULL: none */
    struct orr_words inputs;
    char *text;               /* the configuration */
    struct orr_origins blame; /* of text */
};

#define ORR_FROM_LONGS                                                         \
    {"simai", no_argument, NULL, ORR_FOREIGN_FIRST_OPTION},                    \
        {"hpcc", no_argument, NULL, ORR_FOREIGN_FIRST_OPTION + 1},             \
        {"htsim", no_argument, NULL, ORR_FOREIGN_FIRST_OPTION + 2},            \
        {"workload", required_argument, NULL, 'w'},                            \
        {"network-topo", required_argument, NULL, 'n'},                        \
    {                                                                          \
        "conf", required_argument, NULL, 'c'                                   \
    }

#define ORR_FROM_HELP                                                          \
    "      --simai           the arguments are SimAI's: workload, topology,\n" \
    "                        SimAI.conf; also as -w FILE -n FILE -c FILE\n"    \
    "      --hpcc            they are HPCC's: config.txt, or topology.txt\n"   \
    "                        and flow.txt\n"                                   \
    "      --htsim           they are htsim's: .topo, .cm\n"

/* Frees what options left. */
void orr__foreign_cli_fini(struct orr_foreign_cli *f);
/* Whether option c is one of these; *status: -1 to go on, or the exit
 * status. */
bool orr__foreign_take(struct orr_foreign_cli *f, int c, int *status);
/* Makes the configuration; the exit status, or -1. */
int orr__foreign_make(struct orr_foreign_cli *f, int argc, char **argv);

#endif
