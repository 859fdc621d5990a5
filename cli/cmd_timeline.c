/* `orrery timeline`: the operations of a record as trace events for Perfetto,
 * by study/timeline.h. */
#include "cli/cli.h"
#include "core/apart.h"
#include "core/file.h"
#include "study/timeline.h"

static const char options_text[] =
    "  -o, --output FILE     the trace (timeline.json); -: stdout\n"
    "      --links N         counters of utilization and queue for the N\n"
    "                        busiest links (8)\n"
    "      --link NAME       counters for this link instead, by id or as in\n"
    "                        \"a > b\" (may be repeated)\n"
    "  -h, --help            this text\n"
    "\n"
    "Chrome trace events for https://ui.perfetto.dev and chrome://tracing: a\n"
    "process per job, a track for the computations of each rank and one for\n"
    "its communication, arrows from send to receive. record.operations "
    "selects\n"
    "the ranks; `run --set record.operations=all` records all.\n";

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"links", required_argument, NULL, 'L'},
    {"link", required_argument, NULL, 'N'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* What is read in a child process. */
struct trace_request {
    const char *file;
    const struct orr_counters *counters;
};

static orr_err make_trace(void *arg, FILE *out, struct orr_report *why)
{
    const struct trace_request *q = arg;
    return orr__timeline(q->file, q->counters, out, why);
}

/* To stdout, or to a file that gets its name when it is complete. */
static orr_err write_trace(const char *file, const char *output,
                           const struct orr_counters *counters,
                           struct orr_report *why)
{
    struct orr_file f = {.out = NULL};
    struct trace_request q = {file, counters};
    /* in a child, for a file that may be damaged */
    struct orr_apart a = {
        .work = make_trace,
        .arg = &q,
        .take = orr__apart_take_file,
        .to = stdout,
        .file = file,
    };
    if (output[0] == '-' && output[1] == '\0')
        return orr__run_apart(&a, why);
    orr_err err = orr__file_open(&f, output, why);
    if (err)
        return err;
    a.to = f.out;
    err = orr__run_apart(&a, why);
    return orr__file_close(&f, err, why);
}

/* The command line; texts are argv's. */
struct request {
    const char *output;
    int64_t busiest;
    struct orr_words links;
};

/* The exit status, or -1: go on. */
static int read_options(int argc, char **argv, struct request *q)
{
    int option;
    while ((option = orr__next_option(argc, argv, "o:h", longs)) != -1)
        switch (option) {
        case 'o': q->output = optarg; break;
        case 'L':
            if (!orr__option_number("timeline", "--links", optarg, 10000,
                                    &q->busiest))
                return ORR_EXIT_USAGE;
            break;
        case 'N':
            if (!orr__words_add(&q->links, optarg))
                return orr__no_memory_for_words();
            break;
        case 'h':
            orr__print_usage(stdout, &orr__cmd_timeline);
            return ORR_EXIT_OK;
        default: return ORR_EXIT_USAGE;
        }
    if (optind + 1 != argc)
        return orr__usage_error("timeline",
                                optind == argc ? "which run?" : "one run only");
    return -1;
}

/* Options and the record. Returns the exit status. */
static int run(int argc, char **argv)
{
    struct request q = {.output = "timeline.json", .busiest = 8};
    int status = read_options(argc, argv, &q);
    if (status < 0) {
        struct orr_report why = {.code = ORR_OK};
        const struct orr_counters counters = {
            q.links.word,
            q.links.count,
            (uint32_t)q.busiest,
        };
        orr_err err = write_trace(argv[optind], q.output, &counters, &why);
        if (err)
            orr__print_report(&why);
        status = err ? orr__exit_status(err, false) : ORR_EXIT_OK;
    }
    orr__words_fini(&q.links);
    return status;
}

const struct orr_command orr__cmd_timeline = {
    .name = "timeline",
    .arguments = "RUN.h5 [-o timeline.json]",
    .doc = "show what ranks did, for Perfetto and chrome://tracing",
    .options = options_text,
    .run = run,
};
