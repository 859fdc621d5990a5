#include "experiment/profile_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/apart.h"
#include "core/memory.h"
#include "core/text.h"
#include "record/record_read.h"

/* What is read of one; all columns of a group have the same length. */
struct kept {
    char *job, **name;
    uint32_t *link, *parallel, *of;
    int64_t *at, *span;
    uint64_t *rate;
    uint64_t links, phases, iteration, compute;
};

/* Owned by the caller, also after a failure. ECONFIG: it has another length. */
static orr_err read_column(struct orr_reader *r, const char *path,
                           enum orr_record_type type, uint64_t wanted,
                           void *out, struct orr_report *why)
{
    void *values = NULL;
    uint64_t n = 0;
    orr_err err = orr__reader_column(r, path, type, &values, &n, why);
    *(void **)out = values;
    if (!err && n != wanted)
        err = orr__fail(why, ORR_ECONFIG,
                        "%s: /%s is not as long as the "
                        "others of its group",
                        orr__reader_name(r), path);
    return err;
}

/* *k is to be given to kept_fini, however this ends. */
static orr_err read_kept(struct orr_reader *r, struct kept *k,
                         struct orr_report *why)
{
    if (!orr__reader_number(r, "/", "iteration_ps", &k->iteration)
        || !orr__reader_number(r, "/", "compute_ps", &k->compute)
        || orr__reader_shape(r, "phases/at", &k->phases) != 1)
        return orr__fail(why, ORR_ECONFIG,
                         "%s: this is no profile of "
                         "`orrery profile`",
                         orr__reader_name(r));
    orr_err err = orr__reader_text(r, "/", "job", &k->job, why);
    if (!err)
        err = orr__reader_texts(r, "links/name", &k->name, &k->links, why);
#define COLUMN(path, type, n, out)                                             \
    if (!err)                                                                  \
    err = read_column(r, path, ORR_RECORD_##type, n, &k->out, why)
    COLUMN("links/link", U32, k->links, link);
    COLUMN("links/parallel", U32, k->links, parallel);
    COLUMN("phases/link", U32, k->phases, of);
    COLUMN("phases/at", I64, k->phases, at);
    COLUMN("phases/for", I64, k->phases, span);
    COLUMN("phases/rate", U64, k->phases, rate);
#undef COLUMN
    return err;
}

/* All of it. */
static void kept_fini(struct kept *k)
{
    orr__reader_free_texts(k->name, k->links);
    orr__free(k->job);
    orr__free(k->link);
    orr__free(k->parallel);
    orr__free(k->of);
    orr__free(k->at);
    orr__free(k->span);
    orr__free(k->rate);
}

/* A link by the names of its nodes: an id would be another node's in another
 * topology. The name is taken apart. */
static void add_link(struct orr_text *t, const struct kept *k, uint64_t i)
{
    char *name = k->name[i], *arrow = strstr(name, " -> ");
    if (arrow)
        *arrow = '\0';
    orr__text_add(t, "  - {from: ");
    orr__text_quoted(t, name);
    orr__text_add(t, ", to: ");
    orr__text_quoted(t, arrow ? arrow + 4 : name);
    orr__text_add(t, ", parallel: %u, phases: [", k->parallel[i]);
    for (uint64_t p = 0; p < k->phases; p++)
        if (k->of[p] == k->link[i])
            orr__text_add(t,
                          "\n      {at: %" PRId64 "ps, for: %" PRId64
                          "ps, rate: %" PRIu64 "bps},",
                          k->at[p], k->span[p], k->rate[p]);
    orr__text_add(t, "]}\n");
}

/* YAML, as orr__profile_text writes it; NULL when out of memory. */
static char *make_text(const struct kept *k)
{
    struct orr_text t = {0};
    if (k->job) {
        orr__text_add(&t, "job: ");
        orr__text_quoted(&t, k->job);
        orr__text_add(&t, "\n");
    }
    orr__text_add(&t, "iteration: %" PRIu64 "ps\n", k->iteration);
    if (k->compute <= INT64_MAX) /* -1: not known */
        orr__text_add(&t, "compute: %" PRIu64 "ps\n", k->compute);
    orr__text_add(&t, k->links ? "links:\n" : "links: []\n");
    for (uint64_t i = 0; i < k->links; i++)
        add_link(&t, k, i);
    return orr__text_done(&t);
}

/* In the child: the record at *arg as YAML. */
static orr_err write_text(void *arg, FILE *out, struct orr_report *why)
{
    const char *const *path = arg;
    struct orr_reader *r = NULL;
    struct kept k = {0};
    char *text = NULL;
    orr_err err = orr__reader_open(*path, &r, why);
    if (!err)
        err = read_kept(r, &k, why);
    if (!err)
        err = orr__reader_sound(r, why);
    if (!err && !(text = make_text(&k)))
        err = orr__no_memory(why);
    if (!err)
        fputs(text, out);
    orr__free(text);
    kept_fini(&k);
    orr__reader_close(r);
    return err;
}

orr_err orr__profile_of_record(const char *path, char **text,
                               struct orr_report *why)
{
    struct orr_text made = {.s = NULL};
    size_t n = strlen(path);
    *text = NULL;
    if (n < 3 || strcmp(path + n - 3, ".h5") != 0)
        return ORR_OK;
    /* in a child, for a file that may be damaged */
    const struct orr_apart a = {
        .work = write_text,
        .arg = &path,
        .take = orr__apart_take_text,
        .to = &made,
        .file = path,
    };
    orr_err err = orr__run_apart(&a, why);
    if (err)
        orr__free(made.s);
    else if (!(*text = orr__text_done(&made)))
        err = orr__no_memory(why);
    return err;
}
