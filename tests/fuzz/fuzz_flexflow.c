/* Any bytes as a task graph, a flatbuffer behind a byte of 0xff: tasks of nodes
 * that there are, without circles, or a failure that says where. */
#include <stdbool.h>
#include <stdlib.h>

#include "formats/task_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int fine)
{
    if (!fine)
        abort();
}

static void check(const struct orr_task_graph *t)
{
    require(t->n > 0 && t->nodes <= 16);
    for (uint32_t i = 0; i < t->n; i++) {
        const struct orr_graph_task *x = &t->task[i];
        bool all = x->kind == ORR_TASK_ALL_REDUCE;
        require(all || (x->from < t->nodes && x->to < t->nodes));
        require(x->ps >= 0 && x->next + x->nexts <= t->nexts);
        for (uint32_t k = 0; k < x->nexts; k++)
            require(t->next[x->next + k].number < (all ? t->nodes : t->n));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_report why = {0};
    struct orr_task_graph t;
    bool flat = size && data[0] == 0xff; /* no text begins so */
    const char *bytes = (const char *)data + flat;
    orr_err err = orr__task_graph_read(flat ? "tasks.fbuf" : "tasks.txt", bytes,
                                       size - flat, 16, &t, &why);
    if (err)
        require(why.message[0] != '\0' && (flat || why.line > 0));
    else
        check(&t);
    orr__task_graph_free(&t);
    return 0;
}
