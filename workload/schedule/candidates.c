#include "workload/schedule/candidates.h"

#include "core/json.h"

static const char key; /* only its address is used */

orr_err orr__candidates_keep(struct orr_config *c, struct orr_candidates *what,
                             struct orr_report *why)
{
    return orr__config_keep(c, &key, what, NULL, why);
}

const struct orr_candidates *orr__candidates_of(const struct orr_config *c)
{
    return orr__config_kept(c, &key);
}

void orr__candidates_json(const struct orr_candidates *c, const char *name,
                          struct orr_json *j)
{
    orr__json_list(j, name);
    for (uint32_t i = 0; c && i < c->n; i++) {
        const struct orr_candidate *x = &c->item[i];
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "name", x->name);
        orr__json_real(j, "score", x->score);
        orr__json_flag(j, "loop", x->loop);
        orr__json_mean_time(j, "fair_ns", x->fair_s * 1e12);
        orr__json_mean_time(j, "planned_ns", x->planned_s * 1e12);
        orr__json_flag(j, "chosen", i == c->chosen);
        orr__json_end(j);
    }
    orr__json_end(j);
}
