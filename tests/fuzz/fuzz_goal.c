/* Any bytes as a schedule in GOAL: operations and waits of ranks that there
 * are, or a failure that says where. */
#include <stdlib.h>

#include "formats/goal_schedule.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int fine)
{
    if (!fine)
        abort();
}

static void check(const struct orr_goal *g)
{
    uint32_t ops = 0, waits = 0;
    for (uint32_t r = 0; r < g->ranks; r++) {
        const struct orr_goal_part *p = &g->part[r];
        require(p->op + p->ops <= g->ops && p->wait + p->waits <= g->waits);
        require(p->line > 0 || (p->ops == 0 && p->waits == 0));
        for (uint32_t i = p->op; i < p->op + p->ops; i++)
            require(g->op[i].kind == ORR_GOAL_CALC
                    || (g->op[i].peer < g->ranks && g->op[i].peer != r));
        for (uint32_t i = p->wait; i < p->wait + p->waits; i++)
            require(g->wait[i].after - p->op < p->ops
                    && g->wait[i].before - p->op < p->ops);
        ops += p->ops;
        waits += p->waits;
    }
    require(ops == g->ops && waits == g->waits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_report why = {0};
    struct orr_goal g;
    orr_err err = orr__goal_read("x.goal", (const char *)data, size, &g, &why);
    if (err)
        require(why.message[0] != '\0' && why.line > 0);
    else
        check(&g);
    orr__goal_free(&g);
    return 0;
}
