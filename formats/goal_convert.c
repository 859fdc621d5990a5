/* A schedule in GOAL: a job that runs it, on a switch. */
#include "core/memory.h"
#include "formats/convert.h"
#include "formats/goal_schedule.h"
#include "formats/trace.h"

/* input[0] is read only to check and count; the configuration names it. */
static orr_err from_goal(struct orr_convert *c, struct orr_report *why)
{
    char *text = NULL, *name = NULL;
    size_t length = 0;
    struct orr_goal g = {.ranks = 0};
    struct orr_text *y = &c->yaml;
    if (c->inputs != 1)
        return orr__fail(why, ORR_ECONFIG, "one schedule at a time");
    orr_err err = orr__trace_slurp(c->input[0], &text, &length, why);
    if (!err)
        err = orr__goal_read(c->input[0], text, length, &g, why);
    if (!err)
        name = orr__convert_name(c, c->input[0]);
    if (!err && !name)
        err = orr__no_memory(why);
    if (!err) {
        orr__origins_find(c->blame, y, NULL, 0, 0, NULL);
        orr__text_add(y,
                      "topology: {kind: switch, hosts: %u, link: {rate: "
                      "100Gbps, delay: 500ns}}\njobs:\n",
                      g.ranks > 1 ? g.ranks : 2);
        orr__origins_find(c->blame, y, c->input[0], 0, 0, NULL);
        orr__text_add(y,
                      "  - {name: goal, ranks: %u, trace: {format: goal, file: "
                      "%s}}\n",
                      g.ranks, name);
        orr__note(&c->notes, "a schedule has no network: hosts on one switch, "
                             "100 Gbps and 500 ns a link, stand for it");
    }
    orr__free(name);
    orr__free(text);
    orr__goal_free(&g);
    return err;
}

const struct orr_convert_ops orr__convert_goal = {
    .name = "goal",
    .doc = "schedules in GOAL (LogGOPSim, ATLAHS)",
    .inputs = "a schedule as text",
    .from = from_goal,
};
