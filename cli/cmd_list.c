/* `orrery list`: what families there are and what is in them, a line each. What
 * a member's keys are, cmd_help.c says. */
#include <string.h>

#include "cli/cli.h"
#include "core/config/config.h"

static const char options_text[] = ORR_PLUGIN_HELP
    "  -h, --help            this text\n"
    "\n"
    "Without FAMILY: all of them. `orrery help FAMILY NAME` explains a\n"
    "member.\n";

static const struct option longs[] = {
    ORR_PLUGIN_LONG,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* Members in order of the table, those of a group indented below its name. */
static void print_family(const struct orr_family *f,
                         const struct orr_config *plugins)
{
    struct orr_family_entry m;
    const char *group = "";
    printf("%s: %s\n", f->name, f->doc);
    for (size_t i = 0; orr__family_member(f, plugins, i, &m); i++) {
        if (m.group && strcmp(m.group, group) != 0) {
            group = m.group;
            printf("  %s\n", group);
        }
        printf("  %s%-*s %s\n", m.group ? "  " : "", m.group ? 17 : 19, m.name,
               m.doc);
    }
}

/* All, or those named. Returns the exit status. */
static int print_families(int n, char **name, const struct orr_config *plugins)
{
    for (size_t i = 0; n == 0 && orr__families[i].name; i++) {
        if (i)
            putchar('\n');
        print_family(&orr__families[i], plugins);
    }
    for (int i = 0; i < n; i++) {
        const struct orr_family *f = orr__family_find(name[i]);
        const char *names[32] = {NULL};
        for (size_t j = 0; orr__families[j].name && j < 31; j++)
            names[j] = orr__families[j].name;
        if (!f && i > 0)
            return orr__usage_error("list",
                                    "no family is called \"%s\" (`orrery help "
                                    "%s %s` explains a member)",
                                    name[i], name[0], name[i]);
        if (!f)
            return orr__usage_unknown("list", "family", name[i], names, "list");
        print_family(f, plugins);
    }
    return ORR_EXIT_OK;
}

/* Plug-ins are loaded first, so that they are listed too. Returns the exit
 * status. */
static int run(int argc, char **argv)
{
    struct orr_words plugins = {.word = NULL};
    struct orr_config *loaded = NULL;
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":h", longs)) != -1) {
        if (c == 'h') {
            orr__print_usage(stdout, &orr__cmd_list);
            status = ORR_EXIT_OK;
        } else if (c != ORR_PLUGIN_OPTION) {
            status = ORR_EXIT_USAGE;
        } else if (!orr__words_add(&plugins, optarg)) {
            status = orr__no_memory_for_words();
        }
    }
    if (status < 0)
        status = orr__families_load(&plugins, &loaded);
    if (status < 0)
        status = print_families(argc - optind, argv + optind, loaded);
    orr__config_free(loaded);
    orr__words_fini(&plugins);
    return status;
}

const struct orr_command orr__cmd_list = {
    .name = "list",
    .arguments = "[FAMILY]...",
    .doc = "list topologies, congestion controls, collectives, ...",
    .options = options_text,
    .run = run,
};
