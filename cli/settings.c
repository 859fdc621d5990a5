#include "cli/settings.h"

#include <stdlib.h>

bool orr__settings_take(struct orr_settings *x, const char *command, int c,
                        int *status)
{
    int64_t n;
    bool ok = true;
    *status = -1;
    switch (c) {
    case 's': ok = orr__words_add(&x->sets, optarg); break;
    case 'P': ok = orr__words_preset(&x->sets, optarg); break;
    case ORR_PLUGIN_OPTION: ok = orr__words_add(&x->plugins, optarg); break;
    case 'S':
        if (!orr__option_number(command, "--seed", optarg, INT64_MAX, &n)) {
            *status = ORR_EXIT_USAGE;
            return true;
        }
        x->has_seed = true;
        x->seed = (uint64_t)n;
        break;
    default: return false;
    }
    if (!ok)
        *status = orr__no_memory_for_words();
    return true;
}

void orr__settings_apply(const struct orr_settings *x, struct orr_options *o)
{
    o->sets = x->sets.word;
    o->n_sets = x->sets.count;
    o->plugins = x->plugins.word;
    o->n_plugins = x->plugins.count;
    o->has_seed = x->has_seed;
    o->seed = x->seed;
}

void orr__settings_fini(struct orr_settings *x)
{
    orr__words_fini(&x->sets);
    orr__words_fini(&x->plugins);
}

/* Processes that this one starts inherit it. */
int orr__forgo_cache(void)
{
    return setenv("ORRERY_CACHE", "", 1) == 0 ? -1 : orr__no_memory_for_words();
}
