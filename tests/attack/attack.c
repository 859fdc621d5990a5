/* attack: tries random cases until the time or the number of them is over,
 * makes each that fails smaller, and puts it under tests/attack/found/. */
#include <errno.h>
#include <getopt.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "tests/attack/doors.h"
#include "tests/attack/draw.h"
#include "tests/attack/keys.h"

enum { MOST_WORKERS = 64 };

struct settings {
    uint64_t seed, cases, first;
    double seconds;
    unsigned workers, most_findings;
    const char *part, *found;
    bool show, few;
};

/* One worker's share: cases first, first + step, ... of all parts. */
struct share {
    const struct settings *s;
    unsigned number;
};

/* Case n as the parts share them out. */
static const struct part *part_of(const struct settings *s, uint64_t n)
{
    unsigned all = 0, at;

    for (size_t i = 0; orr__parts[i].name; i++) {
        if (s->part && !strcmp(s->part, orr__parts[i].name))
            return &orr__parts[i];
        all += orr__parts[i].share;
    }
    at = (unsigned)(n % all);
    for (size_t i = 0; orr__parts[i].name; i++) {
        if (at < orr__parts[i].share)
            return &orr__parts[i];
        at -= orr__parts[i].share;
    }
    return NULL;
}

static bool is_over(const struct settings *s, uint64_t n, time_t end)
{
    return (s->cases && n >= s->first + s->cases)
           || (s->seconds > 0 && time(NULL) >= end);
}

/* A worker: case after case until one fails. */
static void work(void *arg, struct post *p)
{
    const struct share *share = arg;
    const struct settings *s = share->s;
    time_t end = time(NULL) + (time_t)s->seconds;

    for (uint64_t n = p->at; !is_over(s, n, end); n += s->workers) {
        struct attack_case c = {0};
        struct limits l;

        p->at = n;
        orr__guard_begin(&l, s->few);
        if (part_of(s, n)->make(s->seed, n, &c))
            orr__door_try(&c, &l, orr__guard_folder(), &p->tally, &p->finding);
        free(c.bytes);
        if (p->finding.kind[0])
            return;
        p->done++;
    }
    p->at = UINT64_MAX;
}

/* ---- findings ------------------------------------------------------------ */

/* As a name for a file. */
static void slug(const char *kind, char *out, size_t size)
{
    size_t n = 0;

    for (; *kind && n + 1 < size; kind++)
        out[n++] =
            strchr("abcdefghijklmnopqrstuvwxyz0123456789", *kind) ? *kind : '-';
    out[n] = '\0';
}

/* found/KIND-HASH.DOOR; a configuration says in a comment what was found. */
static void save(const struct settings *s, const struct attack_case *c,
                 const struct finding *f)
{
    char path[512], kind[64];
    FILE *out;

    if (mkdir(s->found, 0777) && errno != EEXIST)
        printf("# %s: %s\n", s->found, strerror(errno));
    slug(f->kind, kind, sizeof kind);
    snprintf(path, sizeof path, "%s/%s-%08llx.%s", s->found, kind,
             (unsigned long long)(XXH3_64bits(c->bytes, c->size) & 0xffffffff),
             c->door);
    out = fopen(path, "wb");
    if (!out) {
        printf("# %s: %s\n", path, strerror(errno));
        return;
    }
    fwrite(c->bytes, 1, c->size, out);
    fclose(out);
    printf("# kept as %s\n", path);
}

/* The case, or the configuration whose reading ended the making of it: here
 * that would be the end of all. */
static bool case_again(const struct settings *s, const struct part *part,
                       uint64_t n, struct post *p, struct attack_case *c)
{
    if (!p->draft[0])
        return part->make(s->seed, n, c);
    snprintf(c->door, sizeof c->door, "yaml");
    c->bytes = strdup(p->draft);
    c->size = strlen(p->draft);
    p->draft[0] = '\0';
    return c->bytes != NULL;
}

static void tell(const struct settings *s, const struct part *part, uint64_t n,
                 struct post *p)
{
    const struct finding *f = &p->finding;
    struct attack_case c = {0};
    struct finding again = {{0}, {0}};

    printf("not ok - %s: case %llu of seed %llu: %s\n%s\n", part->name,
           (unsigned long long)n, (unsigned long long)s->seed, f->kind,
           f->detail);
    if (!case_again(s, part, n, p, &c))
        return;
    orr__guard_case(&c, NULL, &again);
    if (strcmp(again.kind, f->kind)) {
        printf("# by itself the case says: %s\n",
               again.kind[0] ? again.kind : "nothing");
    } else {
        orr__shrink(&c, f);
        orr__guard_case(&c, NULL, &again);
        printf("# made smaller (%s):\n%.*s\n%s\n", c.door, (int)c.size, c.bytes,
               again.detail);
        if (s->found)
            save(s, &c, f);
    }
    fflush(stdout);
    free(c.bytes);
}

/* ---- workers ------------------------------------------------------------- */

struct worker {
    struct share share;
    struct post *post;
    int pid;
};

static void add_tally(struct tally *sum, const struct tally *t)
{
#define ADD(name) sum->name += t->name;
    ORR_TALLY(ADD)
#undef ADD
}

/* A worker has ended: with a finding, or because it is over. */
static bool collect(const struct settings *s, struct worker *w, int status)
{
    uint64_t n = w->post->at;

    orr__guard_ended(status, w->post, w->share.number);
    if (!w->post->finding.kind[0])
        return false;
    tell(s, part_of(s, n), n, w->post);
    memset(&w->post->finding, 0, sizeof w->post->finding);
    w->post->done++;
    w->post->at = n + s->workers;
    return true;
}

static struct worker *worker_of(struct worker *w, unsigned n, int pid)
{
    for (unsigned i = 0; i < n; i++)
        if (w[i].pid == pid)
            return &w[i];
    return NULL;
}

static double cpu_seconds(void)
{
    struct rusage u;

    getrusage(RUSAGE_CHILDREN, &u);
    return (double)u.ru_utime.tv_sec + (double)u.ru_stime.tv_sec
           + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static void say(const struct settings *s, const struct tally *t, uint64_t cases,
                unsigned findings)
{
    printf("%s - %s: %llu cases, %.0f CPU seconds, %u findings\n#",
           findings ? "not ok" : "ok", s->part ? s->part : "all parts",
           (unsigned long long)cases, cpu_seconds(), findings);
#define SAY(name) printf(" %s %llu", #name, (unsigned long long)t->name);
    ORR_TALLY(SAY)
#undef SAY
    printf("\n");
}

static unsigned attack(struct settings *s)
{
    struct worker w[MOST_WORKERS] = {{{0}, NULL, 0}};
    struct tally sum = {0};
    unsigned findings = 0, alive = s->workers;
    uint64_t cases = 0;
    time_t began = time(NULL);
    double seconds = s->seconds;

    for (unsigned i = 0; i < s->workers; i++) {
        w[i].share = (struct share){s, i};
        w[i].post = orr__post_new();
        w[i].post->at = s->first + i;
        w[i].pid = orr__guard_start(work, &w[i].share, w[i].post, i);
    }
    while (alive > 0) {
        int status, pid = waitpid(-1, &status, 0);
        struct worker *one = worker_of(w, s->workers, pid);

        if (!one)
            continue;
        if (seconds > 0)
            s->seconds = seconds - (double)(time(NULL) - began);
        if (collect(s, one, status) && ++findings < s->most_findings
            && (seconds == 0 || s->seconds > 0)) {
            one->pid = orr__guard_start(work, &one->share, one->post,
                                        one->share.number);
            continue;
        }
        alive--;
    }
    for (unsigned i = 0; i < s->workers; i++) {
        add_tally(&sum, &w[i].post->tally);
        cases += w[i].post->done;
        orr__post_free(w[i].post);
    }
    say(s, &sum, cases, findings);
    return findings;
}

/* ---- what was found before ----------------------------------------------- */

static unsigned replay(const char *path)
{
    const char *name = strrchr(path, '/'), *dot;
    struct attack_case c = {0};
    struct finding f = {{0}, {0}};
    struct tally t = {0};

    name = name ? name + 1 : path;
    dot = strchr(name, '.');
    c.bytes = orr__slurp(path, &c.size);
    if (!c.bytes || !dot) {
        printf("not ok - %s: cannot be read\n", path);
        return 1;
    }
    snprintf(c.door, sizeof c.door, "%s", dot + 1);
    orr__guard_case(&c, &t, &f);
    free(c.bytes);
    printf("%s - %s%s%s%s%s\n", f.kind[0] ? "not ok" : "ok", name,
           f.kind[0] ? ": " : "", f.kind, f.kind[0] ? "\n" : "", f.detail);
    return f.kind[0] != '\0';
}

static void show(const struct settings *s)
{
    struct attack_case c = {0};

    if (part_of(s, s->first)->make(s->seed, s->first, &c))
        (void)fwrite(c.bytes, 1, c.size, stdout);
    free(c.bytes);
}

static const char usage[] =
    "attack [--seed N] [--first N] [--cases N | --seconds S] [--jobs N]\n"
    "       [--part NAME] [--found FOLDER] [--most N] [--few] [--show]\n"
    "       [--patience SECONDS]\n"
    "attack [--patience SECONDS] --replay FILE...\n"
    "attack --gaps\n"
    "attack [--few] --members\n";

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"seed", 1, NULL, 's'},     {"cases", 1, NULL, 'c'},
        {"seconds", 1, NULL, 't'},  {"jobs", 1, NULL, 'j'},
        {"part", 1, NULL, 'p'},     {"found", 1, NULL, 'f'},
        {"first", 1, NULL, 'n'},    {"most", 1, NULL, 'm'},
        {"show", 0, NULL, 'w'},     {"few", 0, NULL, 'e'},
        {"patience", 1, NULL, 'l'}, {"replay", 0, NULL, 'r'},
        {"gaps", 0, NULL, 'g'},     {"members", 0, NULL, 'k'},
        {NULL, 0, NULL, 0}};
    struct settings s = {.seed = 1, .workers = 1, .most_findings = 10};
    unsigned bad = 0;
    int o;

    setvbuf(stdout, NULL, _IOLBF, 0);
    /* Large tables of which a small run uses little: pages of zeros from the
     * kernel, and not the last run's memory wiped from end to end. */
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    while ((o = getopt_long(argc, argv, "", options, NULL)) != -1)
        switch (o) {
        case 's': s.seed = strtoull(optarg, NULL, 0); break;
        case 'c': s.cases = strtoull(optarg, NULL, 0); break;
        case 'n': s.first = strtoull(optarg, NULL, 0); break;
        case 't': s.seconds = strtod(optarg, NULL); break;
        case 'j': s.workers = (unsigned)strtoul(optarg, NULL, 0); break;
        case 'm': s.most_findings = (unsigned)strtoul(optarg, NULL, 0); break;
        case 'p': s.part = optarg; break;
        case 'f': s.found = optarg; break;
        case 'w': s.show = true; break;
        case 'e': s.few = true; break;
        case 'l': orr__guard_patience(strtod(optarg, NULL)); break;
        case 'g': return orr__draw_gaps(stdout) > 0;
        case 'k': return orr__members(s.few) > 0;
        case 'r':
            for (int i = optind; i < argc; i++)
                bad += replay(argv[i]);
            orr__guard_fini();
            return bad > 0;
        default: fputs(usage, stderr); return 2;
        }
    if (s.workers < 1 || s.workers > MOST_WORKERS || optind < argc
        || (!s.cases && s.seconds <= 0 && !s.show)) {
        fputs(usage, stderr);
        return 2;
    }
    if (s.show) {
        show(&s);
        return 0;
    }
    bad = attack(&s);
    orr__guard_fini();
    return bad > 0;
}
