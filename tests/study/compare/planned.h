/* A study whose runs end as the test says: a runner that starts nothing, and
 * writes the summary of each run by its title and seed. */
#ifndef ORR_TESTS_STUDY_COMPARE_PLANNED_H
#define ORR_TESTS_STUDY_COMPARE_PLANNED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "study/compare/compare.h"

/* What a run leaves; the first that fits counts. */
struct planned {
    const char *title;
    int seed;         /* 0: all */
    const char *json; /* NULL: it fails */
};

struct runner {
    const struct planned *plan;
    int last, started;
    int status[64]; /* by id; of those that have ended, -1 */
};

static char planned_folder[] = "/tmp/orrery-test-XXXXXX";

static inline int planned_enter(void **state)
{
    return mkdtemp(planned_folder) && chdir(planned_folder) == 0 ? 0 : -1;
}

static inline int planned_leave(void **state)
{
    char command[64];
    snprintf(command, sizeof command, "rm -r %s", planned_folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

/* What stands behind a key of a run's configuration. */
static inline void planned_value(const char *file, const char *key, char *value)
{
    char line[256];
    FILE *f = fopen(file, "r");
    assert_non_null(f);
    *value = '\0';
    while (!*value && fgets(line, sizeof line, f))
        if (strncmp(line, key, strlen(key)) == 0)
            sscanf(line + strlen(key), ": %31[^\n]", value);
    fclose(f);
}

static inline int planned_start(void *arg, const char *const *argv,
                                const struct orr_compare_files *files)
{
    struct runner *r = arg;
    char title[32], seed[32];
    const struct planned *p = r->plan;
    planned_value(argv[2], "title", title);
    planned_value(argv[2], "seed", seed);
    while (strcmp(p->title, title) != 0 || (p->seed && p->seed != atoi(seed)))
        p++;
    for (size_t i = 0; p->json && argv[i]; i++)
        if (strcmp(argv[i], "--json") == 0) {
            FILE *f = fopen(argv[i + 1], "w");
            assert_non_null(f);
            fputs(p->json, f);
            fclose(f);
        }
    if (!p->json) {
        FILE *f = fopen(files->log, "w");
        assert_non_null(f);
        fputs("orrery: it broke\n", f);
        fclose(f);
    }
    r->started++;
    r->status[++r->last] = p->json ? 0 : 1;
    return r->last;
}

static inline bool planned_wait(void *arg, double seconds,
                                struct orr_compare_ended *e)
{
    struct runner *r = arg;
    for (int i = 1; i <= r->last; i++)
        if (r->status[i] >= 0) {
            *e = (struct orr_compare_ended){
                .id = i, .status = r->status[i], .cpu_s = 0.5};
            r->status[i] = -1;
            return true;
        }
    return false;
}

static inline void planned_stop(void *arg, int id)
{
}

/* The study of a text, with its runs done as planned; NULL: with none. */
static inline struct orr_compare *planned_study(const char *text,
                                                struct orr_compare_options o,
                                                struct runner *r)
{
    const struct orr_compare_runner runner = {
        .jobs = 2,
        .program = "orrery",
        .arg = r,
        .start = planned_start,
        .wait = planned_wait,
        .stop = planned_stop,
    };
    struct orr_report why = {.code = ORR_OK};
    struct orr_compare *c = NULL;
    FILE *f = fopen("p.yaml", "w");
    assert_non_null(f);
    fputs("topology: {kind: ring, hosts: 4, link: {rate: 1Gbps, delay: 1us}}\n"
          "flows: [{src: 0, dst: 1, size: 1KB}]\n",
          f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(system("rm -rf p.study"), 0);
    o.config = "p.yaml";
    o.keep = -1;
    if (orr__compare_open(&o, &c, &why) || orr__compare_lock(c, &why)
        || (r && orr__compare_run(c, &runner, &why)))
        fail_msg("%s", why.message);
    return c;
}

#endif
