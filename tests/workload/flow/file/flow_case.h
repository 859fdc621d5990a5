/* Flow files from texts, for tests. */
#ifndef ORR_TESTS_WORKLOAD_FLOW_CASE_H
#define ORR_TESTS_WORKLOAD_FLOW_CASE_H

#include "core/units.h"
#include "tests/workload/small_workload.h"

/* Reads the text in this format; more goes into the entry. The world is to be
 * closed in any case. */
static inline orr_err try_flows(struct orr_world *w, const char *topology,
                                const char *format, const char *text,
                                const char *more, struct orr_report *why)
{
    char path[] = "/tmp/orrery-test-XXXXXX", yaml[2048];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    snprintf(yaml, sizeof yaml, "%sflows: [{file: %s, format: %s%s}]\n",
             topology, path, format, more);
    world_open(w, yaml);
    w->options.stop_ps = ORR_NEVER;
    *why = (struct orr_report){.code = ORR_OK};
    orr_err err = orr__flows_read(w, world_node(w, "flows"), why);
    if (strcmp(why->file, path) == 0)
        strcpy(why->file, "FILE");
    unlink(path);
    return err;
}

static inline void open_flows(struct orr_world *w, const char *topology,
                              const char *format, const char *text,
                              const char *more)
{
    struct orr_report why;
    if (try_flows(w, topology, format, text, more, &why) != ORR_OK)
        fail_msg("%s:%d:%d: %s", why.file, why.line, why.col, why.message);
}

static inline void assert_flow(const struct orr_world *w, uint32_t i,
                               uint32_t src, uint32_t dst, uint64_t bytes,
                               int64_t start)
{
    assert_true(w->flows && i < w->flows->count);
    const struct orr_flow *f = &w->flows->flow[i];
    assert_int_equal(f->src, src);
    assert_int_equal(f->dst, dst);
    assert_int_equal(f->bytes, bytes);
    assert_int_equal(f->start_ps, start);
}

/* A text and the report that refuses it, "FILE:LINE:COL: message". */
struct bad_case {
    const char *text, *report;
};

static inline void refuse(const char *topology, const char *format,
                          const char *more, const struct bad_case *cases,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct orr_world w;
        struct orr_report why;
        char said[2048];
        orr_err err =
            try_flows(&w, topology, format, cases[i].text, more, &why);
        snprintf(said, sizeof said, "%s:%d:%d: %s", why.file, why.line, why.col,
                 why.message);
        world_close(&w);
        assert_int_equal(err, ORR_ECONFIG);
        if (strcmp(said, cases[i].report) != 0)
            fail_msg("case %zu: \"%s\" instead of \"%s\"", i, said,
                     cases[i].report);
    }
}

#endif
