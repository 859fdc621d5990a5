/* Doing what is missing: the folder, its lock, and processes at work. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/assert.h"
#include "core/config/config.h"
#include "core/file.h"
#include "core/none.h"
#include "core/text.h"
#include "experiment/lists.h"
#include "study/compare/study.h"

#define WORDS  (12 + 2 * ORR_LISTS)
#define TICK_S 0.5

/* A trial that is to be done. */
struct work {
    struct orr_study_cell *cell;
    uint32_t trial; /* index in it */
    double seconds;
    uint32_t order; /* among equals */
    int id;         /* of its process; 0: not started */
};

/* Runs that are to be done, and processes at work. */
struct crew {
    struct orr_compare *c;
    const struct orr_compare_runner *r;
    struct work *work;
    uint32_t n, next;  /* works; the next to start */
    uint32_t *running; /* works, r->jobs of them at most */
    uint32_t n_running;
    double began_s, planned_s, done_s; /* wall; CPU as estimated */
    struct orr_compare_count count;    /* kept up to date */
    struct orr_report *why;
};

/* ---- folders ------------------------------------------------------------ */

static orr_err make_runs(const struct orr_compare *c, struct orr_report *why)
{
    char *runs = orr__format("%s/runs", c->folder);
    orr_err err =
        runs ? orr__make_folder(c->folder, NULL, why) : orr__no_memory(why);
    if (!err)
        err = orr__make_folder(runs, NULL, why);
    orr__free(runs);
    return err;
}

/* A lock on a file of that name; *fd stays open as long as it is held. */
static orr_err lock_file(const struct orr_compare *c, const char *name, int how,
                         int *fd, struct orr_report *why)
{
    char *path = orr__format("%s/%s", c->folder, name);
    if (!path)
        return orr__no_memory(why);
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int reason = errno;
    orr__free(path);
    if (*fd < 0)
        return orr__fail(why, ORR_EIO, "cannot write %s/%s: %s", c->folder,
                         name, strerror(reason));
    if (flock(*fd, how | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return ORR_OK; /* a file system without locks is no reason to fail */
    orr_err err = orr__fail(why, ORR_ECONFIG,
                            "%s: another `orrery compare` is "
                            "at work there",
                            c->folder);
    orr__hint(why, "wait for it, or give this one a folder of its own: "
                   "-o DIR");
    return err;
}

/* One that was killed while it wrote these has left a file beside one: under
 * another name than ours, it would stay for ever. Nobody else is in the
 * folder. */
static void sweep_leftovers(const struct orr_compare *c)
{
    static const char *const written[] = {"table.csv.", "table.md.",
                                          "study.json."};
    static const char end[] = ".partial";
    DIR *d = opendir(c->folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
            size_t n = strlen(written[i]), all = strlen(e->d_name);
            if (all >= n + sizeof end - 1
                && strncmp(e->d_name, written[i], n) == 0
                && strcmp(e->d_name + all - (sizeof end - 1), end) == 0)
                (void)unlinkat(dirfd(d), e->d_name, 0);
        }
    if (d)
        closedir(d);
}

/* The parts of one study may share a folder, but no two do the same part. */
orr_err orr__compare_lock(struct orr_compare *c, struct orr_report *why)
{
    char name[64];
    orr_err err = make_runs(c, why);
    if (!err)
        err = lock_file(c, ".lock", c->shards ? LOCK_SH : LOCK_EX, &c->lock[0],
                        why);
    if (!err && !c->shards)
        sweep_leftovers(c);
    if (err || !c->shards)
        return err;
    snprintf(name, sizeof name, ".lock.%u-%u", c->shard, c->shards);
    return lock_file(c, name, LOCK_EX, &c->lock[1], why);
}

/* What an earlier try has left would be taken for what this one leaves. */
static void clear_folder(const char *folder)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (e->d_name[0] != '.')
            (void)unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
}

/* Without waiting for the disk: it is written again before each start. anew:
 * nothing else may be in the folder. */
static orr_err write_config(const struct orr_compare *c,
                            const struct orr_study_cell *cell,
                            const struct orr_trial *t, bool anew,
                            struct orr_report *why)
{
    char *path = orr__trial_path(c->folder, t, "config.yaml");
    char *folder = orr__trial_path(c->folder, t, "");
    bool made = false;
    orr_err err = path && folder ? orr__make_folder(folder, &made, why)
                                 : orr__no_memory(why);
    if (!err && anew && !made)
        clear_folder(folder);
    FILE *f = err ? NULL : fopen(path, "we");
    bool fine = f != NULL;
    if (f) {
        fine = fprintf(f, "%s%s%lld%s", ORR_EFFECTIVE, cell->before,
                       (long long)t->seed, cell->after)
               >= 0;
        fine = fclose(f) == 0 && fine;
    }
    if (!err && !fine && errno == ENOMEM)
        err = orr__no_memory(why);
    else if (!err && !fine)
        err = orr__fail(why, ORR_EIO, "cannot write %s: %s", path,
                        strerror(errno));
    orr__free(path);
    orr__free(folder);
    return err;
}

/* ---- commands ----------------------------------------------------------- */

/* Words of the command of a run; free the paths with free_words. */
struct words {
    const char *word[WORDS];
    char *path[4];
    const char *whole[ORR_LISTS + 1];
    struct orr_compare_files files; /* the same */
};

static void free_words(struct words *w)
{
    for (int i = 0; i < 4; i++)
        orr__free(w->path[i]);
}

/* A list that measures go through has to be there to its end. */
static bool is_measured(const struct orr_compare *c, const char *list)
{
    bool all;
    for (uint32_t i = 0; i < c->measured; i++)
        if (orr__list_on_path(list, c->measure[i].path, &all))
            return true;
    return false;
}

/* The command line of a run; free_words() frees it. Its files have relative
 * names, below the study's folder. */
static orr_err make_words(const struct orr_compare *c,
                          const struct orr_trial *t, const char *program,
                          struct words *w, struct orr_report *why)
{
    static const char *const name[] = {"config.yaml", "summary.json", "run.h5",
                                       "log"};
    bool here = strcmp(c->config_folder, ".") == 0;
    size_t n = 0;
    *w = (struct words){.word = {NULL}};
    for (int i = 0; i < 4; i++) {
        w->path[i] = orr__trial_path(c->folder, t, name[i]);
        if (!w->path[i]) {
            free_words(w);
            return orr__no_memory(why);
        }
    }
    const char *const word[] = {
        program,    "run",      w->path[0],
        "--quiet",  "--folder", here ? "." : c->config_folder,
        "--json",   w->path[1], c->m.keep ? "--output" : NULL,
        w->path[2],
    };
    while (n < sizeof word / sizeof *word && word[n]) {
        w->word[n] = word[n];
        n++;
    }
    size_t lists = 0;
    for (size_t i = 0; i < ORR_LISTS; i++)
        if (is_measured(c, orr__list_paths[i])) {
            w->word[n++] = "--whole";
            w->word[n++] = w->whole[lists++] = orr__list_paths[i];
        }
    w->files = (struct orr_compare_files){
        .config = w->path[0],
        .folder = here ? "." : c->config_folder,
        .json = w->path[1],
        .records = c->m.keep ? w->path[2] : NULL,
        .log = w->path[3],
        .whole = w->whole,
    };
    return ORR_OK;
}

/* The same as a line for a shell. */
static orr_err add_command(struct orr_compare *c, const struct orr_trial *t,
                           const char *program, struct orr_text *text,
                           struct orr_report *why)
{
    struct words w;
    orr_err err = make_words(c, t, program, &w, why);
    if (err)
        return err;
    for (size_t i = 0; w.word[i]; i++) {
        orr__text_add(text, "%s", i ? " " : "");
        orr__text_shell(text, w.word[i]);
    }
    orr__text_add(text, " 2>");
    orr__text_shell(text, w.path[3]);
    orr__text_add(text, "\n");
    free_words(&w);
    return ORR_OK;
}

/* ---- what is to be done ------------------------------------------------- */

/* Longest first; as the study has them among equals. */
static int by_length(const void *a, const void *b)
{
    const struct work *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool in_shard(const struct orr_compare *c, uint32_t order)
{
    return c->shards == 0 || order % c->shards == c->shard - 1;
}

/* Different variants may come to the same configuration, and then are one run:
 * the first of its name in the list does it. */
static orr_err drop_twins(struct work *w, uint32_t *n, struct orr_report *why)
{
    struct orr_names names = {.slot = NULL};
    uint32_t kept = 0;
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < *n && !err; i++) {
        const char *hash = w[i].cell->trial[w[i].trial].hash;
        if (orr__names_find(&names, hash) != ORR_NONE)
            continue;
        if (!orr__names_add(&names, hash, i))
            err = orr__no_memory(why);
        w[kept++] = w[i];
    }
    orr__names_fini(&names);
    *n = kept;
    return err;
}

/* Gives those that were left out what their twins came to. */
static orr_err share_outcome(struct orr_compare *c, struct orr_trial *t,
                             const struct orr_trial *twin,
                             struct orr_report *why)
{
    if (twin->value) {
        orr_err err = orr__outcome_room(c, t, why);
        if (err)
            return err;
        memcpy(t->value, twin->value, 2 * c->measures * sizeof *t->value);
    }
    if (twin->reason && !(t->reason = orr__strdup(twin->reason)))
        return orr__no_memory(why);
    orr__doubt_fini(&t->doubt);
    if (orr__doubt_copy(&t->doubt, &twin->doubt))
        return orr__no_memory(why);
    t->state = twin->state;
    t->cpu_s = twin->cpu_s;
    return ORR_OK;
}

/* Equal configurations are run once: cells of one hash get one outcome. */
static orr_err share_outcomes(struct orr_compare *c, const struct work *w,
                              uint32_t n, struct orr_report *why)
{
    struct orr_names names = {.slot = NULL};
    orr_err err = ORR_OK;
    for (uint32_t i = 0; i < n && !err; i++)
        if (!orr__names_add(&names, w[i].cell->trial[w[i].trial].hash, i))
            err = orr__no_memory(why);
    for (uint32_t i = 0; i < c->cells && !err; i++)
        for (uint32_t k = 0; k < c->cell[i].trials && !err; k++) {
            struct orr_trial *t = &c->cell[i].trial[k];
            uint32_t at = orr__names_find(&names, t->hash);
            if (t->state == ORR_TRIAL_MISSING && at != ORR_NONE)
                err = share_outcome(c, t, &w[at].cell->trial[w[at].trial], why);
        }
    orr__names_fini(&names);
    return err;
}

/* What is missing of this part; the parts take the works of a list of all in
 * turn. Free with orr__free. */
static orr_err list_work(struct orr_compare *c, struct work **out, uint32_t *n,
                         struct orr_report *why)
{
    uint32_t all = 0, kept = 0;
    for (uint32_t i = 0; i < c->cells; i++)
        all += c->cell[i].trials;
    struct work *w = orr__alloc(all, sizeof *w);
    if (!w)
        return orr__no_memory(why);
    all = 0;
    for (uint32_t i = 0; i < c->cells; i++)
        for (uint32_t t = 0; t < c->cell[i].trials; t++, all++)
            w[all] = (struct work){&c->cell[i], t, c->cell[i].seconds, all, 0};
    qsort(w, all, sizeof *w, by_length);
    *out = w;
    *n = all;
    orr_err err = drop_twins(w, n, why);
    all = *n;
    for (uint32_t i = 0; i < all; i++)
        if (in_shard(c, i)
            && w[i].cell->trial[w[i].trial].state == ORR_TRIAL_MISSING)
            w[kept++] = w[i];
    *n = kept;
    return err;
}

orr_err orr__compare_list(struct orr_compare *c, const char *program,
                          char **text, struct orr_report *why)
{
    struct orr_text t = {.s = NULL};
    struct work *w = NULL;
    uint32_t n = 0;
    orr_err err = list_work(c, &w, &n, why);
    orr__text_add(&t, "%s", "");
    for (uint32_t i = 0; i < n && !err; i++) {
        const struct orr_trial *trial = &w[i].cell->trial[w[i].trial];
        err = write_config(c, w[i].cell, trial, false, why);
        if (!err)
            err = add_command(c, trial, program, &t, why);
    }
    orr__free(w);
    *text = orr__text_done(&t);
    if (!err && !*text)
        err = orr__no_memory(why);
    if (err) {
        orr__free(*text);
        *text = NULL;
    }
    return err;
}

/* ---- processes ---------------------------------------------------------- */

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct orr_trial *trial_of(const struct work *w)
{
    return &w->cell->trial[w->trial];
}

/* Time left goes by CPU seconds as estimated, scaled by how the estimates
 * fared. */
static void report_progress(const struct crew *crew)
{
    const struct orr_compare_count n = crew->count;
    double gone = wall_clock() - crew->began_s;
    struct orr_compare_progress p = {
        .runs = n.runs,
        .done = n.ok + n.failed,
        .failed = n.failed,
        .running = crew->n_running,
        .left_s = -1,
    };
    if (crew->done_s > 0)
        p.left_s = gone * (crew->planned_s - crew->done_s) / crew->done_s;
    if (crew->r->progress)
        crew->r->progress(crew->r->arg, &p);
}

/* The next run: its configuration is written, its process started. */
static orr_err start_run(struct crew *crew)
{
    struct orr_compare *c = crew->c;
    struct work *w = &crew->work[crew->next];
    struct orr_trial *t = trial_of(w);
    struct words words;
    orr_err err = write_config(c, w->cell, t, true, crew->why);
    if (!err)
        err = make_words(c, t, crew->r->program, &words, crew->why);
    if (err)
        return err;
    w->id = crew->r->start(crew->r->arg, words.word, &words.files);
    ORR_ASSERT(crew->n_running < crew->r->jobs);
    free_words(&words);
    if (w->id < 0)
        return orr__fail(crew->why, ORR_EIO, "cannot start %s: %s",
                         crew->r->program, strerror(-w->id));
    t->state = ORR_TRIAL_RUNNING;
    crew->running[crew->n_running++] = crew->next++;
    return ORR_OK;
}

/* Interrupted, as the run says, or by this process: it is still to be done. */
static bool was_stopped(const struct crew *crew,
                        const struct orr_compare_ended *e)
{
    return e->status == 130
           || (crew->r->interrupt && *crew->r->interrupt && e->status != 0);
}

/* One process that ended, if one does within a tick; its outcome goes into the
 * journal. */
static orr_err await_run(struct crew *crew)
{
    struct orr_compare_ended e;
    if (!crew->r->wait(crew->r->arg, TICK_S, &e))
        return ORR_OK;
    for (uint32_t i = 0; i < crew->n_running; i++) {
        struct work *w = &crew->work[crew->running[i]];
        if (w->id != e.id)
            continue;
        crew->running[i] = crew->running[--crew->n_running];
        crew->done_s += w->seconds;
        trial_of(w)->state = ORR_TRIAL_MISSING;
        if (was_stopped(crew, &e))
            return ORR_OK;
        orr_err err = orr__outcome_take(crew->c, trial_of(w), &e, crew->why);
        crew->count.ok += trial_of(w)->state == ORR_TRIAL_OK;
        crew->count.failed += trial_of(w)->state == ORR_TRIAL_FAILED;
        return err;
    }
    return ORR_OK;
}

/* Ends all and waits for them. */
static void stop_all(struct crew *crew)
{
    struct orr_compare_ended e;
    for (uint32_t i = 0; i < crew->n_running; i++)
        crew->r->stop(crew->r->arg, crew->work[crew->running[i]].id);
    while (crew->n_running) {
        if (!crew->r->wait(crew->r->arg, TICK_S, &e))
            continue;
        for (uint32_t i = 0; i < crew->n_running; i++)
            if (crew->work[crew->running[i]].id == e.id) {
                trial_of(&crew->work[crew->running[i]])->state =
                    ORR_TRIAL_MISSING;
                crew->running[i] = crew->running[--crew->n_running];
                break;
            }
    }
}

static bool interrupted(const struct orr_compare_runner *r)
{
    return r->interrupt && *r->interrupt;
}

/* Until all are done, an error, or an interrupt; processes that are left are
 * stopped. */
static orr_err do_work(struct orr_compare *c,
                       const struct orr_compare_runner *r, struct work *work,
                       uint32_t n, struct orr_report *why)
{
    struct crew crew = {
        .c = c,
        .r = r,
        .work = work,
        .n = n,
        .why = why,
        .count = orr__compare_count(c),
        .began_s = wall_clock(),
        .running = orr__alloc(r->jobs, sizeof *crew.running),
    };
    orr_err err = crew.running ? ORR_OK : orr__no_memory(why);
    for (uint32_t i = 0; i < n; i++)
        crew.planned_s += work[i].seconds;
    while (!err && !interrupted(r) && (crew.next < n || crew.n_running)) {
        while (!err && crew.next < n && crew.n_running < r->jobs)
            err = start_run(&crew);
        report_progress(&crew);
        if (!err)
            err = await_run(&crew);
    }
    stop_all(&crew);
    if (!err)
        report_progress(&crew);
    if (!err && interrupted(r))
        err = orr__fail(why, ORR_EINTERRUPTED,
                        "interrupted; start it again to continue");
    orr__free(crew.running);
    return err;
}

/* ---- more seeds --------------------------------------------------------- */

/* Behind the largest seed that the study names, the same for all. */
static orr_err add_seeds(struct orr_compare *c, bool *added,
                         struct orr_report *why)
{
    int64_t last = 0;
    orr_err err = ORR_OK;
    *added = false;
    for (uint32_t i = 0; i < c->m.seeds; i++)
        last = c->m.seed[i] > last ? c->m.seed[i] : last;
    for (uint32_t i = 0; i < c->cells && !err; i++) {
        uint32_t more = orr__until_more(c, &c->cell[i]);
        for (uint32_t k = 0; k < more && !err; k++) {
            uint32_t behind = c->cell[i].trials - c->m.seeds + 1;
            err = orr__plan_trial(c, &c->cell[i], last + behind, why);
        }
        *added |= more > 0;
    }
    return err;
}

orr_err orr__compare_run(struct orr_compare *c,
                         const struct orr_compare_runner *r,
                         struct orr_report *why)
{
    orr_err err = orr__journal_open(&c->journal, c->folder, why);
    bool more = true;
    while (!err && more) {
        struct work *work = NULL;
        uint32_t n = 0;
        err = list_work(c, &work, &n, why);
        if (!err && n)
            err = do_work(c, r, work, n, why);
        if (!err)
            err = share_outcomes(c, work, n, why);
        orr__free(work);
        more = false;
        if (!err && c->m.until > 0 && c->shards == 0)
            err = add_seeds(c, &more, why);
    }
    return err;
}
