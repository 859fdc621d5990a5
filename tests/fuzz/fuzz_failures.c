/* `failures` from anyone, as YAML below the key, and links that are taken away
 * for good beside them: outages of links that exist, in order and apart, or a
 * failure with a place. */
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "net/config/failures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char head[] =
    "topology: {kind: leaf-spine, leaves: 2, spines: 2, hosts_per_leaf: 2, "
    "link: {rate: 1Gbps, delay: 1us}}\nfailures: ";

static void check(const struct orr_failures *f, const struct orr_graph *g)
{
    for (uint32_t i = 0; f && i < f->outages; i++) {
        const struct orr_outage *o = &f->outage[i];
        if (o->link >= g->links || o->up <= o->down || o->noticed < o->down)
            abort();
        if (i
            && (o[-1].link > o->link
                || (o[-1].link == o->link && o[-1].up > o->down)))
            abort();
    }
    for (uint32_t i = 0; f && i < f->retunes; i++)
        if (f->retune[i].link >= g->links || f->retune[i].rate_bps == 0)
            abort();
}

static void read_failures(struct orr_config *c)
{
    const struct orr_yaml *root = orr__config_root(c);
    const struct orr_failures *f = NULL;
    struct orr_report why = {.code = ORR_OK};
    const uint32_t dead[] = {3, 11, 3};
    struct orr_graph *g;
    if (orr__graph_build(c, orr__yaml_get(root, "topology"), 1, &g, &why)
        != ORR_OK)
        return; /* the input closed the map and began another topology */
    orr_err err =
        orr__failures_read(c, g, orr__yaml_get(root, "failures"), &f, &why);
    if (err != ORR_OK && (!why.message[0] || err == ORR_EINTERNAL))
        abort();
    if (err == ORR_OK) {
        check(f, g);
        if (g->links > 11) {
            if (orr__failures_add(c, g, dead, 3, &f, &why) != ORR_OK)
                abort();
            check(f, g);
        }
    }
    orr__graph_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c;
    char *text;
    if (size > 65536)
        return -1;
    text = orr__alloc(sizeof head + size, 1);
    if (!text)
        abort();
    memcpy(text, head, sizeof head - 1);
    memcpy(text + sizeof head - 1, data, size);
    if (orr__config_parse("fuzz", text, sizeof head - 1 + size, &c, &why)
        == ORR_OK) {
        read_failures(c);
        orr__config_free(c);
    }
    orr__free(text);
    return 0;
}
