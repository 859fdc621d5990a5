/* A world from a few lines of YAML, for tests of what is read into it, and an
 * experiment from the same, for tests of what it does. */
#ifndef ORR_TESTS_SMALL_WORKLOAD_H
#define ORR_TESTS_SMALL_WORKLOAD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "core/config/config.h"
#include "core/memory.h"
#include "experiment/experiment.h"
#include "net/config/config.h"
#include "net/net.h"
#include "topo/graph.h"
#include "workload/flow/flows.h"
#include "workload/world.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* 16 hosts, 100 Gbps and 1 us everywhere */
#define FAT_TREE                                                               \
    "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}\n"
#define SWITCH                                                                 \
    "topology: {kind: switch, hosts: 4, link: {rate: 8Gbps, delay: 1us}}\n"

/* Graph and network configuration are there; nothing runs. */
static inline void world_open(struct orr_world *w, const char *yaml)
{
    struct orr_report why = {0};
    *w = (struct orr_world){.seed = 1, .options.workers = 1};
    orr_err err =
        orr__config_parse("test.yaml", yaml, strlen(yaml), &w->config, &why);
    if (err == ORR_OK) {
        const struct orr_yaml *root = orr__config_root(w->config);
        struct orr_graph *graph = NULL;
        err = orr__graph_build(w->config, orr__yaml_get(root, "topology"), 1,
                               &graph, &why);
        w->graph = graph;
        if (err == ORR_OK)
            err = orr__net_config_read(
                w->config, orr__yaml_get(root, "network"), &w->draft, &why);
        w->net_config = &w->draft->config;
    }
    if (err != ORR_OK)
        fail_msg("%s", why.message);
}

static inline void world_close(struct orr_world *w)
{
    orr__flows_free(w);
    orr__graph_free(w->graph);
    orr__config_free(w->config);
}

static inline const struct orr_yaml *world_node(const struct orr_world *w,
                                                const char *key)
{
    return orr__yaml_get(orr__config_root(w->config), key);
}

/* An experiment from text, through a file of its own that is gone again. */
static inline orr_err experiment_load(const char *yaml,
                                      const struct orr_options *options,
                                      orr_experiment **x,
                                      struct orr_report *why)
{
    char path[] = "/tmp/orrery-test-XXXXXX.yaml";
    int fd = mkstemps(path, 5);
    assert_true(fd >= 0);
    size_t n = strlen(yaml);
    assert_int_equal(write(fd, yaml, n), (ssize_t)n);
    close(fd);
    orr_err err = orr_experiment_load(path, options, x, why);
    unlink(path);
    return err;
}

/* The same, run to its end without a file of records. */
static inline orr_experiment *experiment_run(const char *yaml, unsigned threads)
{
    struct orr_report why = {0};
    struct orr_options o = {.no_output = true, .threads = threads};
    orr_experiment *x = NULL;
    orr_err err = experiment_load(yaml, &o, &x, &why);
    if (err == ORR_OK)
        err = orr_experiment_run(x, &why);
    if (err != ORR_OK)
        fail_msg("%s", why.message);
    return x;
}

#endif
