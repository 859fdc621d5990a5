/* Flows from a text file: lines `src dst bytes [start]`, # begins a comment.
 * bytes is a number or a size with a unit; start is a time with a unit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/flows_build.h"

struct params {
    const char *file;
    int64_t start;
};

static const struct orr_param params[] = {
    { "file", ORR_PARAM_TEXT, offsetof(struct params, file), NULL, NULL, NULL,
      NULL, "text file with lines `src dst bytes [start]`; a relative name "
      "starts at the configuration's folder" },
    { "start", ORR_PARAM_TIME, offsetof(struct params, start), "0s", NULL,
      NULL, NULL, "added to the start of each flow" },
    ORR_PARAM_END,
};

const struct orr_param *orr__flow_file_params(void)
{
    return params;
}

struct reader {
    struct orr_flow_list *list;
    const char *path;
    int line;
    char text[512]; /* the line, without its newline */
    int64_t offset_ps;
    struct orr_report *why;
};

static orr_err fail(struct reader *r, const char *at, const char *what)
{
    orr_err err = orr__fail_at(r->why, ORR_ECONFIG, r->path, r->line,
                               (int)(at - r->text) + 1, "%s", what);
    if (r->why && !r->why->excerpt[0])
        snprintf(r->why->excerpt, sizeof r->why->excerpt, "%.255s", r->text);
    return err;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* Copies the next word from *at into word; false at the end of the line.
 * *at is left after it, *begin where it starts. */
static bool next_word(const char **at, const char **begin, char *word,
                      size_t size)
{
    const char *p = *at;
    size_t n = 0;
    while (is_space(*p))
        p++;
    *begin = p;
    while (*p && *p != '#' && !is_space(*p)) {
        if (n + 1 < size)
            word[n++] = *p;
        p++;
    }
    word[n] = '\0';
    *at = p;
    return n > 0;
}

static orr_err read_host(struct reader *r, const char **at, uint32_t *host)
{
    char word[64], what[128];
    const char *begin;
    int64_t v;
    if (!next_word(at, &begin, word, sizeof word))
        return fail(r, begin, "a line is `src dst bytes [start]`");
    if (orr__parse_int(word, &v))
        return fail(r, begin, "a host is named by its number");
    uint32_t hosts = r->list->world->graph->hosts;
    if (v < 0 || v >= hosts) {
        snprintf(what, sizeof what,
                 "host %lld does not exist: hosts are 0 to %u", (long long)v,
                 hosts - 1);
        return fail(r, begin, what);
    }
    *host = (uint32_t)v;
    return ORR_OK;
}

static orr_err read_size(struct reader *r, const char **at, uint64_t *bytes)
{
    char word[64];
    const char *begin;
    int64_t v;
    if (!next_word(at, &begin, word, sizeof word))
        return fail(r, begin, "a line is `src dst bytes [start]`");
    if (!orr__parse_int(word, &v) && v >= 0) {
        *bytes = (uint64_t)v;
    } else {
        const char *wrong = orr__parse_size(word, bytes);
        if (wrong)
            return fail(r, begin, wrong);
    }
    if (*bytes > orr__flow_size_limit(r->list->world))
        return fail(r, begin, "a flow of more than 2^31 packets is too large");
    return ORR_OK;
}

static orr_err read_line(struct reader *r)
{
    const char *at = r->text, *begin, *second;
    char word[64];
    uint32_t src = 0, dst = 0;
    uint64_t bytes = 0;
    int64_t start = 0;
    if (!next_word(&at, &begin, word, sizeof word))
        return ORR_OK; /* blank, or a comment */
    at = r->text;
    orr_err err = read_host(r, &at, &src);
    second = at;
    if (err == ORR_OK)
        err = read_host(r, &at, &dst);
    if (err == ORR_OK)
        err = read_size(r, &at, &bytes);
    if (err != ORR_OK)
        return err;
    if (src == dst)
        return fail(r, second + strspn(second, " \t"),
                    "a flow from a host to itself uses no network");
    if (next_word(&at, &begin, word, sizeof word)) {
        const char *wrong = orr__parse_time(word, &start);
        if (wrong)
            return fail(r, begin, wrong);
    }
    if (next_word(&at, &begin, word, sizeof word))
        return fail(r, begin, "a line is `src dst bytes [start]`");
    return orr__flow_list_add(r->list, src, dst, bytes,
                              orr__time_add(start, r->offset_ps), r->why);
}

static orr_err read_lines(struct reader *r, FILE *f)
{
    while (fgets(r->text, sizeof r->text, f)) {
        size_t n = strlen(r->text);
        r->line++;
        if (n && r->text[n - 1] == '\n')
            r->text[n - 1] = '\0';
        else if (!feof(f))
            return fail(r, r->text, "the line is too long for a flow");
        orr_err err = read_line(r);
        if (err != ORR_OK)
            return err;
    }
    if (ferror(f))
        return orr__fail(r->why, ORR_EIO, "%s: %s", r->path, strerror(errno));
    return ORR_OK;
}

orr_err orr__flows_file(struct orr_flow_list *l, const struct orr_yaml *entry,
                        struct orr_report *why)
{
    struct orr_config *c = l->world->config;
    struct params p;
    struct orr_service_keys service = { NULL, 0, 1 };
    struct orr_param_set sets[] = {
        { params, &p },
        { orr__service_keys, &service },
    };
    orr_err err = orr__param_read(c, entry, "flows", sets, 2, why);
    if (err == ORR_OK)
        err = orr__flow_list_serve(l, &service, why);
    if (err != ORR_OK)
        return err;
    char *path = p.file[0] == '/'
                     ? orr__strdup(p.file)
                     : orr__format("%s/%s", orr__config_folder(c), p.file);
    if (!path)
        return orr__no_memory(why);
    FILE *f = fopen(path, "r");
    if (f) {
        struct reader r = {
            .list = l, .path = path, .offset_ps = p.start, .why = why,
        };
        err = read_lines(&r, f);
        fclose(f);
    } else {
        err = orr__yaml_fail(c, orr__yaml_get(entry, "file"), why, "%s: %s",
                             path, strerror(errno));
    }
    orr__free(path);
    return err;
}
