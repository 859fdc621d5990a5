/* In iteration k, x waits for y of iteration k - w: w is 0 inside an iteration,
 * 1 of an operation for itself, and what `after` says. A circle whose w add up
 * to 0 or less never ends. Let y's place be P(y); x's is at least
 * P(y) - w B + 1, with B beyond the length of any path: places grow for ever
 * exactly where there is such a circle (Bellman and Ford). */
#include "workload/program/circle.h"

#include "core/memory.h"

/* x of iteration k waits for y of iteration k - w; crossing: which of the
 * program's said so. */
struct wait {
    uint32_t x, y; /* x waits for y; beyond the operations: a part's iteration
                    * is over */
    int32_t w;
    uint32_t crossing; /* or ORR_NONE */
};

/* Places are the operations, and behind them one for each part. The program is
 * borrowed; orr__program_circle frees the tables. */
struct search {
    const struct orr_program *p;
    uint32_t places, waits;
    struct wait *wait;
    int64_t *place;
    uint32_t *by;  /* per place: the wait that put it there, or ORR_NONE */
    uint32_t *met; /* per place: in which round the search was there */
    uint32_t round;
};

static void add_wait(struct search *s, uint32_t x, uint32_t y, int32_t w,
                     uint32_t crossing)
{
    s->wait[s->waits++] = (struct wait){x, y, w, crossing};
}

/* All that holds an operation back. With overlap 0 any number of iterations may
 * be open, so nothing waits for the end of one. The caller has made room: an
 * operation needs three at most, beside its edges. */
static void list_waits(struct search *s, uint32_t overlap)
{
    const struct orr_program *p = s->p;
    for (uint32_t y = 0; y < p->ops; y++) {
        for (uint32_t e = p->next_off[y]; e < p->next_off[y + 1]; e++)
            add_wait(s, p->next[e], y, 0, ORR_NONE);
        add_wait(s, y, y, 1, ORR_NONE);
    }
    for (uint32_t i = 0; i < p->crossings; i++)
        add_wait(s, p->crossing[i].after, p->crossing[i].before,
                 p->crossing[i].distance, i);
    for (uint32_t i = 0; overlap && i < p->parts; i++) {
        const struct orr_part *part = &p->part[i];
        for (uint32_t k = 0; k < part->ops; k++)
            add_wait(s, p->ops + i, part->op + k, 0, ORR_NONE);
        for (uint32_t k = 0; k < part->n_first; k++)
            add_wait(s, p->first[part->first + k], p->ops + i, (int32_t)overlap,
                     ORR_NONE);
    }
}

/* One round over all waits. False: no place moved, all waits can be met, and
 * there is no circle. */
static bool relax_waits(struct search *s)
{
    int64_t far = (int64_t)s->places + 1;
    bool moved = false;
    for (uint32_t i = 0; i < s->waits; i++) {
        const struct wait *x = &s->wait[i];
        int64_t least = s->place[x->y] - x->w * far + 1;
        if (s->place[x->x] >= least)
            continue;
        s->place[x->x] = least;
        s->by[x->x] = i;
        moved = true;
    }
    return moved;
}

/* The crossing of a circle among those that put one another where they are. */
static uint32_t circle_of(const struct search *s, uint32_t at)
{
    uint32_t end = at;
    do {
        const struct wait *x = &s->wait[s->by[at]];
        if (x->crossing != ORR_NONE && x->w < 0)
            return x->crossing;
        at = x->y;
    } while (at != end);
    return ORR_NONE;
}

/* Goes back along `by` from each place; a place met twice in one round closes a
 * circle. No place is gone over in two rounds, so the time is linear. Returns a
 * crossing of the circle; ORR_NONE: there is none so far. */
static uint32_t find_circle(struct search *s)
{
    for (uint32_t i = 0; i < s->places; i++)
        s->met[i] = 0;
    s->round = 0;
    for (uint32_t i = 0; i < s->places; i++) {
        uint32_t at = i;
        s->round++;
        while (s->by[at] != ORR_NONE && !s->met[at]) {
            s->met[at] = s->round;
            at = s->wait[s->by[at]].y;
        }
        if (s->by[at] != ORR_NONE && s->met[at] == s->round)
            return circle_of(s, at);
    }
    return ORR_NONE;
}

orr_err orr__program_circle(const struct orr_program *p, uint32_t overlap,
                            uint32_t *crossing, struct orr_report *why)
{
    struct search s = {.p = p, .places = p->ops + p->parts};
    size_t waits =
        (size_t)p->next_off[p->ops] + 3 * (size_t)p->ops + p->crossings;
    *crossing = ORR_NONE;
    if (p->latest == 0)
        return ORR_OK;
    s.wait = orr__alloc(waits, sizeof *s.wait);
    s.place = orr__alloc(s.places, sizeof *s.place);
    s.by = orr__alloc(s.places, sizeof *s.by);
    s.met = orr__alloc(s.places, sizeof *s.met);
    orr_err err =
        s.wait && s.place && s.by && s.met ? ORR_OK : orr__no_memory(why);
    if (!err) {
        list_waits(&s, overlap);
        for (uint32_t i = 0; i < s.places; i++)
            s.by[i] = ORR_NONE;
        while (*crossing == ORR_NONE && relax_waits(&s))
            *crossing = find_circle(&s);
    }
    orr__free(s.wait);
    orr__free(s.place);
    orr__free(s.by);
    orr__free(s.met);
    return err;
}

orr_err orr__program_check_open(struct orr_config *c,
                                const struct orr_yaml *job,
                                const struct orr_program *p, uint32_t overlap,
                                struct orr_report *why)
{
    uint32_t at;
    orr_err err = orr__program_circle(p, overlap, &at, why);
    if (err || at >= p->crossings)
        return err;
    const struct orr_yaml *key = orr__yaml_get(job, "overlap");
    int32_t later = -p->crossing[at].distance;
    return orr__yaml_fail(c, key ? key : job, why,
                          "overlap: an operation waits for one %d iteration%s "
                          "later, which is not open with %u at once",
                          later, later == 1 ? "" : "s", overlap);
}
