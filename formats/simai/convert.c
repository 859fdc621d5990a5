/* SimAI's files: a workload, a topology, and SimAI.conf, whose keys are those
 * of HPCC's config.txt. */
#include <inttypes.h>
#include <string.h>

#include "core/memory.h"
#include "core/units.h"
#include "formats/astra/text.h"
#include "formats/convert.h"
#include "formats/hpcc/config.h"
#include "formats/trace.h"

enum what { WORKLOAD, TOPOLOGY, CONFIG, KINDS };
static const char *const names[] = {"workload", "topology", "SimAI.conf"};

/* The files while they are converted. */
struct files {
    struct orr_convert *c;
    const char *path[KINDS];
    char *name[KINDS]; /* as the configuration has it */
    struct orr_graph *graph;
    struct orr_hpcc_config config;
    uint32_t gpus; /* that the workload is for; 0: it does not say */
};

/* ---- which file is what ------------------------------------------------ */

/* By its first line: six words that begin with a number, or a type of
 * parallelism, or any other word. */
static orr_err classify(struct orr_scan *s, void *arg, int *what)
{
    int64_t number;
    int words = 1;
    bool typed = false; /* the last word is no number */
    if (!orr__scan_word(s))
        return orr__scan_fail(s, "this file is empty");
    if (orr__parse_int(s->word, &number)) {
        *what = CONFIG;
        for (int t = 0; t < ORR_ASTRA_TYPES; t++)
            if (strcmp(s->word, orr__astra_type_name(t)) == 0)
                *what = WORKLOAD;
        return ORR_OK;
    }
    while (orr__scan_here(s)) {
        words++;
        typed = orr__parse_int(s->word, &number) != NULL;
    }
    *what = TOPOLOGY;
    return words == 6 && typed
               ? ORR_OK
               : orr__scan_fail(s, "no file of SimAI's begins so: a topology "
                                   "with `nodes GPUs-per-server NVSwitches "
                                   "switches links GPU-type`");
}

/* ---- reading ----------------------------------------------------------- */

/* As HPCC's; f->config is freed by the caller. */
static orr_err read_config(struct files *f, struct orr_report *why)
{
    struct orr_scan s;
    orr_err err = orr__scan_open(&s, f->path[CONFIG], f->path[CONFIG], why);
    if (err != ORR_OK)
        return err;
    err = orr__hpcc_config_read(&s, &f->config);
    f->config.file = f->path[CONFIG];
    f->config.blame = f->c->blame;
    orr__scan_fini(&s);
    return err;
}

/* Only for how many GPUs it is: the run reads it again. */
static orr_err read_workload(struct files *f, struct orr_report *why)
{
    const char *path = f->path[WORKLOAD];
    struct orr_arena arena = {.blocks = NULL};
    struct orr_astra_text t = {.lines = 0};
    char *text = NULL;
    size_t length;
    orr_err err = orr__trace_slurp(path, &text, &length, why);
    if (err == ORR_OK)
        err = orr__astra_text(path, text, &arena, &t, why);
    f->gpus = t.all_gpus;
    if (err == ORR_OK && t.all_gpus > f->graph->hosts)
        err = orr__astra_head_fail(&t, ORR_ASTRA_ALL_GPUS, why,
                                   "all_gpus: the workload is for %u GPUs, "
                                   "and %s has %u",
                                   t.all_gpus, f->path[TOPOLOGY],
                                   f->graph->hosts);
    orr__free(text);
    orr__arena_fini(&arena);
    return err;
}

/* ---- the configuration ------------------------------------------------- */

/* What SimAI's files leave open is as in SimAI, and noted. */
static orr_err write_yaml(struct files *f, struct orr_report *why)
{
    struct orr_text *y = &f->c->yaml, *notes = &f->c->notes;
    struct orr_origins *blame = f->c->blame;
    for (int i = 0; i < KINDS; i++)
        if (f->path[i] && i != CONFIG) {
            f->name[i] = orr__convert_name(f->c, f->path[i]);
            if (!f->name[i])
                return orr__no_memory(why);
        }
    orr__origins_find(blame, y, f->path[TOPOLOGY], 0, 0, NULL);
    orr__hpcc_topology_write(f->path[CONFIG] ? &f->config : NULL, "simai",
                             f->name[TOPOLOGY], y);
    if (f->path[CONFIG]) {
        orr__hpcc_config_write(&f->config, f->graph, 0, y, notes);
    } else {
        orr__origins_find(blame, y, NULL, 0, 0, NULL);
        orr__text_add(y, "network:\n  mtu: 9000B\n  header: 48B\n  ack: 60B\n"
                         "  buffer: {kind: shared, size: 32MiB, alpha: 0.125}\n"
                         "  pfc: {enabled: true}\n  cc: none\n");
        orr__note(notes, "no SimAI.conf: packets of 9000 bytes, buffers of "
                         "32 MiB with pause frames, no congestion control");
    }
    orr__convert_unread(notes, f->path[TOPOLOGY], f->graph);
    if (!f->path[WORKLOAD])
        return ORR_OK;
    uint32_t ranks = f->gpus ? f->gpus : f->graph->hosts;
    orr__origins_find(blame, y, f->path[f->gpus ? WORKLOAD : TOPOLOGY], 0, 0,
                      NULL);
    orr__text_add(y, "jobs:\n  - name: simai\n    ranks: %u\n", ranks);
    orr__origins_find(blame, y, f->path[WORKLOAD], 0, 0, NULL);
    orr__text_add(y, "    trace: {format: simai, workload: %s}\n",
                  f->name[WORKLOAD]);
    if (ranks < f->graph->hosts)
        orr__note(notes,
                  "the workload is for %u GPUs (all_gpus): the first "
                  "of %u; SimAI would repeat it on all",
                  ranks, f->graph->hosts);
    return ORR_OK;
}

/* Files in any order; a topology must be among them. */
static orr_err from_simai(struct orr_convert *c, struct orr_report *why)
{
    struct files f = {.c = c};
    orr_err err = ORR_OK;
    for (size_t i = 0; i < c->inputs && err == ORR_OK; i++)
        err = orr__convert_take_input(c->input[i], classify, NULL, names,
                                      f.path, why);
    if (err == ORR_OK && !f.path[TOPOLOGY])
        err = orr__fail(why, ORR_ECONFIG,
                        "there is no topology among the "
                        "files");
    if (err == ORR_OK && f.path[CONFIG])
        err = read_config(&f, why);
    if (err == ORR_OK)
        err = orr__convert_graph("simai", f.path[TOPOLOGY], &f.graph, why);
    if (err == ORR_OK && f.path[CONFIG])
        err = orr__hpcc_longest(f.graph, (uint64_t)f.config.payload,
                                &f.config.longest, why);
    if (err == ORR_OK && f.path[WORKLOAD])
        err = read_workload(&f, why);
    if (err == ORR_OK)
        err = write_yaml(&f, why);
    orr__graph_free(f.graph);
    orr__hpcc_config_fini(&f.config);
    for (int i = 0; i < KINDS; i++)
        orr__free(f.name[i]);
    return err;
}

const struct orr_convert_ops orr__convert_simai = {
    .name = "simai",
    .doc = "SimAI",
    .inputs = "a workload, a topology, SimAI.conf",
    .from = from_simai,
};
