/* Templates and arrivals from a few lines of YAML. */
#ifndef ORR_TESTS_COMING_H
#define ORR_TESTS_COMING_H

#include "tests/workload/cluster/small_cluster.h"

#include "tests/refused.h"
#include "workload/cluster/arrivals.h"

#define SEC  INT64_C(1000000000)
#define HOUR (3600 * SEC)

struct coming {
    struct orr_world world;
    struct orr_cluster c;
};

/* An iteration of template t takes (t + 1) ms alone, whatever its GPUs. */
static inline orr_err coming_alone(void *arg, uint32_t t, uint32_t gpus,
                                   double *iteration_ns, struct orr_report *why)
{
    *iteration_ns = (t + 1) * 1e6;
    return ORR_OK;
}

/* The keys `jobs` and `arrivals`, on RACKS (32 GPUs). */
static inline orr_err coming_read(struct coming *s, const char *yaml,
                                  const struct orr_job_trace_format *const *f,
                                  struct orr_report *why)
{
    char all[4096];
    assert_true(snprintf(all, sizeof all, RACKS "%s", yaml) < (int)sizeof all);
    world_open(&s->world, all);
    s->c = (struct orr_cluster){.world = &s->world,
                                .formats = f,
                                .node = orr__config_root(s->world.config)};
    orr_err err = orr__inventory_init(&s->c.inventory, s->world.graph, 1, why);
    if (err == ORR_OK)
        err = orr__templates_read(&s->c, world_node(&s->world, "jobs"), why);
    if (err == ORR_OK)
        err = orr__arrivals_read(&s->c, world_node(&s->world, "arrivals"),
                                 coming_alone, NULL, why);
    return err;
}

static inline void coming_open(struct coming *s, const char *yaml)
{
    struct orr_report why = {0};
    if (coming_read(s, yaml, NULL, &why) != ORR_OK)
        fail_msg("%s", why.message);
}

static inline void coming_close(struct coming *s)
{
    orr__inventory_fini(&s->c.inventory);
    world_close(&s->world);
}

/* Line 2 of the configuration is `jobs`, line 3 `arrivals`. */
struct bad_row {
    const char *jobs, *arrivals, *message;
    int line;
};

static inline void coming_refused(const struct bad_row *row, size_t n,
                                  const struct orr_job_trace_format *const *f)
{
    for (size_t i = 0; i < n; i++) {
        struct coming s;
        struct orr_report why = {0};
        char yaml[2048];
        snprintf(yaml, sizeof yaml, "jobs: %s\narrivals: %s\n", row[i].jobs,
                 row[i].arrivals);
        orr_err err = coming_read(&s, yaml, f, &why);
        assert_refused(
            err, &why,
            (struct refused){i, row[i].message, NULL, row[i].line, 0});
        assert_true(why.file[0]);
        coming_close(&s);
    }
}

#endif
