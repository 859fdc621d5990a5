/* Shared objects for the subcommands that read no configuration. */
#include "net/cc/plugin.h"
#include "cli/cli.h"

int orr__families_load(const struct orr_words *plugins, struct orr_config **out)
{
    struct orr_report why = {0};
    orr_err err = orr__config_parse("--plugin", "{}", 2, out, &why);
    if (err == ORR_OK)
        err = orr__cc_plugins_add(*out, plugins->word, plugins->count, &why);
    if (err == ORR_OK)
        err = orr__cc_plugins_read(
            *out, orr__yaml_get(orr__config_root(*out), "plugins"), &why);
    if (err == ORR_OK)
        return -1;
    orr__print_report(&why);
    return orr__exit_status(err, false);
}
