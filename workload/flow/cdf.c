/* A distribution of sizes from a text file, as the traffic generators of HPCC
 * and of many ns-3 experiments read it: lines `bytes probability`, ascending,
 * the probability of a flow no larger than that as a share (the last is 1) or
 * in percent (the last is 100). # begins a comment. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "core/read.h"
#include "core/units.h"
#include "workload/flow/build.h"

#define MOST_POINTS 1000000u
#define MOST_BYTES  ((size_t)1 << 30)

/* The file while it is read. */
struct reader {
    const char *path;
    int line;
    const char *text; /* the line, without its newline */
    struct orr_size_point *point;
    size_t n, room;
    struct orr_report *why;
};

static orr_err fail_at_line(struct reader *r, const char *at, const char *what)
{
    orr_err err = orr__fail_at(r->why, ORR_ECONFIG, r->path, r->line,
                               (int)(at - r->text) + 1, "%s", what);
    if (r->why && !r->why->excerpt[0])
        snprintf(r->why->excerpt, sizeof r->why->excerpt, "%s", r->text);
    return err;
}

/* Copies the word at *at, which moves behind it and the blanks that follow;
 * longer ones are cut, and no number is as long. False: the line ends. */
static bool next_word(const char **at, char word[64])
{
    size_t n = strcspn(*at, " \t\r#");
    snprintf(word, 64, "%.*s", n < 64 ? (int)n : 63, *at);
    *at += n;
    *at += strspn(*at, " \t\r");
    return n > 0;
}

/* A size with a unit, or a number of bytes, "1460" or "1.5e6". */
static const char *read_bytes(const char *word, uint64_t *bytes)
{
    double v;
    if (!orr__parse_size(word, bytes))
        return NULL;
    if (orr__parse_real(word, &v))
        return "a number of bytes is expected";
    if (!(v >= 0 && v < 1e18))
        return "a size lies between 0 and 1e18 bytes";
    *bytes = (uint64_t)(v + 0.5);
    return NULL;
}

/* Points ascend in both, equal ones are steps. */
static orr_err add_point(struct reader *r, const char *at,
                         struct orr_size_point p)
{
    if (r->n
        && (p.bytes < r->point[r->n - 1].bytes
            || p.share < r->point[r->n - 1].share))
        return fail_at_line(r, at, "sizes and probabilities must not go down");
    if (r->n == MOST_POINTS)
        return fail_at_line(r, at, "more than a million points");
    if (!orr__array_more(r->point, r->room, r->n))
        return orr__no_memory(r->why);
    r->point[r->n++] = p;
    return ORR_OK;
}

/* Shares or percent: which one only the last line shows. */
static orr_err read_line(struct reader *r)
{
    const char *at = r->text + strspn(r->text, " \t\r"), *begin = at, *second;
    char word[64];
    const char *wrong;
    struct orr_size_point p;
    if (!next_word(&at, word))
        return ORR_OK; /* blank, or a comment */
    wrong = read_bytes(word, &p.bytes);
    if (wrong)
        return fail_at_line(r, begin, wrong);
    second = at;
    if (!next_word(&at, word))
        return fail_at_line(r, at, "a line is `bytes probability`");
    if (orr__parse_real(word, &p.share))
        return fail_at_line(r, second, "a probability is expected");
    if (!(p.share >= 0 && p.share <= 100))
        return fail_at_line(r, second,
                            "a probability lies between 0 and 1, or 0 and "
                            "100 in percent");
    if (next_word(&at, word))
        return fail_at_line(r, at, "a line is `bytes probability`");
    return add_point(r, begin, p);
}

/* The last probability says what they are shares of. */
static orr_err finish(struct reader *r)
{
    double whole = r->n ? r->point[r->n - 1].share : 0;
    if (r->n == 0)
        return orr__fail_at(r->why, ORR_ECONFIG, r->path, r->line + 1, 1,
                            "there are no lines `bytes probability`");
    if (whole != 1 && whole != 100)
        return fail_at_line(r, r->text,
                            "the last probability must be 1, or 100 in "
                            "percent");
    for (size_t i = 0; i < r->n; i++)
        r->point[i].share /= whole;
    return ORR_OK;
}

/* A zero byte would hide the rest of its line. */
static orr_err read_lines(struct reader *r, struct orr_lines *from)
{
    for (const char *line; (line = orr__lines_next(from));) {
        r->text = line;
        r->line++;
        orr_err err = strlen(r->text) == from->length
                          ? read_line(r)
                          : fail_at_line(r, r->text + strlen(r->text),
                                         "there is a zero byte in this line");
        if (err != ORR_OK)
            return err;
    }
    return finish(r);
}

orr_err orr__cdf_read(struct orr_config *c, const struct orr_yaml *at,
                      const char *name, struct orr_size_point **out, size_t *n,
                      struct orr_report *why)
{
    struct reader r = {.why = why};
    struct orr_lines lines;
    orr_err err;
    char *path = name[0] == '/'
                     ? orr__strdup(name)
                     : orr__format("%s/%s", orr__config_folder(c), name);
    if (!path)
        return orr__no_memory(why);
    r.path = path;
    int wrong = orr__lines_open(&lines, path, MOST_BYTES);
    if (wrong == ENOMEM)
        err = orr__no_memory(why);
    else if (wrong)
        err = orr__yaml_fail(c, at, why, "%s: %s", path, strerror(wrong));
    else
        err = read_lines(&r, &lines);
    orr__lines_fini(&lines);
    if (err != ORR_OK)
        orr__free(r.point);
    *out = err == ORR_OK ? r.point : NULL;
    *n = r.n;
    orr__free(path);
    return err;
}
