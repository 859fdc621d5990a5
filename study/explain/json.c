/* An explanation for programs. */
#include <stdio.h>

#include "core/json.h"
#include "core/memory.h"
#include "study/explain/words.h"
#include "workload/job/job.h"

static void put_words(struct orr_json *j, const char *key, const char *text)
{
    if (text[0])
        orr__json_text(j, key, text);
    else
        orr__json_null(j, key);
}

static void put_what(struct orr_json *j, const struct orr_explanation *e,
                     const struct orr_what *w)
{
    char text[ORR_WORDS];

    orr__json_text(j, "cause", orr__cause_name((enum orr_cause)w->cause));
    orr__owner_words(e, w->owner, text);
    put_words(j, "owner", text);
    orr__link_words(e, w->link, text);
    put_words(j, "link", text);
    put_words(j, "cut_by", orr__cut_words(w->cut_by));
}

static void put_causes(struct orr_json *j, const struct orr_subject *s)
{
    int64_t ps[ORR_CAUSES] = {0};

    for (uint32_t i = 0; i < s->parts; i++)
        ps[s->part[i].what.cause] += s->part[i].ps;
    orr__json_object(j, "causes_ns");
    for (int c = 0; c < ORR_CAUSES; c++)
        orr__json_time(j, orr__cause_name((enum orr_cause)c), ps[c]);
    orr__json_end(j);
}

static void put_parts(struct orr_json *j, const struct orr_explanation *e,
                      const struct orr_subject *s)
{
    orr__json_list(j, "parts");
    for (uint32_t i = 0; i < s->parts; i++) {
        orr__json_flat_object(j, NULL);
        orr__json_time(j, "time_ns", s->part[i].ps);
        put_what(j, e, &s->part[i].what);
        orr__json_end(j);
    }
    orr__json_end(j);
}

/* A leg, cut off at the path's beginning. */
static void put_leg(struct orr_json *j, const struct orr_explanation *e,
                    const struct orr_subject *s, const struct orr_leg *l)
{
    static const char *const kinds[] = {"compute",
                                        "overhead",
                                        "gate",
                                        "local message",
                                        "message",
                                        "message sent",
                                        "message acknowledged"};
    int64_t ps[ORR_CAUSES] = {0};
    char text[ORR_WORDS];

    orr__line_causes(&l->line, s->path.from, ps);
    orr__leg_words(e, s, l, text);
    orr__json_flat_object(j, NULL);
    orr__json_time(j, "start_ns",
                   l->from > s->path.from ? l->from : s->path.from);
    orr__json_time(j, "end_ns", l->until);
    orr__json_text(j, "kind", kinds[l->kind]);
    orr__json_text(j, "operation", text);
    orr__json_count(j, "rank", l->rank);
    if (l->kind >= ORR_LEG_LOCAL) {
        orr__json_count(j, "peer", l->peer);
        orr__json_count(j, "bytes", l->bytes);
    }
    for (int c = 0; c < ORR_CAUSES; c++)
        if (ps[c])
            orr__json_time(j, orr__cause_name((enum orr_cause)c), ps[c]);
    orr__json_end(j);
}

/* One job's or flow's explanation; baseline_ns null: not asked for. */
static void put_subject(struct orr_json *j, const struct orr_explanation *e,
                        const struct orr_subject *s)
{
    orr__json_object(j, NULL);
    if (s->owner == ORR_OWNER_IS_FLOWS) {
        orr__json_count(j, "flow", s->flow);
    } else {
        orr__json_text(j, "job", e->world->jobs[s->owner].name);
        orr__json_count(j, "first_iteration", s->first);
        orr__json_count(j, "last_iteration", s->last);
        orr__json_time(j, "mean_iteration_ns", s->mean_ps);
    }
    orr__json_time(j, "start_ns", s->path.from);
    orr__json_time(j, "end_ns", s->path.until);
    orr__json_time(j, "duration_ns", s->path.until - s->path.from);
    if (s->baseline_ps >= 0)
        orr__json_time(j, "alone_ns", s->baseline_ps);
    else
        orr__json_null(j, "alone_ns");
    put_causes(j, s);
    put_parts(j, e, s);
    orr__json_list(j, "path");
    for (uint32_t i = 0; i < s->path.n; i++)
        put_leg(j, e, s, &s->path.leg[i]);
    orr__json_end(j);
    orr__json_end(j);
}

/* Whose time, whose packets, and how much of it where. */
static void put_blame(struct orr_json *j, const struct orr_explanation *e)
{
    char text[ORR_WORDS];

    orr__json_list(j, "blame");
    for (uint32_t i = 0; i < e->n; i++) {
        const struct orr_subject *s = &e->subject[i];

        for (uint32_t k = 0; k < s->parts; k++) {
            if (!orr__is_other(s, s->part[k].what.owner))
                continue;
            orr__owner_words(e, s->owner, text);
            orr__json_flat_object(j, NULL);
            orr__json_text(j, "victim", text);
            orr__json_time(j, "time_ns", s->part[k].ps);
            put_what(j, e, &s->part[k].what);
            orr__json_end(j);
        }
    }
    orr__json_end(j);
}

char *orr__explanation_json(const struct orr_explanation *e)
{
    struct orr_json j = {0};
    char hex[17];

    if (e->json)
        return orr__strdup(e->json);
    snprintf(hex, sizeof hex, "%016llx",
             (unsigned long long)orr_experiment_fingerprint(e->run));
    orr__json_object(&j, NULL);
    orr__json_text(&j, "orrery", orr_version());
    orr__json_text(&j, "title", e->world->options.title);
    orr__json_count(&j, "seed", e->world->seed);
    orr__json_text(&j, "fingerprint", hex);
    orr__json_list(&j, "explained");
    for (uint32_t i = 0; i < e->n; i++)
        put_subject(&j, e, &e->subject[i]);
    orr__json_end(&j);
    put_blame(&j, e);
    orr__json_end(&j);
    return orr__json_done(&j);
}
