/* `until`: seeds are added until the interval of a figure is narrow, and where
 * it is not, that is said. */
#include <math.h>

#include "study/compare/study.h"

static const char *const reason[] = {
    [ORR_UNTIL_MOST] = "seeds",      [ORR_UNTIL_FAILED] = "failed",
    [ORR_UNTIL_ABSENT] = "absent",   [ORR_UNTIL_ZERO] = "zero",
    [ORR_UNTIL_MISSING] = "missing", [ORR_UNTIL_OPEN] = "open",
};

/* Of a cell not all of whose runs have the figure. */
static enum orr_until_state without(const struct orr_study_cell *cell)
{
    enum orr_until_state s = ORR_UNTIL_ABSENT;
    for (uint32_t i = 0; i < cell->trials; i++)
        if (cell->trial[i].state == ORR_TRIAL_FAILED)
            return ORR_UNTIL_FAILED; /* says no more with another seed */
        else if (cell->trial[i].state != ORR_TRIAL_OK)
            s = ORR_UNTIL_MISSING;
    return s;
}

struct orr_until orr__study_until(const struct orr_compare *c,
                                  const struct orr_study_cell *cell)
{
    struct orr_estimated e = orr__study_estimate(cell, c->until);
    struct orr_until u = {.state = ORR_UNTIL_REACHED, .width = NAN};
    bool more = cell->trials < c->m.most_seeds;
    if (e.n < cell->trials) {
        u.state = without(cell);
    } else if (e.n < 2) {
        u.state = more ? ORR_UNTIL_OPEN : ORR_UNTIL_MOST;
    } else if (e.mean != 0) {
        u.width = e.half / fabs(e.mean);
        if (u.width > c->m.until)
            u.state = more ? ORR_UNTIL_OPEN : ORR_UNTIL_MOST;
    } else if (e.half > 0) {
        u.state = ORR_UNTIL_ZERO;
    }
    return u;
}

uint32_t orr__until_more(const struct orr_compare *c,
                         const struct orr_study_cell *cell)
{
    struct orr_until u = orr__study_until(c, cell);
    uint32_t n = cell->trials, most = c->m.most_seeds;
    if (u.state != ORR_UNTIL_OPEN)
        return 0;
    if (n < 2)
        return 2 - n;
    double wide = u.width / c->m.until;
    double wanted = fmin(ceil(n * wide * wide), 2.0 * n);
    uint32_t all = wanted < most ? (uint32_t)wanted : most;
    return all > n ? all - n : 1;
}

/* How wide it is, and why it is not narrower. */
static void put_why(struct orr_text *t, const struct orr_until *u,
                    uint32_t seeds)
{
    if (!isnan(u->width))
        orr__text_add(t, "%.3g %% of the mean with ", 100 * u->width);
    orr__text_add(t, "%u seed%s", seeds, seeds == 1 ? "" : "s");
    switch (u->state) {
    case ORR_UNTIL_REACHED: break;
    case ORR_UNTIL_MOST: orr__text_add(t, ", the most there may be"); break;
    case ORR_UNTIL_FAILED: orr__text_add(t, ", not all ran well"); break;
    case ORR_UNTIL_ABSENT:
        orr__text_add(t, ", not all have this figure");
        break;
    case ORR_UNTIL_ZERO:
        orr__text_add(t,
                      ", whose mean is 0: a relative interval does not exist");
        break;
    case ORR_UNTIL_MISSING: orr__text_add(t, ", not all are there"); break;
    case ORR_UNTIL_OPEN:
        orr__text_add(t, ", none added: that takes a run of the whole study");
        break;
    }
    orr__text_add(t, "\n");
}

void orr__until_text(struct orr_text *t, const struct orr_compare *c,
                     const char *before)
{
    char where[200];
    for (uint32_t i = 0; c->m.until > 0 && i < c->cells; i++) {
        struct orr_until u = orr__study_until(c, &c->cell[i]);
        if (u.state == ORR_UNTIL_REACHED)
            continue;
        orr__matrix_describe(&c->m, c->cell[i].variant, where, sizeof where);
        orr__text_add(t, "%suntil %g%%: not reached: %s, %s: ", before,
                      100 * c->m.until, where, c->measure[c->until].path);
        put_why(t, &u, c->cell[i].trials);
    }
}

void orr__until_asked(struct orr_json *j, const struct orr_compare *c)
{
    if (!(c->m.until > 0))
        return;
    orr__json_flat_object(j, "until");
    orr__json_real(j, "interval", c->m.until);
    orr__json_text(j, "measure", c->measure[c->until].path);
    orr__json_count(j, "most", c->m.most_seeds);
    orr__json_end(j);
}

void orr__until_reached(struct orr_json *j, const struct orr_compare *c,
                        const struct orr_study_cell *cell)
{
    if (!(c->m.until > 0))
        return;
    struct orr_until u = orr__study_until(c, cell);
    orr__json_flat_object(j, "until");
    orr__json_flag(j, "reached", u.state == ORR_UNTIL_REACHED);
    orr__json_real(j, "interval", u.width);
    orr__json_count(j, "seeds", cell->trials);
    if (u.state != ORR_UNTIL_REACHED)
        orr__json_text(j, "reason", reason[u.state]);
    orr__json_end(j);
}
