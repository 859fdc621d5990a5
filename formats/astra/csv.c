/* The files of results that ASTRA-sim 1.0 leaves, with its names, columns and
 * units; facts: the project's notes on formats, section 1e. Several runs may
 * share a file: each has its row, or one for each layer or dimension. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "formats/astra/report.h"
#include "formats/trace.h"

#define MIB          1048576.0
#define SHOWN_DIMS   7  /* of payload: the columns that there are */
#define ROWS_OF_DIMS 10 /* a run's, in the file of dimensions */

/* ---- sheets ------------------------------------------------------------- */

/* A file of results as lines. */
struct sheet {
    char **line; /* owned; NULL: empty cells */
    uint32_t lines, columns;
};

static void sheet_fini(struct sheet *s)
{
    for (uint32_t i = 0; i < s->lines; i++)
        orr__free(s->line[i]);
    orr__free(s->line);
}

/* Takes over text (NULL: no memory) as the line `at`. */
static orr_err put_line(struct sheet *s, uint32_t at, char *text,
                        struct orr_report *why)
{
    if (!text)
        return orr__no_memory(why);
    if (at >= s->lines) {
        char **p = orr__resize(s->line, (size_t)at + 1, sizeof *p);
        if (!p) {
            orr__free(text);
            return orr__no_memory(why);
        }
        s->line = p;
        while (s->lines <= at)
            p[s->lines++] = NULL;
    }
    orr__free(s->line[at]);
    s->line[at] = text;
    return ORR_OK;
}

/* What other runs have left there, if it is a file. */
static orr_err read_sheet(struct sheet *s, const char *path,
                          struct orr_report *why)
{
    struct orr_report no = {0};
    char *text;
    size_t length;
    orr_err err = ORR_OK;
    if (orr__trace_slurp(path, &text, &length, &no))
        return ORR_OK;
    uint32_t at = 0;
    for (char *p = text, *next; !err && *p; p = next, at++) {
        next = p + strcspn(p, "\n");
        if (*next)
            *next++ = '\0';
        if (p[strspn(p, ",")])
            err = put_line(s, at, orr__strdup(p), why);
    }
    orr__free(text);
    return err;
}

/* Lines that no run has filled yet are as many empty cells. */
static orr_err write_sheet(const struct sheet *s, const char *path,
                           struct orr_report *why)
{
    struct orr_file file;
    orr_err err = orr__file_open(&file, path, why);
    if (err)
        return err;
    FILE *f = file.out;
    for (uint32_t i = 0; i < s->lines; i++) {
        if (s->line[i])
            (void)fputs(s->line[i], f);
        for (uint32_t c = 1; !s->line[i] && c < s->columns; c++)
            (void)fputc(',', f);
        (void)fputc('\n', f);
    }
    return orr__file_close(&file, ORR_OK, why);
}

/* ---- cells -------------------------------------------------------------- */

static double us_of_ps(int64_t ps)
{
    return (double)ps / (double)ORR_US;
}

/* A name as a cell: commas and quotes would begin another. */
static void add_cell(struct orr_text *t, const char *text)
{
    for (; *text; text++)
        orr__text_add(t, "%c",
                      *text == ',' || *text == '"' || (unsigned char)*text < 32
                          ? '_'
                          : *text);
}

static void three_cells(struct orr_text *t, const int64_t *stage)
{
    orr__text_add(t, ",%f,%f,%f", us_of_ps(stage[ORR_ASTRA_FWD]),
                  us_of_ps(stage[ORR_ASTRA_WG]), us_of_ps(stage[ORR_ASTRA_IG]));
}

/* A cell that may be empty. */
static void number(struct orr_text *t, bool there, double value)
{
    orr__text_add(t, ",");
    if (there)
        orr__text_add(t, "%f", value);
}

/* Mean time of a chunk there; -1 ns where there was none. */
static double chunk_us(const struct orr_astra_report *r, uint32_t dim)
{
    return (r->chunks[dim] ? r->chunk_ps[dim] : -ORR_NS) / (double)ORR_US;
}

/* The beginning of a layer's row: its name stands in its first run's. */
static void layer_cells(struct orr_text *t, const struct orr_astra_report *r,
                        const struct orr_astra_rows *rows, uint32_t layer)
{
    if (rows->row == 0)
        add_cell(t, r->layer[layer].name);
    orr__text_add(t, ",");
    add_cell(t, rows->run);
}

static uint32_t layer_row(const struct orr_astra_rows *rows, uint32_t layer)
{
    return layer * rows->total + 1 + rows->row;
}

/* ---- the files ---------------------------------------------------------- */

typedef orr_err fill_fn(struct sheet *s, const struct orr_astra_report *r,
                        const struct orr_astra_rows *rows,
                        struct orr_report *why);

static orr_err read_head(struct sheet *s, const struct orr_astra_rows *rows,
                         uint32_t columns, char *text, struct orr_report *why)
{
    s->columns = columns;
    if (rows->row && s->lines && s->line[0] && text) {
        orr__free(text); /* the first run's */
        return ORR_OK;
    }
    return put_line(s, 0, text, why);
}

/* EndToEnd.csv: a row a layer, times in us; totals in the first. */
static orr_err end_to_end(struct sheet *s, const struct orr_astra_report *r,
                          const struct orr_astra_rows *rows,
                          struct orr_report *why)
{
    int64_t compute, exposed;
    orr__astra_totals(r, &compute, &exposed);
    orr_err err =
        read_head(s, rows, 14,
                  orr__strdup("layer,run,fwd compute,wg compute,ig compute,"
                              "fwd exposed comm,wg exposed comm,"
                              "ig exposed comm,fwd total comm,"
                              "wg total comm,ig total comm,"
                              "workload finished at,total comp,"
                              "total exposed comm"),
                  why);
    for (uint32_t i = 0; !err && i < r->layers; i++) {
        struct orr_text t = {0};
        layer_cells(&t, r, rows, i);
        three_cells(&t, r->layer[i].compute_ps);
        three_cells(&t, r->layer[i].exposed_ps);
        three_cells(&t, r->layer[i].comm_ps);
        orr__text_add(&t, ",%f", us_of_ps(r->finish_ps));
        if (i == 0)
            orr__text_add(&t, ",%f,%f", us_of_ps(compute), us_of_ps(exposed));
        else
            orr__text_add(&t, ",,");
        err = put_line(s, layer_row(rows, i), orr__text_done(&t), why);
    }
    return err;
}

/* ASTRA-sim makes the columns of each layer from its own number of phases; here
 * they are those of the one that has most. The wait before a chunk's first
 * phase can begin at all (phase 0) is none. */
static orr_err detailed(struct sheet *s, const struct orr_astra_report *r,
                        const struct orr_astra_rows *rows,
                        struct orr_report *why)
{
    struct orr_text h = {0};
    uint32_t phases = 0;
    for (uint32_t i = 0; i < r->layers; i++)
        phases = r->layer[i].phases > phases ? r->layer[i].phases : phases;
    orr__text_add(&h, "layer,run");
    for (uint32_t k = 0; phases && k <= phases; k++)
        orr__text_add(&h, ",queuing delay phase %u", k);
    for (uint32_t k = 1; k <= phases; k++)
        orr__text_add(&h, ",network delay phase %u", k);
    for (uint32_t d = 1; d <= r->dims; d++)
        orr__text_add(&h, ",avg chunk delay dimension %u", d);
    orr_err err = read_head(s, rows, 2 + 2 * phases + (phases > 0) + r->dims,
                            orr__text_done(&h), why);
    for (uint32_t i = 0; !err && i < r->layers; i++) {
        const struct orr_astra_layer *l = &r->layer[i];
        struct orr_text t = {0};
        layer_cells(&t, r, rows, i);
        if (phases)
            number(&t, l->phases, 0);
        for (uint32_t k = 0; k < 2 * phases; k++) {
            bool wait = k < phases;
            uint32_t at = wait ? k : k - phases;
            number(&t, at < l->phases,
                   (wait ? l->queue_ps : l->network_ps)[at] / (double)ORR_US);
        }
        for (uint32_t d = 0; d < r->dims; d++)
            number(&t, i == 0, chunk_us(r, d));
        err = put_line(s, layer_row(rows, i), orr__text_done(&t), why);
    }
    return err;
}

static double payload_mib(const struct orr_astra_report *r)
{
    uint64_t all = 0;
    for (uint32_t d = 0; d < r->physical; d++)
        all += r->payload[d];
    return (double)all / MIB;
}

/* A cost in dollars is not worked out: -1, as for dimensions that are not
 * there. */
static orr_err backend(struct sheet *s, const struct orr_astra_report *r,
                       const struct orr_astra_rows *rows,
                       struct orr_report *why)
{
    struct orr_text h = {0}, t = {0};
    int64_t compute, exposed;
    orr__astra_totals(r, &compute, &exposed);
    orr__text_add(&h, "RunName,CommsTime,ComputeTime,ExposedCommsTime,Cost,"
                      "TotalPayloadSize,DPCommsTime,MPCommsTime");
    for (uint32_t d = 0; d < SHOWN_DIMS; d++)
        orr__text_add(&h, ",PayloadSize_Dim%u", d);
    orr_err err = read_head(s, rows, 8 + SHOWN_DIMS, orr__text_done(&h), why);
    if (err)
        return err;
    int64_t data = r->layers ? r->layer[0].exposed_ps[ORR_ASTRA_WG] : 0;
    add_cell(&t, rows->run);
    orr__text_add(&t, ",%f,%f,%f,-1,%f,%f,%f", us_of_ps(r->finish_ps),
                  us_of_ps(compute), us_of_ps(exposed), payload_mib(r),
                  us_of_ps(data), us_of_ps(exposed - data));
    for (uint32_t d = 0; d < SHOWN_DIMS; d++)
        if (d < r->physical)
            orr__text_add(&t, ",%f", (double)r->payload[d] / MIB);
        else
            orr__text_add(&t, ",-1");
    return put_line(s, rows->row + 1, orr__text_done(&t), why);
}

/* EndToEnd_dimension: mean latency of a chunk, us. */
static orr_err dimensions(struct sheet *s, const struct orr_astra_report *r,
                          const struct orr_astra_rows *rows,
                          struct orr_report *why)
{
    orr_err err = read_head(
        s, rows, 3, orr__strdup("RunName,DimensionIndex,AverageChunkLatency"),
        why);
    for (uint32_t d = 0; !err && d < r->dims; d++) {
        struct orr_text t = {0};
        add_cell(&t, rows->run);
        orr__text_add(&t, ",%u,%f", d, chunk_us(r, d));
        err = put_line(s, rows->row * ROWS_OF_DIMS + 1 + d, orr__text_done(&t),
                       why);
    }
    return err;
}

/* One row a run, as ASTRA-sim's tutorial plots. */
static orr_err tutorial(struct sheet *s, const struct orr_astra_report *r,
                        const struct orr_astra_rows *rows,
                        struct orr_report *why)
{
    struct orr_text t = {0};
    int64_t compute, exposed;
    orr__astra_totals(r, &compute, &exposed);
    orr_err err = read_head(s, rows, 5,
                            orr__strdup("Name,TotalTime(us),ComputeTime(us),"
                                        "ExposedCommunicationTime(us),"
                                        "TotalMessageSize(MB)"),
                            why);
    if (err)
        return err;
    add_cell(&t, rows->run);
    orr__text_add(&t, ",%f,%f,%f,%f", us_of_ps(r->finish_ps), us_of_ps(compute),
                  us_of_ps(exposed), payload_mib(r));
    return put_line(s, rows->row + 1, orr__text_done(&t), why);
}

/* A run of a later row reads the file that runs before it left. */
static orr_err write_one(const struct orr_astra_report *r, const char *folder,
                         const char *name, const struct orr_astra_rows *rows,
                         fill_fn *fill, struct orr_report *why)
{
    struct sheet s = {0};
    char *path = orr__format("%s/%s", folder, name);
    if (!path)
        return orr__no_memory(why);
    orr_err err = rows->row ? read_sheet(&s, path, why) : ORR_OK;
    if (!err)
        err = fill(&s, r, rows, why);
    if (!err)
        err = write_sheet(&s, path, why);
    sheet_fini(&s);
    orr__free(path);
    return err;
}

orr_err orr__astra_write(const struct orr_astra_report *r, const char *folder,
                         const struct orr_astra_rows *rows,
                         struct orr_report *why)
{
    static const struct {
        const char *name;
        fill_fn *fill;
    } files[] = {
        {"EndToEnd.csv", end_to_end},
        {"detailed.csv", detailed},
        {"backend_end_to_end.csv", backend},
        {"backend_dim_info.csv", dimensions},
        {"tutorial_result.csv", tutorial},
    };
    orr_err err = ORR_OK;
    for (size_t i = 0; !err && i < sizeof files / sizeof *files; i++)
        err = write_one(r, folder, files[i].name, rows, files[i].fill, why);
    return err;
}
