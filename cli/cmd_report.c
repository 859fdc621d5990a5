/* `orrery report`: one page of HTML from records, made by study/report/. */
#include "cli/cli.h"
#include "core/apart.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "study/report/report.h"

static const char options_text[] =
    "  -o, --output FILE     the page (report.html); -: stdout\n"
    "      --explain FILE    also show what `explain --json FILE` found about\n"
    "                        one of the runs\n"
    "      --javascript DIR  folder of the chart libraries\n"
    "                        (" ORR_JAVASCRIPT ")\n"
    "  -h, --help            this text\n"
    "\n"
    "Makes one self-contained page of HTML: the run, what ranks did over "
    "time,\n"
    "the topology with its links by utilization, links over time, flows, and\n"
    "for a study its measures with intervals. It reads the HDF5 files of "
    "`run`\n"
    "and the folders (or study.h5) of `compare`, also of stopped or killed\n"
    "runs. Charts use Chart.js and dygraphs, of Debian's libjs-chart.js and\n"
    "libjs-dygraphs.\n";

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"explain", required_argument, NULL, 'E'},
    {"javascript", required_argument, NULL, 'J'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

/* "-": stdout. */
static orr_err write_page(const char *name, const struct orr_text *page,
                          struct orr_report *why)
{
    struct orr_file f = {.out = NULL};
    orr_err err;
    if (name[0] == '-' && name[1] == '\0') {
        fwrite(page->s, 1, page->length, stdout);
        return ORR_OK;
    }
    err = orr__file_open(&f, name, why);
    if (err)
        return err;
    orr__file_put(&f, page->s, page->length);
    return orr__file_close(&f, ORR_OK, why);
}

/* What is read in a child process; texts are argv's. */
struct request {
    const char *const *file;
    size_t files;
    const char *explained, *javascript;
};

/* Runs in a child process, so it writes to `out` alone. */
static orr_err make_page(void *arg, FILE *out, struct orr_report *why)
{
    const struct request *q = arg;
    struct orr_text page = {.s = NULL};
    orr_err err =
        orr__report(q->file, q->files, q->explained, q->javascript, &page, why);
    if (!err && page.failed)
        err = orr__no_memory(why);
    if (!err)
        fwrite(page.s, 1, page.length, out);
    orr__free(page.s);
    return err;
}

/* In a child, for files that may be damaged. */
static orr_err read_records(struct request *q, struct orr_text *page,
                            struct orr_report *why)
{
    const struct orr_apart a = {
        .work = make_page,
        .arg = q,
        .take = orr__apart_take_text,
        .to = page,
        .file = q->files > 1 ? "one of them" : q->file[0],
    };
    orr_err err = orr__run_apart(&a, why);
    /* which of them it is shows when each is read by itself */
    for (size_t i = 0; err && q->files > 1 && i < q->files; i++) {
        struct request one = {&q->file[i], 1, NULL, q->javascript};
        struct orr_report reason = {.code = ORR_OK};
        struct orr_text dropped = {.s = NULL};
        const struct orr_apart b = {
            .work = make_page,
            .arg = &one,
            .take = orr__apart_take_text,
            .to = &dropped,
            .file = q->file[i],
        };
        orr_err why_not = orr__run_apart(&b, &reason);
        orr__free(dropped.s);
        if (!why_not)
            continue;
        *why = reason;
        return why_not;
    }
    return err;
}

/* Options and the records. Returns the exit status. */
static int run(int argc, char **argv)
{
    const char *output = "report.html", *javascript = ORR_JAVASCRIPT;
    const char *explained = NULL;
    int option;
    while ((option = orr__next_option(argc, argv, "o:h", longs)) != -1)
        switch (option) {
        case 'o': output = optarg; break;
        case 'E': explained = optarg; break;
        case 'J': javascript = optarg; break;
        case 'h':
            orr__print_usage(stdout, &orr__cmd_report);
            return ORR_EXIT_OK;
        default: return ORR_EXIT_USAGE;
        }
    if (optind == argc)
        return orr__usage_error("report", "which run, or which study?");
    struct orr_text page = {.s = NULL};
    struct orr_report why = {.code = ORR_OK};
    struct request q = {(const char *const *)argv + optind,
                        (size_t)(argc - optind), explained, javascript};
    orr_err err = read_records(&q, &page, &why);
    if (!err && page.failed)
        err = orr__no_memory(&why);
    if (!err)
        err = write_page(output, &page, &why);
    orr__free(page.s);
    if (!err)
        return ORR_EXIT_OK;
    orr__print_report(&why);
    return orr__exit_status(err, false);
}

const struct orr_command orr__cmd_report = {
    .name = "report",
    .arguments = "RUN.h5|STUDY... [-o report.html]",
    .doc = "make a page of the results of runs and studies",
    .options = options_text,
    .run = run,
};
