#include "study/titles.h"

#include <stdio.h>
#include <string.h>

#include "core/units.h"

enum { STEPS = 12, STEP = 64 }; /* of a path; what is longer is cut */

/* Words that are not what the key says. */
static const struct {
    const char *key, *word;
} words[] = {
    {"p50", "median"},
    {"sum", "total"},
    {"fct_ns", "completion time"},
    {"ecn_marks", "ECN marks"},
    {"pfc_pauses", "PFC pauses"},
    {"jain", "Jain's index"},
    {"bus_bps", "bus bandwidth"},
    {"algorithm_bps", "algorithm bandwidth"},
    {"goodput_bps", "goodput"},
    {"throughput_bps", "throughput"},
    {"sim_time_ns", "simulated time"},
};

/* Units at the end of a key, and the word that stands for them. */
static const struct {
    const char *end, *word;
} ends[] = {
    {"time_ns", "time"},
    {"_ns", " time"},
    {"_bps", " rate"},
    {"_bytes", ""},
};

static const char *const reducers[] = {"mean", "p50", "p95", "p99", "min",
                                       "max",  "sum", "p10", "p90"};

static bool is_reducer(const char *step)
{
    for (size_t i = 0; i < sizeof reducers / sizeof *reducers; i++)
        if (strcmp(step, reducers[i]) == 0)
            return true;
    return false;
}

/* A key as words: "max queue" of max_queue_bytes. */
static void add_words(struct orr_text *t, const char *key)
{
    size_t n = strlen(key);
    const char *word = "";

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(key, words[i].key) == 0) {
            orr__text_add(t, "%s", words[i].word);
            return;
        }
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t m = strlen(ends[i].end);

        if (n > m && strcmp(key + n - m, ends[i].end) == 0) {
            n -= m;
            word = ends[i].word;
            break;
        }
    }
    for (size_t i = 0; i < n; i++)
        orr__text_add(t, "%c", key[i] == '_' ? ' ' : key[i]);
    orr__text_add(t, "%s", word);
}

/* Steps of a path; how many. */
static size_t split_path(const char *path, char step[STEPS][STEP])
{
    size_t n = 0;

    while (*path && n < STEPS) {
        size_t k = strcspn(path, ".");

        snprintf(step[n++], STEP, "%.*s", (int)k, path);
        path += k + (path[k] == '.');
    }
    return n;
}

/* What the figure is of: "flows by size 10KB", "job a". */
static void add_owner(struct orr_text *t, char step[STEPS][STEP], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = strlen(step[i]);
        bool one = i + 1 < n && strcmp(step[i + 1], "*") != 0
                   && strcmp(step[i], "jobs") == 0;

        if (strcmp(step[i], "*") == 0)
            continue;
        orr__text_add(t, i ? " " : "");
        if (one && k)
            orr__text_add(t, "%.*s", (int)k - 1, step[i]);
        else
            add_words(t, step[i]);
    }
}

void orr__title_of_figure(struct orr_text *t, const char *path)
{
    char step[STEPS][STEP];
    size_t n = split_path(path, step);

    if (n > 1 && is_reducer(step[n - 1])) {
        add_words(t, step[--n]);
        orr__text_add(t, " ");
    }
    if (n == 0)
        return;
    add_words(t, step[--n]);
    if (n == 0 || (n == 1 && strcmp(step[0], "counters") == 0))
        return;
    orr__text_add(t, " of ");
    add_owner(t, step, n);
}

void orr__title_of_value(struct orr_text *t, const char *value)
{
    uint64_t u;
    int64_t time;
    size_t digits = strspn(value, "0123456789.");

    if (digits && value[digits] && value[digits] != ' '
        && (!orr__parse_rate(value, &u) || !orr__parse_size(value, &u)
            || !orr__parse_time(value, &time)))
        orr__text_add(t, "%.*s %s", (int)digits, value, value + digits);
    else
        orr__text_add(t, "%s", value);
}
