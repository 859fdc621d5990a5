/* Any bytes as PipeDream's graph.txt: a model whose layers stand behind those
 * that they need, or a failure that says where it is. */
#include <stdint.h>
#include <stdlib.h>

#include "workload/model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int fine)
{
    if (!fine)
        abort();
}

static void check(const struct orr_model *m)
{
    require(m->layers > 0 && m->units == m->layers && m->edge);
    for (uint32_t i = 0; i < m->edges; i++)
        require(m->edge[i].from < m->edge[i].to && m->edge[i].to < m->layers);
    require(orr__model_crossing(m, 0) == 0);
    require(orr__model_crossing(m, m->layers) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_report why = {0};
    struct orr_model *m = NULL;
    orr_err err = orr__model_read_graph("graph.txt", (const char *)data, size,
                                        "fuzz", &m, &why);
    if (err) {
        require(why.message[0] != '\0' && why.line > 0);
        return 0;
    }
    check(m);
    orr__model_free(m);
    return 0;
}
