#include "record/write_circles.h"
#include "core/assert.h"

#include <stdio.h>

#include "record/rows.h"
#include "topo/node_names.h"

/* What rows of all three tables are made from. */
struct source {
    const struct orr_graph *graph;
    const struct orr_circle_tables *tables;
};

/* ---- circles ------------------------------------------------------------ */

/* A row of the table of circles; capacity in bit/s, perimeter in ps. */
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
    ORR_FIELD(circle_row, link, U32, "1", "link that jobs share", NULL),
    ORR_FIELD(circle_row, name, TEXT, "1", "the link's nodes", NULL),
    ORR_FIELD(circle_row, group, U32, "1", "group of links with the same jobs",
              NULL),
    ORR_FIELD(circle_row, capacity, U64, "bit/s", "rate of the link", NULL),
    ORR_FIELD(circle_row, perimeter, I64, "ps",
              "common multiple of the periods of the jobs", NULL),
    ORR_FIELD(circle_row, score_before, F64, "1",
              "1 minus the share of the demand above the rate, if all jobs "
              "begin at once",
              NULL),
    ORR_FIELD(circle_row, score, F64, "1", "the same with the shifts", NULL),
};

/* The name is made in the row itself, which lives until the next one. */
static void circle_row(void *from, uint64_t i, void *row)
{
    const struct source *s = from;
    ORR_ASSERT(i < s->tables->circles);
    const struct orr_circle_row *c = &s->tables->circle[i];
    const struct orr_graph *g = s->graph;
    char a[ORR_NODE_NAME], b[ORR_NODE_NAME];
    struct circle_row *x = row;
    *x = (struct circle_row){
        .circle = (uint32_t)i,
        .link = c->link,
        .group = c->group,
        .capacity = c->capacity_bps,
        .perimeter = c->perimeter_ps,
        .score_before = c->score_before,
        .score = c->score,
    };
    snprintf(x->text, sizeof x->text, "%s -> %s",
             orr__node_name(g, g->from[c->link], a, sizeof a),
             orr__node_name(g, g->to[c->link], b, sizeof b));
    x->name = x->text;
}

/* ---- turns and their phases --------------------------------------------- */

/* A row of the table of turns; period and shift in ps. */
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

static void turn_row(void *from, uint64_t i, void *row)
{
    const struct source *s = from;
    const struct orr_turn_row *t = &s->tables->turn[i];
    *(struct turn_row *)row = (struct turn_row){
        (uint32_t)i, t->circle, t->job, t->period_ps, t->shift_ps,
    };
}

/* A row of the table of phases; ps on the circle, rate in bit/s. */
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
              "demand of the job in that time", NULL),
};

static void phase_row(void *from, uint64_t i, void *row)
{
    const struct source *s = from;
    const struct orr_turn_phase_row *p = &s->tables->phase[i];
    *(struct phase_row *)row = (struct phase_row){
        (uint32_t)i, p->turn, p->from_ps, p->to_ps, p->rate_bps,
    };
}

/* ---- the group ---------------------------------------------------------- */

orr_err orr__circles_write(struct orr_record *r, const struct orr_graph *g,
                           const struct orr_circle_tables *t)
{
    static const struct orr_rows circles =
        ORR_ROWS(circle_fields, circle_row, circle_row);
    static const struct orr_rows turns =
        ORR_ROWS(turn_fields, turn_row, turn_row);
    static const struct orr_rows phases =
        ORR_ROWS(phase_fields, phase_row, phase_row);
    if (!t || t->circles == 0)
        return ORR_OK;
    struct source s = {g, t};
    int group = orr__record_group(r, "circles");
    orr_err err = orr__rows_write(r, group, &circles, &s, t->circles);
    if (err == ORR_OK)
        err = orr__rows_write(r, group, &turns, &s, t->turns);
    return err ? err : orr__rows_write(r, group, &phases, &s, t->phases);
}
