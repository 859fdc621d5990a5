/* Flow files of any format: whatever the text, flows between hosts that exist,
 * or a failure with a place. The first byte chooses the format. Flows with
 * triggers run to their end, or say who waits. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/config/config.h"
#include "experiment/experiment.h"
#include "orrery/orrery.h"
#include "workload/flow/build.h"
#include "workload/flow/file/flow_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int fine, const char *what, const char *detail)
{
    if (fine)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    abort();
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "w");
    require(f && fwrite(data, 1, size, f) == size && fclose(f) == 0, "write",
            path);
}

/* Few and small enough for a run? */
static int is_small(const struct orr_flows *f)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        if (f->flow[i].bytes > 100000)
            return 0;
        bytes += f->flow[i].bytes;
    }
    return f->count < 50 && bytes < 200000;
}

static void load(const char *path)
{
    static const char *const sets[] = {"stop=10ms"};
    struct orr_options o = {.sets = sets, .n_sets = 1, .no_output = true};
    struct orr_report why = {.code = ORR_OK};
    orr_experiment *x = NULL;
    orr_err err = orr_experiment_load(path, &o, &x, &why);
    if (err != ORR_OK) {
        require(why.message[0] != '\0', "no message", "");
        require(err == ORR_ECONFIG || err == ORR_ENOMEM, "code", why.message);
        return;
    }
    const struct orr_flows *f = orr__experiment_world(x)->flows;
    for (uint32_t i = 0; i < f->count; i++)
        require(f->flow[i].src < 4 && f->flow[i].dst < 4
                    && f->flow[i].src != f->flow[i].dst
                    && f->flow[i].start_ps >= -1,
                "a flow that cannot be", "");
    if (is_small(f)) {
        err = orr_experiment_run(x, &why);
        require(err == ORR_OK || err == ORR_ERUN, "run", why.message);
    }
    orr_experiment_free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct orr_flow_format_ops *const *k = orr__flow_formats();
    size_t formats = 0;
    char folder[] = "/tmp/orrery-fuzz-XXXXXX", config[64], flows[64];
    char text[256];
    if (size == 0 || size > 65536)
        return -1;
    while (k[formats])
        formats++;
    require(mkdtemp(folder) != NULL, "mkdtemp", folder);
    snprintf(config, sizeof config, "%s/c.yaml", folder);
    snprintf(flows, sizeof flows, "%s/flows", folder);
    int n = snprintf(text, sizeof text,
                     "topology: {kind: switch, hosts: 4, link: {rate: 1Gbps, "
                     "delay: 1us}}\nrecord: none\n"
                     "flows: [{src: 0, dst: 1, size: 1B}, "
                     "{file: flows, format: %s}]\n",
                     k[data[0] % formats]->name);
    write_file(config, text, (size_t)n);
    write_file(flows, data + 1, size - 1);
    load(config);
    unlink(config);
    unlink(flows);
    rmdir(folder);
    return 0;
}
