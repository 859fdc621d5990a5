/* Structures of the parameter tables that nobody draws, and formats without a
 * sample: what is added to orrery is to be attacked from its first day. */
#include <string.h>

#include "cli/cli.h"
#include "formats/jobs/jobs.h"
#include "tests/attack/draw.h"

static unsigned gaps_of(FILE *out, const char *where,
                        const struct orr_param *table)
{
    unsigned gaps = 0;

    for (const struct orr_param *p = table; p && p->key; p++) {
        bool shaped = p->type == ORR_PARAM_NODE || p->type == ORR_PARAM_INTS
                      || p->type == ORR_PARAM_TEXT;

        if (!shaped || orr__draw_has_shape(where, p->key))
            continue;
        fprintf(out,
                "%s.%s is a structure or a text, and nothing in "
                "tests/attack/draw.c draws it\n",
                where, p->key);
        gaps++;
    }
    return gaps;
}

static unsigned gaps_of_family(FILE *out, const struct orr_family *f)
{
    struct orr_param room[ORR_GROUP_KEYS_MAX];
    struct orr_family_entry m;
    unsigned gaps = f->common ? gaps_of(out, f->name, f->common()) : 0;

    for (size_t i = 0; f->member(i, &m); i++) {
        gaps += gaps_of(out, f->name, m.params);
        if (!m.group || !f->group_keys)
            continue;
        f->group_keys(m.group, room);
        gaps += gaps_of(out, f->name, room);
    }
    return gaps;
}

/* Formats have a sample to read. */
static unsigned gaps_of_samples(FILE *out)
{
    static const char *const folders[][2] = {{"formats", "topology"},
                                             {"flow-formats", "flows"},
                                             {"traces", "traces"}};
    unsigned gaps = 0;

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        const struct orr_family *f = orr__family_find(folders[i][0]);
        struct orr_family_entry m;

        for (size_t k = 0; f->member(k, &m); k++) {
            json_t *sample = orr__draw_sample(folders[i][1], m.name);

            if (!sample) {
                fprintf(out, "no tests/attack/samples/%s/%s*\n", folders[i][1],
                        m.name);
                gaps++;
            }
            json_decref(sample);
        }
    }
    for (size_t i = 0; orr__job_trace_formats()[i]; i++) {
        const char *name = orr__job_trace_formats()[i]->name;
        json_t *sample = orr__draw_jobs_file(name);

        if (!sample) {
            fprintf(out, "no tests/attack/samples/jobs/%s*\n", name);
            gaps++;
        }
        json_decref(sample);
    }
    return gaps;
}

unsigned orr__draw_gaps(FILE *out)
{
    unsigned gaps = 0;

    for (size_t i = 0; orr__families[i].name; i++)
        gaps += gaps_of_family(out, &orr__families[i]);
    for (size_t i = 0; orr__sections[i].name; i++)
        if (strcmp(orr__sections[i].name, "model-file")
            && strcmp(orr__sections[i].name, "layer"))
            gaps +=
                gaps_of(out, orr__sections[i].name, orr__sections[i].params());
    return gaps + gaps_of_samples(out);
}
