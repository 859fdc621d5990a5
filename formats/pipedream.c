/* PipeDream's graph.txt, the profile of a model: a job with that model, and the
 * question where to cut it into stages. */
#include <string.h>

#include "core/memory.h"
#include "formats/convert.h"
#include "formats/trace.h"
#include "workload/model/model.h"

enum { MACHINES = 4, GBPS = 10 };

/* *m: the model, so that what is wrong with the file is told now. */
static orr_err read_graph(const char *path, struct orr_model **m,
                          struct orr_report *why)
{
    char *text = NULL;
    size_t n = 0;
    orr_err err = orr__trace_slurp(path, &text, &n, why);
    if (err == ORR_OK)
        err = orr__model_read_graph(path, text, n, "pipedream", m, why);
    orr__free(text);
    return err;
}

/* The configuration beside the model: MACHINES hosts of GBPS Gbit/s that train
 * it by data parallelism, and a plan request with the cost of PipeDream's own
 * code. A lack of memory stays in c->yaml. */
static void write_yaml(struct orr_convert *c, const char *name)
{
    struct orr_text *y = &c->yaml;
    orr__origins_find(c->blame, y, NULL, 0, 0, NULL);
    orr__text_add(y,
                  "topology: {kind: switch, hosts: %d, link: {rate: %dGbps, "
                  "delay: 1us}}\njobs:\n",
                  MACHINES, GBPS);
    orr__origins_find(c->blame, y, c->input[0], 0, 0, NULL);
    orr__text_add(y, "  - {name: pipedream, ranks: %d, model: %s, sync: ddp}\n",
                  MACHINES, name);
    orr__text_add(y,
                  "plan: {kind: pipedream, machines: [%d], rates: [%dGbps], "
                  "cost: code}\n",
                  MACHINES, GBPS);
}

/* input[0] is a graph.txt, read here only to check it and to count its layers:
 * what is written is a configuration that names it as its model. */
static orr_err from_pipedream(struct orr_convert *c, struct orr_report *why)
{
    struct orr_model *m = NULL;
    const char *path = c->input[0];
    size_t n = strlen(path);
    if (c->inputs != 1)
        return orr__fail(why, ORR_ECONFIG, "one graph.txt at a time");
    if (n < 4 || strcmp(path + n - 4, ".txt") != 0)
        return orr__fail_at(why, ORR_ECONFIG, path, 0, 0,
                            "the name of a graph ends in .txt");
    orr_err err = read_graph(path, &m, why);
    if (err != ORR_OK)
        return err;
    char *name = orr__convert_name(c, path);
    if (name) {
        write_yaml(c, name);
        orr__note(&c->notes,
                  "%u layers; `plan` asks for stages on %d machines at %d "
                  "Gbps, and without it all of them are replicas",
                  m->layers, MACHINES, GBPS);
        orr__note(&c->notes,
                  "the file does not say how many samples its times are of: "
                  "a minibatch of the profile is `batch: 1` here");
    }
    orr__free(name);
    orr__model_free(m);
    return name ? ORR_OK : orr__no_memory(why);
}

const struct orr_convert_ops orr__convert_pipedream = {
    .name = "pipedream",
    .doc = "PipeDream's profiles of models",
    .inputs = "a graph.txt",
    .from = from_pipedream,
};
