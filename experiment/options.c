#include "experiment/options.h"

/* n texts, none of them NULL. */
static orr_err check_list(const char *what, const char *const *list, size_t n,
                          struct orr_report *why)
{
    if (n && !list)
        return orr__fail(why, ORR_ECALL, "options: %s is NULL", what);
    for (size_t i = 0; i < n; i++)
        if (!list[i])
            return orr__fail(why, ORR_ECALL, "options: %s[%zu] is NULL", what,
                             i);
    return ORR_OK;
}

orr_err orr__check_options(const struct orr_options *o, struct orr_report *why)
{
    orr_err err = check_list("sets", o->sets, o->n_sets, why);
    return err ? err : check_list("plugins", o->plugins, o->n_plugins, why);
}
