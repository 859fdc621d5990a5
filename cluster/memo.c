#include "cluster/memo.h"
#include "core/none.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/memory.h"
#include "core/read.h"
#include "core/table.h"
#include "core/text.h"
#include "experiment/cache.h"

/* Outcomes of sets by their keys; those of a set lie side by side. */
struct orr_memo {
    struct orr_table by_key; /* of the first outcome */
    struct orr_outcome *outcome;
    uint32_t *length; /* per outcome: if it is the first, of all */
    uint32_t n, outcome_room, length_room;
    uint32_t kept, damaged; /* outcomes of the file; lines of it left out */
    FILE *file;             /* that is added to; NULL: none */
};

/* The outcomes of a set, if they are not known already. */
static orr_err enter_item(struct orr_memo *m, uint64_t key, uint32_t n,
                          const struct orr_outcome *out)
{
    const size_t all = (size_t)m->n + n;
    if (!orr__array_room(m->outcome, m->outcome_room, all)
        || !orr__array_room(m->length, m->length_room, all))
        return ORR_ENOMEM;
    if (orr__table_find(&m->by_key, key) != ORR_NONE)
        return ORR_OK;
    if (!orr__table_add(&m->by_key, key, m->n))
        return ORR_ENOMEM;
    memcpy(m->outcome + m->n, out, n * sizeof *out);
    m->length[m->n] = n;
    m->n += n;
    return ORR_OK;
}

/* ---- the file ------------------------------------------------------------ */

/* A line for each job: numbers as hexadecimal fractions, so that they are the
 * same to the last bit. The key and the number of jobs are in each. Then when
 * iterations ended, one after another, and the check sum of all that. */
#define LINE "%016" PRIx64 " %u %u %a %a %a %a %a %a %u %d %d %u %u"
enum { MOST_JOBS = 100000, FIELDS = 14 };

/* The check sum stands behind a space, and has so many digits. */
enum { SUM = 16 };

/* A line that there is no memory for is not written: no failure. */
static void write_line(FILE *f, uint64_t key, uint32_t n, uint32_t i,
                       const struct orr_outcome *o)
{
    struct orr_text t = {0};
    orr__text_add(&t, LINE, key, n, i, o->iteration_ps, o->half, o->compute_ps,
                  o->marks, o->resent, o->bytes, o->iterations, o->settled,
                  o->exact, o->each, o->ends);
    for (uint32_t k = 0; k < o->ends; k++)
        orr__text_add(&t, " %" PRId64, o->end_ps[k]);
    char *line = orr__text_done(&t);
    if (line)
        fprintf(f, "%s %016" PRIx64 "\n", line,
                orr__cache_sum(line, strlen(line)));
    orr__free(line);
}

/* Takes the check sum off a line; false: it does not fit. */
static bool check_sum(char *line, size_t length)
{
    char *end;
    if (length <= SUM + 1 || line[length - SUM - 1] != ' '
        || strlen(line) != length)
        return false;
    char *at = line + length - SUM;
    uint64_t sum = strtoull(at, &end, 16);
    line[length - SUM - 1] = '\0';
    return end == at + SUM && sum == orr__cache_sum(line, length - SUM - 1);
}

/* Ends, ascending, and no more than these. */
static bool parse_ends(const char *at, struct orr_outcome *o)
{
    int64_t before = 0;
    for (uint32_t k = 0; k < o->ends; k++) {
        char *end;
        o->end_ps[k] = strtoll(at, &end, 10);
        if (end == at || o->end_ps[k] <= before)
            return false;
        before = o->end_ps[k];
        at = end;
    }
    return *at == '\0';
}

/* One outcome: the i-th of the n of a set. False: no such line. */
static bool parse_line(const char *line, uint64_t *key, uint32_t *n,
                       uint32_t *i, struct orr_outcome *o)
{
    int settled, exact, ends = 0;
    int got = sscanf(line,
                     "%" SCNx64 " %u %u %la %la %la %la %la %la %u %d %d"
                     " %u %u%n",
                     key, n, i, &o->iteration_ps, &o->half, &o->compute_ps,
                     &o->marks, &o->resent, &o->bytes, &o->iterations, &settled,
                     &exact, &o->each, &o->ends, &ends);
    if (got != FIELDS)
        return false;
    o->settled = settled;
    o->exact = exact;
    return o->iteration_ps > 0 && *n > 0 && *n <= MOST_JOBS && o->each > 0
           && o->ends <= ORR_ENDS && parse_ends(line + ends, o);
}

/* A constellation, line by line. */
struct gathering {
    struct orr_outcome *set;
    uint32_t room, at;
    uint64_t key;
};

/* Sets are entered when all of their outcomes are there, which follow one
 * another. */
static orr_err take_line(struct orr_memo *m, struct gathering *g, uint64_t key,
                         uint32_t n, const struct orr_outcome *o)
{
    if (!orr__array_room(g->set, g->room, n))
        return ORR_ENOMEM;
    ORR_ASSERT(g->at < n);
    g->set[g->at++] = *o;
    g->key = key;
    if (g->at < n)
        return ORR_OK;
    g->at = 0;
    return enter_item(m, key, n, g->set);
}

/* Those that are whole: what was cut off, and what is not ours, is left out. */
static orr_err recall_all(struct orr_memo *m, struct orr_lines *from)
{
    struct gathering g = {.at = 0};
    struct orr_outcome o;
    char *line;
    uint64_t key;
    uint32_t n, i;
    orr_err err = ORR_OK;
    while (!err && (line = orr__lines_next(from))) {
        if (!from->length) /* a run began here */
            continue;
        bool good = from->ended && check_sum(line, from->length)
                    && parse_line(line, &key, &n, &i, &o);
        m->damaged += !good;
        if (good && i == 0)
            g.at = 0;
        if (good && i == g.at && i < n && (i == 0 || key == g.key))
            err = take_line(m, &g, key, n, &o);
        else
            g.at = 0;
    }
    orr__free(g.set);
    m->kept = m->n;
    return err;
}

/* ---- the door ------------------------------------------------------------ */

orr_err orr__memo_open(const char *file, struct orr_memo **out,
                       struct orr_report *why)
{
    struct orr_memo *m = *out = orr__alloc(1, sizeof *m);
    orr_err err = m ? ORR_OK : ORR_ENOMEM;
    if (!err && file) {
        struct orr_lines old;
        int wrong = orr__lines_open(&old, file, SIZE_MAX / 2);
        err = wrong == ENOMEM ? ORR_ENOMEM : ORR_OK;
        if (!wrong)
            err = recall_all(m, &old);
        orr__lines_fini(&old);
    }
    if (!err && file) {
        /* what was cut off ends here */
        m->file = fopen(file, "a");
        if (m->file)
            fputs("\n", m->file);
    }
    return err ? orr__no_memory(why) : ORR_OK;
}

bool orr__memo_has(const struct orr_memo *m, uint64_t key, uint32_t n)
{
    uint32_t at = orr__table_find(&m->by_key, key);
    return at != ORR_NONE && m->length[at] == n;
}

bool orr__memo_kept(const struct orr_memo *m, uint64_t key)
{
    return orr__table_find(&m->by_key, key) < m->kept;
}

uint32_t orr__memo_damaged(const struct orr_memo *m)
{
    return m->damaged;
}

bool orr__memo_find(const struct orr_memo *m, uint64_t key, uint32_t n,
                    struct orr_outcome *out)
{
    uint32_t at = orr__table_find(&m->by_key, key);
    if (at == ORR_NONE || m->length[at] != n)
        return false;
    memcpy(out, m->outcome + at, n * sizeof *out);
    return true;
}

orr_err orr__memo_add(struct orr_memo *m, uint64_t key, uint32_t n,
                      const struct orr_outcome *out, struct orr_report *why)
{
    if (enter_item(m, key, n, out) != ORR_OK)
        return orr__no_memory(why);
    ORR_ASSERT(n <= MOST_JOBS);
    for (uint32_t i = 0; m->file && i < n; i++)
        write_line(m->file, key, n, i, &out[i]);
    if (m->file)
        fflush(m->file);
    return ORR_OK;
}

void orr__memo_close(struct orr_memo *m)
{
    if (!m)
        return;
    if (m->file)
        fclose(m->file);
    orr__table_fini(&m->by_key);
    orr__free(m->outcome);
    orr__free(m->length);
    orr__free(m);
}
