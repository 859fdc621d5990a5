#include "record/write_circles.h"

#include <stdio.h>

#include "core/memory.h"
#include "record/rows.h"
#include "topo/names.h"
#include "workload/schedule/planner.h"

/* Walks through all phases of all turns of all circles; rows are made in
 * order. */
struct cursor {
    const struct orr_scheme *scheme;
    const int64_t *zero;   /* a shift of nothing for each job */
    const uint32_t *group; /* of each circle */
    uint32_t circle, turn, phase, turns; /* turns: before this one */
};

/* ---- circles ------------------------------------------------------------ */

struct circle_row {
    uint32_t circle, link, group;
    uint64_t capacity;
    int64_t perimeter;
    double score_before, score;
    const char *name;
    char text[2 * ORR_NODE_NAME + sizeof " -> "];
};

static const struct orr_row_field circle_fields[] = {
    ORR_FIELD(circle_row, circle, U32, "1", "row", NULL),
    ORR_FIELD(circle_row, link, U32, "1", "link on which jobs meet", NULL),
    ORR_FIELD(circle_row, name, TEXT, "1", "the link's nodes", NULL),
    ORR_FIELD(circle_row, group, U32, "1",
              "number for links on which the same jobs meet", NULL),
    ORR_FIELD(circle_row, capacity, U64, "bit/s", "rate of the link", NULL),
    ORR_FIELD(circle_row, perimeter, I64, "ps",
              "common multiple of the periods of the jobs", NULL),
    ORR_FIELD(circle_row, score_before, F64, "1",
              "1 less the share of what is asked for above the rate; all jobs "
              "begin at once", NULL),
    ORR_FIELD(circle_row, score, F64, "1", "the same with the shifts", NULL),
};

static void circle_row(void *from, uint64_t i, void *row)
{
    const struct cursor *c = from;
    const struct orr_circles *all = &c->scheme->circles;
    const struct orr_meeting *m = &all->meeting[i];
    const struct orr_graph *g = c->scheme->world->graph;
    char a[ORR_NODE_NAME], b[ORR_NODE_NAME];
    struct circle_row *x = row;
    *x = (struct circle_row){
        .circle = (uint32_t)i,
        .link = m->link,
        .group = c->group[i],
        .capacity = m->capacity_bps,
        .perimeter = m->perimeter_ps,
        .score_before = orr__circle_score(all, m, c->zero),
        .score = orr__circle_score(all, m, c->scheme->affinity.shift),
    };
    snprintf(x->text, sizeof x->text, "%s -> %s",
             orr__node_name(g, g->from[m->link], a, sizeof a),
             orr__node_name(g, g->to[m->link], b, sizeof b));
    x->name = x->text;
}

/* ---- turns and their phases --------------------------------------------- */

struct turn_row {
    uint32_t turn, turn_circle, turn_job;
    int64_t turn_period, turn_shift;
};

static const struct orr_row_field turn_fields[] = {
    ORR_FIELD(turn_row, turn, U32, "1", "row", NULL),
    ORR_FIELD(turn_row, turn_circle, U32, "1", "circle that it is on", NULL),
    ORR_FIELD(turn_row, turn_job, U32, "1", "index of the job", NULL),
    ORR_FIELD(turn_row, turn_period, I64, "ps",
              "time from one iteration to the next", NULL),
    ORR_FIELD(turn_row, turn_shift, I64, "ps",
              "by how much the job was delayed", NULL),
};

static const struct orr_turn *turn_at(const struct cursor *c)
{
    return &c->scheme->circles.meeting[c->circle].turn[c->turn];
}

static void next_turn(struct cursor *c)
{
    c->phase = 0;
    c->turns++;
    if (++c->turn == c->scheme->circles.meeting[c->circle].n) {
        c->turn = 0;
        c->circle++;
    }
}

static void turn_row(void *from, uint64_t i, void *row)
{
    struct cursor *c = from;
    uint32_t job = turn_at(c)->job;
    *(struct turn_row *)row = (struct turn_row){
        .turn = (uint32_t)i,
        .turn_circle = c->circle,
        .turn_job = job,
        .turn_period = c->scheme->circles.period_ps[job],
        .turn_shift = c->scheme->affinity.shift[job],
    };
    next_turn(c);
}

struct phase_row {
    uint32_t phase, phase_turn;
    int64_t phase_start, phase_end;
    uint64_t phase_rate;
};

static const struct orr_row_field phase_fields[] = {
    ORR_FIELD(phase_row, phase, U32, "1", "row", NULL),
    ORR_FIELD(phase_row, phase_turn, U32, "1", "turn that it is of", NULL),
    ORR_FIELD(phase_row, phase_start, I64, "ps",
              "from the start of an iteration, before the shift", NULL),
    ORR_FIELD(phase_row, phase_end, I64, "ps", "the same of its end", NULL),
    ORR_FIELD(phase_row, phase_rate, U64, "bit/s",
              "what the job asks of the link meanwhile", NULL),
};

static void phase_row(void *from, uint64_t i, void *row)
{
    struct cursor *c = from;
    while (c->phase == turn_at(c)->n)
        next_turn(c);
    const struct orr_turn *t = turn_at(c);
    *(struct phase_row *)row = (struct phase_row){
        .phase = (uint32_t)i,
        .phase_turn = c->turns,
        .phase_start = t->edge[2 * c->phase],
        .phase_end = t->edge[2 * c->phase + 1],
        .phase_rate = t->rate_bps[c->phase],
    };
    c->phase++;
}

/* ---- the group ---------------------------------------------------------- */

static orr_err write_tables(struct orr_record *r, const struct cursor *start)
{
    static const struct orr_rows circles = ORR_ROWS(circle_fields, circle_row,
                                                    circle_row);
    static const struct orr_rows turns = ORR_ROWS(turn_fields, turn_row,
                                                  turn_row);
    static const struct orr_rows phases = ORR_ROWS(phase_fields, phase_row,
                                                   phase_row);
    const struct orr_circles *all = &start->scheme->circles;
    uint64_t n_turns = 0, n_phases = 0;
    for (uint32_t i = 0; i < all->n; i++) {
        n_turns += all->meeting[i].n;
        for (uint32_t k = 0; k < all->meeting[i].n; k++)
            n_phases += all->meeting[i].turn[k].n;
    }
    struct cursor c = *start;
    int group = orr__record_group(r, "circles");
    orr_err err = orr__rows_write(r, group, &circles, &c, all->n);
    if (err == ORR_OK)
        err = orr__rows_write(r, group, &turns, &c, n_turns);
    c = *start;
    return err ? err : orr__rows_write(r, group, &phases, &c, n_phases);
}

orr_err orr__circles_write(struct orr_record *r, const struct orr_world *w)
{
    const struct orr_scheme *s = orr__planner_scheme(w);
    if (!s || !s->wish.turns || s->circles.n == 0)
        return ORR_OK;
    const struct orr_affinity *a = &s->affinity;
    int64_t *zero = orr__alloc(s->n, sizeof *zero);
    uint32_t *group = orr__alloc(s->circles.n, sizeof *group);
    orr_err err = zero && group ? ORR_OK : ORR_ENOMEM;
    for (uint32_t g = 0; g < a->groups && !err; g++)
        for (uint32_t i = 0; i < a->group[g].n; i++)
            group[a->group[g].meeting[i]] = g;
    struct cursor c = { .scheme = s, .zero = zero, .group = group };
    if (!err)
        err = write_tables(r, &c);
    orr__free(zero);
    orr__free(group);
    return err;
}
