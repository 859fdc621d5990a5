#include <string.h>

#include "cli/cli.h"

static const char options_text[] =
    "  -h, --help            this text\n"
    "\n"
    "Without FAMILY: all of them. `orrery help FAMILY NAME` explains a\n"
    "member.\n";

static const struct option longs[] = {
    { "help", no_argument, NULL, 'h' },
    { NULL, 0, NULL, 0 },
};

static void print_family(const struct orr_family *f)
{
    struct orr_member m;
    const char *group = "";
    printf("%s: %s\n", f->name, f->doc);
    for (size_t i = 0; f->member(i, &m); i++) {
        if (m.group && strcmp(m.group, group) != 0) {
            group = m.group;
            printf("  %s\n", group);
        }
        printf("  %s%-*s %s\n", m.group ? "  " : "", m.group ? 17 : 19,
               m.name, m.doc);
    }
}

static int run(int argc, char **argv)
{
    int c;
    while ((c = orr__next_option(argc, argv, ":h", longs)) != -1) {
        if (c == '?')
            return ORR_EXIT_USAGE;
        orr__print_usage(stdout, &orr__cmd_list);
        return ORR_EXIT_OK;
    }
    if (optind == argc) {
        for (size_t i = 0; orr__families[i].name; i++) {
            if (i)
                putchar('\n');
            print_family(&orr__families[i]);
        }
        return ORR_EXIT_OK;
    }
    for (int i = optind; i < argc; i++) {
        const struct orr_family *f = orr__family_find(argv[i]);
        const char *names[32] = { NULL };
        for (size_t j = 0; orr__families[j].name && j < 31; j++)
            names[j] = orr__families[j].name;
        if (!f)
            return orr__usage_unknown("list", "family", argv[i], names);
        print_family(f);
    }
    return ORR_EXIT_OK;
}

const struct orr_command orr__cmd_list = {
    .name = "list",
    .arguments = "[FAMILY]...",
    .doc = "list what there is: topologies, cc, collectives, ...",
    .options = options_text,
    .run = run,
};
