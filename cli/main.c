/* Finds the subcommand and hands the rest of the line to it. Each is a file
 * cmd_NAME.c with one struct orr_command, and a line in the list here. */
#include <string.h>

#include "cli/cli.h"

static const struct orr_command *const commands[] = {
    &orr__cmd_run,        &orr__cmd_check,    &orr__cmd_topo,
    &orr__cmd_compare,    &orr__cmd_fit,      &orr__cmd_plan,
    &orr__cmd_profile,    &orr__cmd_explain,  &orr__cmd_report,
    &orr__cmd_plot,       &orr__cmd_timeline, &orr__cmd_messages,
    &orr__cmd_convert,    &orr__cmd_list,     &orr__cmd_help,
    &orr__cmd_completion, &orr__cmd_version,  NULL,
};

const struct orr_command *const *orr__commands(void)
{
    return commands;
}

const struct orr_command *orr__command_find(const char *name)
{
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        return &orr__cmd_help;
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0)
        return &orr__cmd_version;
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int run_version(int argc, char **argv)
{
    if (argc > 1)
        return orr__usage_error("version", "it takes no arguments");
    printf("orrery %s\n", orr_version());
    return ORR_EXIT_OK;
}

const struct orr_command orr__cmd_version = {
    .name = "version",
    .arguments = "",
    .doc = "print the version",
    .run = run_version,
};

int main(int argc, char **argv)
{
    orr__ignore_signals();
    if (argc < 2) {
        char *help[] = {argv[0], NULL};
        (void)orr__cmd_help.run(1, help);
        (void)orr__finish_stdout(ORR_EXIT_OK);
        return ORR_EXIT_USAGE;
    }
    const struct orr_command *c = orr__command_find(argv[1]);
    if (c)
        return orr__finish_stdout(c->run(argc - 1, argv + 1));

    if (strcmp(argv[1], "-v") == 0)
        return orr__usage_error(NULL, "no option is called \"-v\": -V and "
                                      "--version print the version");
    const char *names[sizeof commands / sizeof *commands] = {NULL};
    for (size_t i = 0; commands[i]; i++)
        names[i] = commands[i]->name;
    return orr__usage_unknown(NULL, "subcommand", argv[1], names, "help");
}
