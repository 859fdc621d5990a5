#include "workload/program/pair_sizes_read.h"

#include <assert.h>
#include <string.h>

#include "core/memory.h"
#include "core/scan.h"
#include "core/text.h"
#include "core/units.h"

/* The map `sizes`. */
struct form {
    const struct orr_yaml *hot;
    double zipf; /* -1: not given */
};

/* The map `hot`. */
struct hot {
    int64_t rank;
    double share;
};

/* Has the group of a call so few members? What notes ask of it later. */
static const bool of_two = true, of_more = false;

static const bool *is_of_two(const struct orr_call *call)
{
    return call->c.n <= 2 ? &of_two : &of_more;
}

/* Of two each sends all to one other. */
static const char *has_one_other(const void *set, const void *around)
{
    const bool *two = around;

    return *two ? "in a group of two each sends all of `size` to the other"
                : NULL;
}

const struct orr_param orr__pair_sizes_params[] = {
    {
        .key = "zipf",
        .type = ORR_PARAM_REAL,
        .offset = offsetof(struct form, zipf),
        .fallback = "",
        .min = "0",
        .max = "10",
        .help = "exponent: the k-th rank of the group gets a part in "
                "proportion to 1 / k^zipf",
        .idle = has_one_other,
    },
    {
        .key = "hot",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct form, hot),
        .fallback = "",
        .help = "{rank, share}: one rank gets that share of what each other "
                "one sends",
        .idle = has_one_other,
    },
    ORR_PARAM_END,
};

const struct orr_param orr__hot_member_params[] = {
    {
        .key = "rank",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct hot, rank),
        .help = "the rank",
    },
    {
        .key = "share",
        .type = ORR_PARAM_REAL,
        .offset = offsetof(struct hot, share),
        .min = "0",
        .max = "1",
        .help = "its share of what each other rank sends; all other parts are "
                "equal",
    },
    ORR_PARAM_END,
};

static const char too_much[] = "the sum of all sizes is beyond 4 EiB";

/* ---- a matrix ------------------------------------------------------------ */

/* A matrix that is being read. */
struct matrix {
    struct orr_pair_sizes *s;
    uint64_t sum; /* at most ORR_PAIR_SIZES_MAX */
};

/* False: it is too much. */
static bool put_size(struct matrix *m, uint32_t from, uint32_t to,
                     uint64_t bytes)
{
    if (from == to)
        return true;
    if (bytes > ORR_PAIR_SIZES_MAX - m->sum)
        return false;
    m->sum += bytes;
    m->s->bytes[(size_t)from * m->s->n + to] = bytes;
    return true;
}

/* "4MiB", or a number of bytes; what is wrong with it, or NULL. */
static const char *parse_bytes(const char *text, uint64_t *bytes)
{
    int64_t plain;
    if (!text || !*text)
        return "a size like 4MiB or a number of bytes is expected";
    if (orr__parse_int(text, &plain))
        return orr__parse_size(text, bytes);
    *bytes = (uint64_t)plain;
    return plain < 0 ? "it is negative" : NULL;
}

/* Bytes to each member, n of them. */
static orr_err read_row(const struct orr_call_reader *r,
                        const struct orr_yaml *row, uint32_t from,
                        struct matrix *m, struct orr_report *why)
{
    uint32_t n = m->s->n;
    size_t entries = orr__yaml_is_list(row) ? orr__yaml_count(row) : 0;
    if (!orr__yaml_is_list(row))
        return orr__yaml_fail(r->c, row, why,
                              "%s.sizes: a row like [0, 64KiB] is expected",
                              r->verb);
    if (entries != n)
        return orr__yaml_fail(r->c, row, why,
                              "%s.sizes: row %u has %zu entries, and %u ranks "
                              "take part",
                              r->verb, from, entries, n);
    for (uint32_t to = 0; to < n; to++) {
        const struct orr_yaml *at = orr__yaml_item(row, to);
        const char *text = orr__yaml_text(r->c, at);
        uint64_t bytes = 0;
        const char *wrong = parse_bytes(text, &bytes);
        if (wrong)
            return orr__yaml_fail(r->c, at, why, "%s.sizes: \"%s\": %s",
                                  r->verb, text ? text : "?", wrong);
        if (!put_size(m, from, to, bytes))
            return orr__yaml_fail(r->c, at, why, "%s.sizes: %s", r->verb,
                                  too_much);
    }
    return ORR_OK;
}

/* n rows. *out is freed with the call, also after an error. */
static orr_err read_matrix(const struct orr_call_reader *r,
                           const struct orr_yaml *node, uint32_t n,
                           struct orr_pair_sizes **out, struct orr_report *why)
{
    orr_err err = ORR_OK;
    if (orr__yaml_count(node) != n)
        return orr__yaml_fail(r->c, node, why,
                              "%s.sizes: there are %zu rows, and %u ranks take "
                              "part",
                              r->verb, orr__yaml_count(node), n);
    struct matrix m = {.s = orr__pair_sizes_matrix(n)};
    if (!m.s)
        return orr__no_memory(why);
    *out = m.s;
    for (uint32_t i = 0; !err && i < n; i++)
        err = read_row(r, orr__yaml_item(node, i), i, &m, why);
    if (!err)
        orr__pair_sizes_finish(m.s);
    return err;
}

/* ---- a file -------------------------------------------------------------- */

/* As read_row, of a CSV file; errors at line and column. */
static orr_err scan_row(struct orr_scan *s, uint32_t from, struct matrix *m)
{
    int64_t bytes;
    uint32_t n = m->s->n, to = 0;
    for (; orr__scan_field(s); to++) {
        if (to == n)
            return orr__scan_fail(s,
                                  "more than %u sizes, and %u ranks take "
                                  "part",
                                  n, n);
        orr_err err = orr__scan_int(s, "a size", 0, INT64_MAX, &bytes);
        if (err)
            return err;
        if (!put_size(m, from, to, (uint64_t)bytes))
            return orr__scan_fail(s, "%s", too_much);
    }
    return to == n ? ORR_OK
                   : orr__scan_fail(s,
                                    "this line has %u sizes, and %u ranks "
                                    "take part",
                                    to, n);
}

/* As read_matrix, of a CSV file. */
static orr_err scan_rows(struct orr_scan *s, struct matrix *m)
{
    uint32_t n = m->s->n, from = 0;
    for (; orr__scan_line_on(s); from++) {
        if (from == n)
            return orr__scan_fail(s,
                                  "more than %u lines, and %u ranks take "
                                  "part",
                                  n, n);
        orr_err err = scan_row(s, from, m);
        if (err)
            return err;
    }
    return from == n ? ORR_OK
                     : orr__scan_fail(s,
                                      "there are %u lines, and %u ranks "
                                      "take part",
                                      from, n);
}

orr_err orr__pair_sizes_table(const char *path, const char *name, uint32_t n,
                              struct orr_pair_sizes **out,
                              struct orr_report *why)
{
    struct orr_scan s = {.why = why};
    struct matrix m = {.s = NULL};
    *out = NULL;
    orr_err err = orr__scan_open(&s, path, name, why);
    if (!err) {
        s.separator = ',';
        s.comment = '#';
        m.s = orr__pair_sizes_matrix(n);
        err = m.s ? scan_rows(&s, &m) : orr__no_memory(why);
    }
    orr__scan_fini(&s);
    if (err) {
        orr__pair_sizes_free(m.s);
        return err;
    }
    orr__pair_sizes_finish(m.s);
    *out = m.s;
    return ORR_OK;
}

/* Relative to the configuration; a file that cannot be opened is reported at
 * its key. */
static orr_err read_file(const struct orr_call_reader *r,
                         const struct orr_yaml *node, const char *file,
                         uint32_t n, struct orr_pair_sizes **out,
                         struct orr_report *why)
{
    const char *folder = orr__config_folder(r->c);
    char *path = file[0] == '/' || strcmp(folder, ".") == 0
                     ? orr__strdup(file)
                     : orr__format("%s/%s", folder, file);
    if (!path)
        return orr__no_memory(why);
    orr_err err = orr__pair_sizes_table(path, path, n, out, why);
    orr__free(path);
    /* what has no place yet could not be opened */
    return err == ORR_ECONFIG && why->line <= 0
               ? orr__yaml_place(r->c, node, err, why)
               : err;
}

/* ---- shares -------------------------------------------------------------- */

/* One rank of the group gets a share of what each sends. */
static orr_err read_hot(const struct orr_call_reader *r,
                        const struct orr_yaml *node,
                        const struct orr_call *call,
                        struct orr_pair_sizes **out, struct orr_report *why)
{
    struct hot h = {0};
    const struct orr_param_set set = {orr__hot_member_params, &h};
    orr_err err = orr__param_read(r->c, node, "hot", &set, 1, why);
    if (err)
        return err;
    uint32_t member = UINT32_MAX;
    if (h.rank >= 0 && h.rank < (int64_t)r->p->ranks)
        member = orr__call_member(r->p, call, (uint32_t)h.rank);
    if (member == UINT32_MAX)
        return orr__yaml_fail(r->c, orr__yaml_get(node, "rank"), why,
                              "hot.rank: rank %lld does not take part",
                              (long long)h.rank);
    *out = orr__pair_sizes_hot(call->c.n, member, h.share, call->bytes);
    return *out ? ORR_OK : orr__no_memory(why);
}

/* Zipf by member's number, or one hot member; both share out the call's
 * bytes. */
static orr_err read_shares(const struct orr_call_reader *r,
                           const struct orr_yaml *node,
                           const struct orr_call *call,
                           struct orr_pair_sizes **out, struct orr_report *why)
{
    struct form f = {NULL, -1};
    const struct orr_param_set set = {orr__pair_sizes_params, &f,
                                      is_of_two(call)};
    orr_err err = orr__param_read(r->c, node, "sizes", &set, 1, why);
    if (err)
        return err;
    if ((f.zipf < 0) == !f.hot)
        return orr__yaml_fail(r->c, node, why,
                              "%s.sizes: either `zipf` or `hot` is expected",
                              r->verb);
    if (f.hot)
        return read_hot(r, f.hot, call, out, why);
    *out = orr__pair_sizes_zipf(call->c.n, f.zipf, call->bytes);
    return *out ? ORR_OK : orr__no_memory(why);
}

/* ---- any of them --------------------------------------------------------- */

/* What does not go together with the sizes. */
static orr_err check_keys(const struct orr_call_reader *r,
                          const struct orr_yaml *node,
                          const struct orr_call *call, struct orr_report *why)
{
    const struct orr_yaml *size = orr__yaml_get(r->body, "size");
    if (!call->c.ops->unequal)
        return orr__yaml_fail(r->c, node, why,
                              "%s by %s has pieces of one size", r->verb,
                              call->c.ops->name);
    if (call->chunks != 1)
        return orr__yaml_fail(r->c, orr__yaml_get(r->body, "chunks"), why,
                              "%s.chunks: with `sizes` there is one", r->verb);
    if (!orr__yaml_is_map(node))
        return size ? orr__yaml_fail(r->c, size, why,
                                     "%s.size: `sizes` says what each rank "
                                     "sends",
                                     r->verb)
                    : ORR_OK;
    if (!size)
        return orr__yaml_fail(r->c, node, why,
                              "%s.size is missing: what a rank sends, of which "
                              "`sizes` gives shares",
                              r->verb);
    if (call->bytes > ORR_PAIR_SIZES_MAX / call->c.n)
        return orr__yaml_fail(r->c, size, why, "%s.size: %s", r->verb,
                              too_much);
    return ORR_OK;
}

orr_err orr__pair_sizes_read(const struct orr_call_reader *r,
                             const struct orr_draw_keys *draw,
                             struct orr_call *call, struct orr_report *why)
{
    const struct orr_yaml *node = orr__yaml_get(r->body, "sizes");
    struct orr_pair_sizes **out = &call->c.sizes;
    if (!node)
        return ORR_OK;
    orr_err err = check_keys(r, node, call, why);
    if (err)
        return err;
    const char *file =
        orr__yaml_is_scalar(node) ? orr__yaml_text(r->c, node) : NULL;
    if (orr__yaml_is_null(node) || (file && !*file))
        return orr__yaml_fail(r->c, node, why,
                              "%s.sizes: a matrix, the name of a file, {zipf: "
                              "...} or {hot: ...} is expected",
                              r->verb);
    if (orr__yaml_is_map(node))
        err = read_shares(r, node, call, out, why);
    else if (file)
        err = read_file(r, node, file, call->c.n, out, why);
    else
        err = read_matrix(r, node, call->c.n, out, why);
    if (err)
        return err;
    assert(*out); /* there is no failure */
    call->bytes = (*out)->most;
    (*out)->drawn = draw->each == ORR_EACH_RUN ? 0 : (uint32_t)draw->every;
    (*out)->key = r->p->calls;
    return ORR_OK;
}
