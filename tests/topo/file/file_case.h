/* Topology files from texts, for tests. Include cmocka's headers first. */
#ifndef ORR_TESTS_TOPO_FILE_CASE_H
#define ORR_TESTS_TOPO_FILE_CASE_H

#include "core/error.h"
#include "tests/topo/small_topology.h"

/* Builds from the text in this format, with more keys: ", key: value" or "". */
static inline orr_err try_format_with(const char *format, const char *text,
                                      const char *keys, struct orr_graph **g,
                                      struct orr_report *why)
{
    char yaml[256], *path = text_file(text);
    snprintf(yaml, sizeof yaml, "{kind: file, format: %s, file: %s%s}", format,
             path, keys);
    orr_err err = try_topology(yaml, g, why);
    /* Names are made at random: reports are compared without them. */
    char *at = strstr(why->message, path);
    if (at) {
        memcpy(at, "FILE", 4);
        memmove(at + 4, at + strlen(path), strlen(at + strlen(path)) + 1);
    }
    if (strcmp(why->file, path) == 0)
        strcpy(why->file, "FILE");
    unlink(path);
    free(path);
    return err;
}

static inline orr_err try_format(const char *format, const char *text,
                                 struct orr_graph **g, struct orr_report *why)
{
    return try_format_with(format, text, "", g, why);
}

static inline struct orr_graph *from_format(const char *format,
                                            const char *text)
{
    struct orr_graph *g;
    struct orr_report why;
    if (try_format(format, text, &g, &why) != ORR_OK)
        fail_msg("%s:%d:%d: %s", why.file, why.line, why.col, why.message);
    return g;
}

/* A text and the report that refuses it, "FILE:LINE:COL: message"; places in
 * the configuration are "t.yaml:...". */
struct bad_case {
    const char *text, *report;
};

static inline void refuse(const char *format, const struct bad_case *cases,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct orr_graph *g;
        struct orr_report why;
        char said[2048];
        assert_int_equal(try_format(format, cases[i].text, &g, &why),
                         ORR_ECONFIG);
        assert_null(g);
        snprintf(said, sizeof said, "%s:%d:%d: %s", why.file, why.line, why.col,
                 why.message);
        if (strncmp(said, "t.yaml:1:", 9) == 0)
            snprintf(said, sizeof said, "t.yaml: %s", why.message);
        if (strcmp(said, cases[i].report) != 0)
            fail_msg("case %zu: \"%s\" instead of \"%s\"", i, said,
                     cases[i].report);
    }
}

static inline void assert_line(const struct orr_graph *g, uint32_t l,
                               uint64_t bps, int64_t ps, double loss)
{
    assert_true(g->rate_bps[l] == bps);
    assert_true(g->delay_ps[l] == ps);
    assert_true(g->loss[l] == loss);
}

#endif
