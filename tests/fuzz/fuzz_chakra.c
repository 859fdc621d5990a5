/* Chakra traces from anyone: what is read is a graph without circles whose
 * edges stay inside; the rest is refused with a message. */
#include <stdlib.h>

#include "core/none.h"
#include "formats/chakra/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct orr_chakra *c)
{
    if (c->nodes == 0 || c->critical_nodes > c->nodes)
        abort();
    for (uint32_t i = 0; i < c->edges; i++)
        if (c->edge[i].before >= c->nodes || c->edge[i].after >= c->nodes)
            abort();
    for (uint32_t i = 0; i < c->nodes; i++) {
        const struct orr_chakra_node *n = &c->node[i];
        if (n->type >= ORR_CHAKRA_TYPES || n->comm >= ORR_CHAKRA_COMM_TYPES)
            abort();
        if (n->group != ORR_NONE && n->group >= c->texts)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (int control = 0; control <= ORR_CHAKRA_IGNORED; control++) {
        struct orr_report why = {.code = ORR_OK};
        struct orr_chakra c;
        if (orr__chakra_parse("trace", data, size,
                              (enum orr_chakra_control)control, &c, &why)
            == ORR_OK)
            use(&c);
        else if (why.code != ORR_ECONFIG || why.message[0] == '\0')
            abort();
        orr__chakra_fini(&c);
    }
    return 0;
}
