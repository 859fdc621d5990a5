/* Traces of jobs, of any format: whatever the text, jobs that can be, or a
 * failure with a place; then jobs of a small cluster, or the same. The first
 * byte chooses the format. Lingjun's three files are parts of the text that a
 * line of "---" divides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "formats/jobs/jobs.h"
#include "workload/cluster/placement/placement.h"
#include "workload/world.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int fine, const char *what, const char *detail)
{
    if (fine)
        return;
    fprintf(stderr, "%s: %s\n", what, detail);
    abort();
}

static void write_file(const char *folder, const char *name, const char *data,
                       size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    require(f && fwrite(data, 1, size, f) == size && fclose(f) == 0, "write",
            path);
}

/* job.csv, worker.csv and topo.csv: each up to the next line that divides. */
static void write_parts(const char *folder, const char *text, size_t size)
{
    static const char *const names[] = {"job.csv", "worker.csv", "topo.csv"};
    static const char divides[] = "\n---\n";
    size_t n = sizeof divides - 1;
    for (int i = 0; i < 3; i++) {
        const char *end = i < 2 && size ? memmem(text, size, divides, n) : NULL;
        size_t length = end ? (size_t)(end - text) + 1 : size;
        write_file(folder, names[i], text, length);
        size_t skip = end ? length + n - 1 : size;
        text += skip;
        size -= skip;
    }
}

static void check_failure(const struct orr_report *why, orr_err err)
{
    require(why->message[0] != '\0', "no message", "");
    require(err == ORR_ECONFIG || err == ORR_ENOMEM, "code", why->message);
    require(err == ORR_ENOMEM || why->line > 0 || !why->file[0], "no place",
            why->message);
}

static void read_rows(struct orr_config *c,
                      const struct orr_job_trace_format *format,
                      const char *path)
{
    struct orr_report why = {.code = ORR_OK};
    struct orr_job_trace t = {.n = 0};
    orr_err err = format->read(c, path, &t, &why);
    if (err)
        check_failure(&why, err);
    for (uint32_t i = 0; i < t.n && !err; i++)
        require(t.row[i].gpus > 0 && t.row[i].duration_ns >= 0
                    && t.row[i].line > 0,
                "a job that cannot be", format->name);
    orr__free(t.row);
}

static orr_err alone(void *arg, uint32_t template, uint32_t gpus,
                     double *iteration_ns, struct orr_report *why)
{
    *iteration_ns = 1e6;
    return ORR_OK;
}

static void check_jobs(const struct orr_cluster *c)
{
    for (uint32_t i = 0; i < c->arrivals.n; i++) {
        const struct orr_arrival *a = &c->arrivals.item[i];
        require(a->gpus > 0 && a->gpus <= c->inventory.gpus
                && a->template <c->templates && a->name, "a job that cannot be",
                                a->name ? a->name : "");
        require((a->iterations > 0) != (a->duration_ns > 0),
                "neither or both lengths", a->name);
        require(i == 0 || a->at_ns >= a[-1].at_ns, "out of order", a->name);
        for (uint32_t k = 0; a->hosts && k < a->gpus; k++)
            require(a->hosts[k] < c->inventory.gpus, "no such host", a->name);
    }
}

static void read_cluster(struct orr_config *config, struct orr_graph *graph)
{
    struct orr_report why = {.code = ORR_OK};
    const struct orr_yaml *root = orr__config_root(config);
    struct orr_world w = {.config = config, .graph = graph, .seed = 1};
    struct orr_cluster c = {
        .world = &w, .node = root, .formats = orr__job_trace_formats()};
    orr_err err = orr__inventory_init(&c.inventory, graph, 1, &why);
    if (!err)
        err = orr__templates_read(&c, orr__yaml_get(root, "jobs"), &why);
    if (!err)
        err = orr__arrivals_read(&c, orr__yaml_get(root, "arrivals"), alone,
                                 NULL, &why);
    if (err)
        check_failure(&why, err);
    else
        check_jobs(&c);
    orr__inventory_fini(&c.inventory);
}

static void run(const struct orr_job_trace_format *format, const char *path)
{
    char yaml[1024];
    struct orr_report why = {.code = ORR_OK};
    struct orr_config *c;
    struct orr_graph *graph = NULL;
    snprintf(yaml, sizeof yaml,
             "topology: {kind: switch, hosts: 4, link: {rate: 1Gbps, delay: "
             "1us}, servers: {gpus: 4, link: {rate: 1Gbps, delay: 1us}}}\n"
             "jobs: [{name: a, gpus: [1, 2], iterations: 5}, {name: b, gpus: "
             "4, duration: 1h}]\n"
             "arrivals: {trace: {file: %s, format: %s, sort: true, hosts: "
             "true, larger: leave-out, applications: {\"*\": a}}}\n",
             path, format->name);
    orr_err err = orr__config_parse("fuzz", yaml, strlen(yaml), &c, &why);
    require(err == ORR_OK, "the configuration", why.message);
    read_rows(c, format, path);
    err = orr__graph_build(c, orr__yaml_get(orr__config_root(c), "topology"), 1,
                           &graph, &why);
    require(err == ORR_OK, "the graph", why.message);
    read_cluster(c, graph);
    orr__graph_free(graph);
    orr__config_free(c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char folder[32], path[64];
    const struct orr_job_trace_format *const *all = orr__job_trace_formats();
    size_t formats = 0;
    if (size == 0)
        return 0;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/orrery-fuzz-XXXXXX");
        require(mkdtemp(folder) != NULL, "folder", folder);
        snprintf(path, sizeof path, "%s/job.csv", folder);
    }
    while (all[formats])
        formats++;
    const struct orr_job_trace_format *format = all[data[0] % formats];
    write_parts(folder, (const char *)data + 1, size - 1);
    if (strcmp(format->name, "lingjun") != 0)
        write_file(folder, "job.csv", (const char *)data + 1, size - 1);
    run(format, path);
    return 0;
}
