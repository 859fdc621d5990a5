#include "formats/htsim/options.h"

#include <stdlib.h>
#include <string.h>

#include "core/units.h"
#include "formats/convert.h"

enum type { FLAG, COUNT, REAL, ALGORITHM, INPUT, IGNORED };

/* Those of main_uec.cpp that mean something here. IGNORED: with a value. */
static const struct option {
    const char *name;
    enum type type;
    size_t offset;
} options[] = {
    {"-tm", INPUT, 0},
    {"-topo", INPUT, 0},
    {"-load_balancing_algo", ALGORITHM, 0},
    {"-paths", COUNT, offsetof(struct orr_htsim_options, entropies)},
    {"-q", COUNT, offsetof(struct orr_htsim_options, queue)},
    {"-linkspeed", COUNT, offsetof(struct orr_htsim_options, rate_mbps)},
    {"-hop_latency", REAL, offsetof(struct orr_htsim_options, latency_us)},
    {"-failed", COUNT, offsetof(struct orr_htsim_options, failed)},
    {"-end", COUNT, offsetof(struct orr_htsim_options, end_us)},
    {"-sack_threshold", COUNT, offsetof(struct orr_htsim_options, sack_bytes)},
    {"-sender_cc_only", FLAG, 0},
    {"-receiver_cc_only", FLAG, 1},
    {"-sender_cc", FLAG, 2},
    {"-receiver_cc", FLAG, 3},
    {"-disable_trim", FLAG, 4},
    {"-o", IGNORED, 0},
    {"-nodes", IGNORED, 0},
    {"-seed", IGNORED, 0},
    {"-log", IGNORED, 0},
    {NULL, FLAG, 0},
};

/* Both unless one is said to be alone. */
static void choose_control(struct orr_htsim_options *o, size_t flag)
{
    if (flag < 2)
        o->by_sender = flag == 0;
    if (flag < 2)
        o->by_receiver = flag == 1;
    o->by_sender |= flag == 2;
    o->by_receiver |= flag == 3;
    o->drops |= flag == 4;
}

static orr_err refuse_value(struct orr_report *why, const char *name,
                            const char *value)
{
    return orr__fail(why, ORR_ECONFIG, "htsim's %s: no value \"%s\"", name,
                     value);
}

/* *file: what an option names one by. */
static orr_err take_value(struct orr_htsim_options *o, const struct option *p,
                          const char *value, const char **file,
                          struct orr_report *why)
{
    static const char *const algorithms[] = {"oblivious", "bitmap", "reps",
                                             "mixed", NULL};
    void *at = (char *)o + p->offset;
    char *end;

    switch (p->type) {
    case INPUT: *file = value; break;
    case COUNT:
        if (orr__parse_int(value, at) || *(int64_t *)at < 0)
            return refuse_value(why, p->name, value);
        break;
    case REAL:
        *(double *)at = strtod(value, &end);
        if (*end || end == value
            || !(*(double *)at >= 0 && *(double *)at < 1e9))
            return refuse_value(why, p->name, value);
        break;
    case ALGORITHM:
        o->algo = NULL;
        for (size_t i = 0; algorithms[i]; i++)
            if (strcmp(value, algorithms[i]) == 0)
                o->algo = algorithms[i];
        if (!o->algo)
            return refuse_value(why, p->name, value);
        break;
    case FLAG:
    case IGNORED: break;
    }
    return ORR_OK;
}

orr_err orr__htsim_option(struct orr_htsim_options *o, const char *const *word,
                          size_t words, size_t *i, const char **file,
                          struct orr_text *notes, struct orr_report *why)
{
    const char *name = word[*i];
    const struct option *p = options;

    *file = *name == '-' ? NULL : name;
    if (*file)
        return ORR_OK;
    while (p->name && strcmp(p->name, name) != 0)
        p++;
    if (!p->name) {
        bool value = *i + 1 < words && *word[*i + 1] != '-';

        orr__note(notes, "htsim's %s has no counterpart here", name);
        *i += value;
        return ORR_OK;
    }
    if (p->type == FLAG) {
        choose_control(o, p->offset);
        return ORR_OK;
    }
    if (*i + 1 >= words)
        return orr__fail(why, ORR_ECONFIG, "htsim's %s needs a value", name);
    return take_value(o, p, word[++*i], file, why);
}
