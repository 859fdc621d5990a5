/* SimAI workloads, and ASTRA-sim's with a system file, as jobs: a program that
 * fits the ranks, or a failure that says something. Of the first byte the
 * lowest bits choose the ranks, the others the format and the collectives. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "experiment/experiment.h"
#include "orrery/orrery.h"
#include "workload/job/job.h"
#include "workload/program/program.h"

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

static void check(const struct orr_world *w)
{
    const struct orr_program *p = orr__job_program(&w->jobs[0]);
    for (uint32_t i = 0; i < p->calls; i++) {
        const struct orr_call *c = &p->call[i];
        require(c->c.n > 1 && c->c.ops && p->ranks % c->c.n == 0, "call", "");
        require(!c->stride || p->ranks % (c->stride * c->c.n) == 0, "stride",
                "");
        require(c->c.local == 0 || c->c.n % c->c.local == 0, "local", "");
    }
    for (uint32_t i = 0; i < p->ops; i++)
        require(p->op[i].kind != ORR_OP_COMPUTE || p->op[i].time_ps >= 0,
                "time", "");
}

static void load(const char *path)
{
    struct orr_options o = {.no_output = true};
    struct orr_report why = {.code = ORR_OK};
    orr_experiment *x = NULL;
    orr_err err = orr_experiment_load(path, &o, &x, &why);
    if (err != ORR_OK) {
        require(why.message[0] != '\0', "no message", "");
        require(err == ORR_ECONFIG || err == ORR_ENOMEM, "code", why.message);
        return;
    }
    check(orr__experiment_world(x));
    orr_experiment_free(x);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char system[] = "scheduling-policy: LIFO\n"
                                 "preferred-dataset-splits: 2\n";
    char folder[] = "/tmp/orrery-fuzz-XXXXXX";
    char config[64], workload[64], sys[64], text[400];
    if (size == 0 || size > 16384)
        return -1;
    require(mkdtemp(folder) != NULL, "mkdtemp", folder);
    snprintf(config, sizeof config, "%s/c.yaml", folder);
    snprintf(workload, sizeof workload, "%s/w", folder);
    snprintf(sys, sizeof sys, "%s/s", folder);
    int n = snprintf(
        text, sizeof text,
        "topology: {kind: switch, hosts: 16, link: {rate: 1Gbps, delay: 1us}}"
        "\nrecord: none\njobs: [{ranks: %u, trace: {format: %s, workload: w, "
        "%s}}]\n",
        2u << (data[0] & 3), data[0] & 4 ? "astra" : "simai",
        data[0] & 4   ? "system: s"
        : data[0] & 8 ? "algorithm: tree, gpus_per_server: 4"
                      : "gpus_per_server: 2");
    write_file(config, text, (size_t)n);
    write_file(workload, data + 1, size - 1);
    write_file(sys, system, sizeof system - 1);
    load(config);
    unlink(config);
    unlink(workload);
    unlink(sys);
    rmdir(folder);
    return 0;
}
