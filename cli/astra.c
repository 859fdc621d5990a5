#include "cli/astra.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "core/file.h"
#include "experiment/experiment.h"
#include "formats/astra/report.h"
#include "formats/source.h"
#include "workload/job/job.h"

#define MOST_ROWS 1000 /* of runs in one file of results */

void orr__astra_cli_init(struct orr_astra_cli *a)
{
    *a = (struct orr_astra_cli){
        .name = "unnamed run",
        .run = {.compute_scale = -1, .comm_scale = -1, .injection_scale = -1},
    };
}

void orr__astra_cli_fini(struct orr_astra_cli *a)
{
    orr__free(a->text);
    orr__origins_fini(&a->blame);
    orr__arena_fini(&a->arena);
}

static int read_scale(const char *option, double *x)
{
    char *end;
    *x = strtod(optarg, &end);
    if (*end || end == optarg || !(*x >= 0 && *x <= 1e9)) {
        return orr__usage_error("run", "%s takes a number from 0 on", option);
    }
    return -1;
}

static int number(const char *option, int64_t most, int64_t *n)
{
    return orr__option_number("run", option, optarg, most, n) ? -1
                                                              : ORR_EXIT_USAGE;
}

static int congestion(enum orr_astra_congestion *which)
{
    static const char *const names[] = {"unaware", "aware"};
    for (int i = 0; i < 2; i++)
        if (!strcmp(optarg, names[i])) {
            *which = i ? ORR_ASTRA_AWARE : ORR_ASTRA_UNAWARE;
            return -1;
        }
    return orr__usage_error("run", "--congestion takes aware or unaware");
}

/* --rendezvous-protocol, alone or with a word behind it. */
static int read_yes(bool *out)
{
    *out = !optarg || !strcmp(optarg, "true") || !strcmp(optarg, "1");
    if (*out || !strcmp(optarg, "false") || !strcmp(optarg, "0"))
        return -1;
    return orr__usage_error("run", "--rendezvous-protocol takes true or "
                                   "false");
}

/* Where an option's text goes that is taken as it stands; NULL: it is not. */
static const char **text_of(struct orr_astra_cli *a, int c)
{
    switch (c) {
    case ORR_ASTRA_PATH: return &a->folder;
    case ORR_ASTRA_RUN_NAME: return &a->name;
    case ORR_ASTRA_NETWORK: return &a->run.network;
    case ORR_ASTRA_SYSTEM: return &a->run.system;
    case ORR_ASTRA_WORKLOAD: return &a->run.workload;
    case ORR_ASTRA_GROUPS: return &a->run.groups;
    case ORR_ASTRA_MEMORY: return &a->run.memory;
    case ORR_ASTRA_LOGICAL: return &a->run.logical;
    default: return NULL;
    }
}

/* An option whose text is read; returns the exit status if it is wrong, else
 * -1. */
static int read_option(struct orr_astra_cli *a, int c)
{
    switch (c) {
    case ORR_ASTRA_NUM_PASSES:
        return number("--num-passes", 100000, &a->run.passes);
    case ORR_ASTRA_NUM_QUEUES:
        return number("--num-queues-per-dim", 64, &a->run.queues);
    case ORR_ASTRA_COMPUTE_SCALE:
        return read_scale("--compute-scale", &a->run.compute_scale);
    case ORR_ASTRA_COMM_SCALE:
        return read_scale("--comm-scale", &a->run.comm_scale);
    case ORR_ASTRA_INJECTION_SCALE:
        return read_scale("--injection-scale", &a->run.injection_scale);
    case ORR_ASTRA_CONGESTION: return congestion(&a->run.congestion);
    case ORR_ASTRA_RENDEZVOUS: return read_yes(&a->run.rendezvous);
    case ORR_ASTRA_LOGGING: a->logging = "--logging-configuration"; return -1;
    case ORR_ASTRA_LOGGING_FOLDER:
        a->logging = a->logging ? a->logging : "--logging-folder";
        return -1;
    case ORR_ASTRA_STAT_ROWS:
        return number("--total-stat-rows", MOST_ROWS, &a->rows);
    case ORR_ASTRA_STAT_ROW:
        return number("--stat-row", MOST_ROWS - 1, &a->row);
    default: /* --astra, --packets */ return -1;
    }
}

bool orr__astra_take(struct orr_astra_cli *a, int c, int *status)
{
    *status = -1;
    if (c < ORR_ASTRA_OPTION || c >= ORR_ASTRA_OPTIONS_END)
        return false;
    const char **text = text_of(a, c);
    a->on = true;
    a->run.packets |= c == ORR_ASTRA_PACKETS;
    if (text)
        *text = optarg;
    else
        *status = read_option(a, c);
    return true;
}

orr_err orr__astra_folder(const struct orr_astra_cli *a, struct orr_report *why)
{
    return a->folder ? orr__make_folder(a->folder, NULL, why) : ORR_OK;
}

orr_err orr__astra_results(const struct orr_astra_cli *a,
                           const orr_experiment *x, struct orr_report *why)
{
    const struct orr_trace_info *trace;
    const struct orr_astra_rows rows = {
        .run = a->name,
        .row = (uint32_t)a->row,
        .total = (uint32_t)(a->rows > a->row ? a->rows : a->row + 1),
    };
    if (!a->folder)
        return ORR_OK;
    /* --astra makes one job */
    trace = orr__trace_of(&orr__experiment_world(x)->jobs[0]);
    if (!trace || !trace->astra)
        return ORR_OK;
    return orr__astra_write(trace->astra, a->folder, &rows, why);
}

int orr__astra_make(struct orr_astra_cli *a, int argc, char **argv)
{
    struct orr_report why = {0};
    a->run.blame = &a->blame;
    if (argc == 0 && (!a->run.network || !a->run.system || !a->run.workload))
        return orr__usage_error("run", "which files of ASTRA-sim?");
    if (a->logging)
        fprintf(stderr,
                "note: %s changes nothing: ASTRA-sim's logs are not "
                "written\n",
                a->logging);
    orr_err err = orr__astra_find((const char *const *)argv, (size_t)argc,
                                  &a->arena, &a->run, &why);
    if (err == ORR_OK)
        err = orr__astra_config(&a->run, &a->text, &why);
    if (err == ORR_OK && a->blame.failed)
        err = orr__no_memory(&why);
    if (err == ORR_OK)
        return -1;
    orr__print_report(&why);
    return orr__exit_status(err, false);
}
