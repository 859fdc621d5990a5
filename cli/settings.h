/* What the command line changes in a configuration: --set, --preset, --plugin
 * and --seed, of each subcommand that reads one as it is. */
#ifndef ORR_CLI_SETTINGS_H
#define ORR_CLI_SETTINGS_H

#include <getopt.h>

#include "cli/cli.h"
#include "orrery/orrery.h"

/* Texts are argv's, the lists freed with orr__settings_fini. */
struct orr_settings {
    struct orr_words sets, plugins;
    bool has_seed;
    uint64_t seed;
};

#define ORR_CHANGES_LONGS                                                      \
    {"set", required_argument, NULL, 's'},                                     \
        {"preset", required_argument, NULL, 'P'}, ORR_PLUGIN_LONG,             \
    {                                                                          \
        "seed", required_argument, NULL, 'S'                                   \
    }

/* Whether option c is one of these; *status: -1 to go on, or the exit status,
 * after a message. */
bool orr__settings_take(struct orr_settings *x, const char *command, int c,
                        int *status);
/* Into the options of a run, which borrow the words. */
void orr__settings_apply(const struct orr_settings *x, struct orr_options *o);
void orr__settings_fini(struct orr_settings *x);

#endif
