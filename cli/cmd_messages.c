/* `orrery messages`: what the jobs of a configuration send in one iteration, as
 * a list, by workload/program/messages.h. */
#include <string.h>

#include "cli/cli.h"
#include "cli/settings.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/memory.h"
#include "study/run/entry.h"
#include "workload/job/job.h"
#include "workload/program/messages.h"
#include "workload/rank/rank.h"

/* Beyond that a list helps nobody. */
enum { MOST = 20000000 };

static const char options_text[] =
    "      --json [FILE]     JSON instead of CSV, to FILE or stdout\n"
    "  -o, --output FILE     the list (stdout)\n"
    "      --job NAME        this job alone\n"
    "  -s, --set KEY=VALUE   replace a value: seed=7 (may be repeated)\n"
    "      --preset NAME     network.preset (orrery list "
    "presets)\n" ORR_PLUGIN_HELP
    "      --seed N          replace the configuration's seed\n"
    "  -h, --help            this text\n"
    "\n"
    "Nothing is run. A line is a message: its number, job, operation (as in\n"
    "records) and what that is, chunk, lane and step of a collective, the "
    "ranks\n"
    "that it is from and to, bytes, and the numbers of messages that have to "
    "be\n"
    "over before, ascending. Numbers beyond the ranks are parameter servers.\n"
    "Computations between messages are passed over, and so are what earlier\n"
    "iterations leave and who has a core or the network when.\n";

static const struct option longs[] = {
    ORR_JSON_LONG,
    {"output", required_argument, NULL, 'o'},
    {"job", required_argument, NULL, 'J'},
    ORR_CHANGES_LONGS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* The command line; texts are argv's. */
struct request {
    const char *job, *output; /* NULL: all; stdout */
    bool json;
    struct orr_settings changes;
};

/* A list while it is written. */
struct writer {
    FILE *f;
    bool json, begun, more; /* a message stands before */
    uint32_t first;         /* number of the job's first message */
};

/* A text as JSON has it; lost output is told at the end. */
static char *quoted(const char *s)
{
    struct orr_text t = {.s = NULL};
    orr__json_string(&t, s);
    return orr__text_done(&t);
}

/* A name in CSV: in quotes where it has any, or a comma. */
static void put_name(FILE *f, const char *s)
{
    if (!strpbrk(s, "\",\r\n")) {
        fputs(s, f);
        return;
    }
    fputc('"', f);
    for (; *s; s++)
        fprintf(f, *s == '"' ? "\"\"" : "%c", *s);
    fputc('"', f);
}

static void put_before(const struct writer *w, const struct orr_message_list *l,
                       const struct orr_listed_message *m)
{
    for (uint32_t i = 0; i < m->n; i++)
        fprintf(w->f, "%s%u",
                i == 0    ? ""
                : w->json ? ", "
                          : " ",
                w->first + l->before[m->first + i]);
}

/* One message of a job; name: the job's as the format has it. */
static void put_message(struct writer *w, const struct orr_program *p,
                        const char *name, const struct orr_message_list *l,
                        uint32_t i)
{
    const struct orr_listed_message *m = &l->message[i];
    unsigned long long op =
        p->label && m->op < p->labels && p->label[m->op] != ORR_NO_LABEL
            ? p->label[m->op]
            : m->op;
    const char *what = orr__op_name(p, m->op);
    if (w->json) {
        fprintf(w->f,
                "%s\n    {\"id\": %u, \"job\": %s, \"operation\": %llu, "
                "\"name\": \"%s\", \"chunk\": %u, \"lane\": %u, \"step\": %u, "
                "\"from\": %u, \"to\": %u, \"bytes\": %llu, \"depends\": [",
                w->more ? "," : "", w->first + i, name, op, what, m->chunk,
                m->lane, m->step, m->from, m->to, (unsigned long long)m->bytes);
        put_before(w, l, m);
        fputs("]}", w->f);
        w->more = true;
        return;
    }
    fprintf(w->f, "%u,", w->first + i);
    put_name(w->f, name);
    fprintf(w->f, ",%llu,%s,%u,%u,%u,%u,%u,%llu,", op, what, m->chunk, m->lane,
            m->step, m->from, m->to, (unsigned long long)m->bytes);
    put_before(w, l, m);
    fputc('\n', w->f);
}

/* What stands before all messages. */
static void put_head(struct writer *w)
{
    if (!w->begun)
        fputs(w->json ? "{\n  \"messages\": ["
                      : "id,job,operation,name,chunk,lane,step,from,to,bytes,"
                        "depends\n",
              w->f);
    w->begun = true;
}

/* All of a job; what is refused has written nothing. */
static orr_err put_job(struct writer *w, const struct orr_job *j,
                       struct orr_report *why)
{
    struct orr_message_list l;
    if (j->serve)
        return orr__fail(why, ORR_ECONFIG,
                         "%s serves requests: its messages depend on when they "
                         "come",
                         j->name);
    const struct orr_program *p = j->team->program;
    orr_err err = orr__program_messages(p, MOST, &l, why);
    char *name = err || !w->json ? NULL : quoted(j->name);
    if (!err && w->json && !name)
        err = orr__no_memory(why);
    if (!err)
        put_head(w);
    for (uint32_t i = 0; i < l.messages && !err; i++)
        put_message(w, p, name ? name : j->name, &l, i);
    w->first += l.messages;
    orr__free(name);
    orr__message_list_free(&l);
    return err;
}

/* All jobs that are asked for. */
static orr_err put_all(const struct request *q, const struct orr_world *w,
                       FILE *f, struct orr_report *why)
{
    struct writer x = {.f = f, .json = q->json};
    orr_err err = ORR_OK;
    bool any = false;
    for (uint32_t j = 0; j < w->n_jobs && !err; j++) {
        if (q->job && strcmp(w->jobs[j].name, q->job) != 0)
            continue;
        any = true;
        err = put_job(&x, &w->jobs[j], why);
    }
    if (q->json && !err && any)
        fputs("\n  ]\n}\n", f);
    if (err || any)
        return err;
    return q->job ? orr__fail(why, ORR_ECONFIG, "there is no job called \"%s\"",
                              q->job)
                  : orr__fail(why, ORR_ECONFIG,
                              "the configuration has no jobs, whose messages "
                              "could be listed");
}

/* To stdout, or to a file that gets its name when it is complete. */
static orr_err write_list(const struct request *q, const orr_experiment *x,
                          struct orr_report *why)
{
    const struct orr_world *w = orr__experiment_world(x);
    struct orr_file f = {.out = NULL};
    if (orr__experiment_cluster(x))
        return orr__fail(why, ORR_ECONFIG,
                         "jobs of a cluster come while it runs: their messages "
                         "are not known before");
    if (!q->output)
        return put_all(q, w, stdout, why);
    orr_err err = orr__file_open(&f, q->output, why);
    if (err)
        return err;
    err = put_all(q, w, f.out, why);
    return orr__file_close(&f, err, why);
}

/* The exit status. */
static int list_messages(const char *config, const struct request *q)
{
    struct orr_report why = {0};
    struct orr_config_file file;
    struct orr_options o = {.no_output = true};
    orr_experiment *x = NULL;
    orr__settings_apply(&q->changes, &o);
    orr_err err = orr__config_file_read(&file, config, &why);
    if (!err)
        err = orr__experiment_load_file(&file, &o, NULL, &x, &why);
    if (!err)
        err = write_list(q, x, &why);
    if (err)
        orr__print_report(&why);
    orr_experiment_free(x);
    orr__config_file_fini(&file);
    return orr__exit_status(err, false);
}

/* The exit status, or -1: go on. */
static int read_options(int argc, char **argv, struct request *q)
{
    int c, status = -1;
    while (status < 0
           && (c = orr__next_option(argc, argv, ":s:o:h", longs)) != -1) {
        if (orr__settings_take(&q->changes, "messages", c, &status))
            continue;
        switch (c) {
        case 'o': q->output = optarg; break;
        case 'J': q->job = optarg; break;
        case 'j':
            q->json = true;
            if (strcmp(optarg, "-") != 0)
                q->output = optarg;
            break;
        case 'h':
            orr__print_usage(stdout, &orr__cmd_messages);
            return ORR_EXIT_OK;
        default: return ORR_EXIT_USAGE;
        }
    }
    if (status < 0 && optind + 1 != argc)
        return orr__usage_error("messages", optind == argc
                                                ? "which configuration?"
                                                : "one configuration only");
    return status;
}

/* Options, then the configuration. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct request q = {.job = NULL};
    int status = read_options(argc, argv, &q);
    if (status < 0)
        status = list_messages(argv[optind], &q);
    orr__settings_fini(&q.changes);
    return status;
}

const struct orr_command orr__cmd_messages = {
    .name = "messages",
    .arguments = "CONFIG [OPTION]...",
    .doc = "list the messages of jobs, and which wait for which",
    .options = options_text,
    .run = run,
};
