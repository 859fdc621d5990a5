#include "cli/astra.h"

#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define MOST_ROWS 1000 /* of runs in one file of results */

void orr__astra_cli_init(struct orr_astra_cli *a)
{
    *a = (struct orr_astra_cli){
        .name = "unnamed run",
        .run = {.compute_scale = -1, .comm_scale = -1,
                .injection_scale = -1},
    };
}

void orr__astra_cli_fini(struct orr_astra_cli *a)
{
    orr__free(a->text);
    orr__arena_fini(&a->arena);
}

static int scale(const char *option, double *x)
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
    return orr__option_number("run", option, optarg, most, n)
               ? -1
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

bool orr__astra_take(struct orr_astra_cli *a, int c, int *status)
{
    *status = -1;
    if (c < ORR_ASTRA_FIRST_OPTION)
        return false;
    a->on = true;
    switch (c - ORR_ASTRA_FIRST_OPTION) {
    case 1:
        a->run.packets = true;
        break;
    case 2:
        a->folder = optarg;
        break;
    case 3:
        a->name = optarg;
        break;
    case 4:
        a->run.network = optarg;
        break;
    case 5:
        a->run.system = optarg;
        break;
    case 6:
        a->run.workload = optarg;
        break;
    case 7:
        a->run.groups = optarg;
        break;
    case 8:
        *status = number("--num-passes", 100000, &a->run.passes);
        break;
    case 9:
        *status = number("--num-queues-per-dim", 64, &a->run.queues);
        break;
    case 10:
        *status = scale("--compute-scale", &a->run.compute_scale);
        break;
    case 11:
        *status = scale("--comm-scale", &a->run.comm_scale);
        break;
    case 12:
        *status = scale("--injection-scale", &a->run.injection_scale);
        break;
    case 14:
        a->run.memory = optarg;
        break;
    case 15:
        *status = congestion(&a->run.congestion);
        break;
    case 16:
        *status = number("--total-stat-rows", MOST_ROWS, &a->rows);
        break;
    case 17:
        *status = number("--stat-row", MOST_ROWS - 1, &a->row);
        break;
    default: /* --astra; and options that have no meaning here */
        break;
    }
    return true;
}

int orr__astra_make(struct orr_astra_cli *a, int argc, char **argv)
{
    struct orr_report why = { 0 };
    if (argc == 0 &&
        (!a->run.network || !a->run.system || !a->run.workload))
        return orr__usage_error("run", "which files of ASTRA-sim?");
    orr_err err = orr__astra_find((const char *const *)argv, (size_t)argc,
                                  &a->arena, &a->run, &why);
    if (err == ORR_OK)
        err = orr__astra_config(&a->run, &a->text, &why);
    if (err == ORR_OK)
        return -1;
    orr__print_report(&why);
    return orr__exit_status(err, false);
}
