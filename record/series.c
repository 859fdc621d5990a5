#include "record/series.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "core/config/param.h"
#include "core/memory.h"
#include "core/units.h"
#include "net/config/config.h"
#include "record/adders.h"
#include "record/bins.h"
#include "record/operations.h"
#include "record/packet_capture.h"
#include "record/probe.h"
#include "record/record.h"
#include "record/write_h5.h"
#include "record/write_links.h"
#include "record/write_probes.h"

/* With `interval: auto` the bins stay in memory: at most so many, fewer when
 * many links are used. Two bins become one when there would be more. */
#define MOST_BINS  2000u
#define LEAST_BINS 96u
#define MOST_CELLS (UINT32_C(1) << 18)

/* The file is brought up to date after this time, or later where that takes
 * more than a fiftieth of the time between. Tiles of bins that are not full
 * stay uncompressed, so bins may put it off once more by this time until their
 * tiles are. */
#define FLUSH_S     2.0
#define FLUSH_SHARE 50.0

/* The map `record`, as its table fills it. */
struct settings {
    const char *interval;
    int links, operations;
    bool by_job;
    struct orr_probe_keys probes;
    const struct orr_yaml *pcap, *packets;
};

static const char *const link_choices[] = {"used", "all", NULL};
enum { LINKS_USED, LINKS_ALL };
static const char *const operation_choices[] = {"auto", "all", "none", NULL};

static const struct orr_param params[] = {
    {"interval", ORR_PARAM_TEXT, offsetof(struct settings, interval), "auto",
     NULL, NULL, NULL,
     "width of a bin of the link time series; auto: at most 2,000 bins"},
    {"links", ORR_PARAM_CHOICE, offsetof(struct settings, links), "used", NULL,
     NULL, link_choices, "links in the time series"},
    {"by_job", ORR_PARAM_BOOL, offsetof(struct settings, by_job), "false", NULL,
     NULL, NULL,
     "also links by job, and marks and drops of each iteration; costs about 75 "
     "% more instructions"},
    {"operations", ORR_PARAM_CHOICE, offsetof(struct settings, operations),
     "auto", NULL, NULL, operation_choices,
     "ranks whose operations /operations has, with begin and end; auto: up to "
     "20,000 rows: rank 0, stragglers, then from rank 1 on"},
    {"flows", ORR_PARAM_NODE, offsetof(struct settings, probes.flows), "", NULL,
     NULL, NULL,
     "connections to sample for /flow_series: a list of "
     "indices of flows and of {job: NAME, from: RANK, to: RANK}, or `all` "
     "flows"},
    {"ports", ORR_PARAM_NODE, offsetof(struct settings, probes.ports), "", NULL,
     NULL, NULL,
     "ports to sample for /port_series: a list of links, by id or as in "
     "`a > b`, and of pairs of nodes [from, to], or `all`"},
    {"sample", ORR_PARAM_TEXT, offsetof(struct settings, probes.sample), "",
     NULL, NULL, NULL,
     "time between two samples of these; default: `interval`"},
    {"pcap", ORR_PARAM_NODE, offsetof(struct settings, pcap), "", NULL, NULL,
     NULL,
     "packets as a pcapng file, for Wireshark: {ports, flows, file, "
     "...}; `orrery help pcap`"},
    {"packets", ORR_PARAM_NODE, offsetof(struct settings, packets), "", NULL,
     NULL, NULL,
     "packets of connections hop by hop, as /packets: {flow: 3}; "
     "`orrery help packets`"},
    ORR_PARAM_END,
};

/* The record of a run and what is sampled for it; owns all but `circles`. */
struct orr_series {
    int64_t interval_ps; /* of the next bin; 0 before an automatic start */
    bool automatic, all_links;
    char *target, *partial, *next; /* names: final, meanwhile, its successor */
    struct orr_record *record;     /* NULL: not open, or closed */
    struct orr_links_writer links;
    struct orr_probes_writer probes_writer;
    struct orr_probes probes;
    struct orr_slot_series slots; /* of switches that add */
    /* Automatic bins are written into an empty file each time, because a
     * merge changes them all; the file so far stays until that is complete.
     * Samples that were dropped cannot be written again, nor can packets:
     * beside those, automatic bins are written once, at the end. */
    bool empty;
    struct orr_bins bins;
    const struct orr_circle_tables *circles; /* the caller's; may be NULL */
    struct orr_packet_capture *tap;          /* NULL: no packets are recorded */
    double flush_due;                        /* wall clock, s */
    struct orr_report why;
};

const struct orr_param *orr__series_params(void)
{
    return params;
}

static double wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- reading ------------------------------------------------------------ */

/* A width in ps of at least 1 ns, or "auto", which a merge of bins doubles as
 * the run goes on. */
static orr_err read_interval(struct orr_series *s, struct orr_world *w,
                             const struct orr_yaml *record, const char *text,
                             struct orr_report *why)
{
    s->automatic = strcmp(text, "auto") == 0;
    if (s->automatic)
        return ORR_OK;
    const struct orr_yaml *node = orr__yaml_get(record, "interval");
    const char *wrong = orr__parse_time(text, &s->interval_ps);
    if (wrong == NULL && s->interval_ps < ORR_NS)
        wrong = "a bin must be at least 1ns wide";
    if (wrong == NULL)
        return ORR_OK;
    orr_err err =
        orr__yaml_fail(w->config, node, why, "record.interval: %s", wrong);
    orr__hint(why, "a time as in `interval: 10us`, or `auto`");
    return err;
}

/* Splitting takes packets, each of them. */
static orr_err read_by_job(struct orr_world *w, const struct orr_yaml *record,
                           bool by_job, struct orr_report *why)
{
    const struct orr_yaml *node = orr__yaml_get(record, "by_job");
    orr_err err = ORR_OK;
    w->watch.by_job = by_job;
    if (by_job && w->net_config->transport == ORR_TRANSPORT_ANALYTICAL)
        err = orr__yaml_fail(w->config, node, why,
                             "record.by_job: network.transport: analytical has "
                             "no packets to assign to jobs");
    else if (by_job
             && (w->jobs_join
                 || orr__yaml_get(orr__config_root(w->config), "cluster")))
        err = orr__yaml_fail(
            w->config, node, why,
            "record.by_job: jobs that come and go are not supported");
    else if (by_job && w->repeat) {
        err = orr__yaml_fail(
            w->config, node, why,
            "record.by_job: iterations that are skipped have no packets");
        orr__hint(why, "repeat: none simulates all of them");
    }
    return err;
}

orr_err orr__series_read(struct orr_world *w, const struct orr_yaml *record,
                         struct orr_report *why)
{
    struct settings settings = {.links = LINKS_USED};
    struct orr_param_set set = {params, &settings};
    const char *text = record ? orr__yaml_text(w->config, record) : NULL;
    if (text && strcmp(text, "none") == 0)
        return ORR_OK;
    orr_err err = orr__param_read(w->config, record, "record", &set, 1, why);
    if (err)
        return err;
    struct orr_series *s = orr__alloc(1, sizeof *s);
    if (s == NULL)
        return orr__no_memory(why);
    s->all_links = settings.links == LINKS_ALL;
    err = read_interval(s, w, record, settings.interval, why);
    if (err == ORR_OK)
        err = read_by_job(w, record, settings.by_job, why);
    if (err == ORR_OK)
        err = orr__operations_ask(w, (enum orr_operations)settings.operations,
                                  why);
    if (err == ORR_OK)
        err = orr__probes_read(&s->probes, w, record, &settings.probes,
                               s->interval_ps, why);
    if (err == ORR_OK)
        err = orr__packet_capture_read(w, settings.pcap, settings.packets,
                                       &s->tap, why);
    if (err) {
        orr__probes_fini(&s->probes);
        orr__free(s);
    } else {
        w->watch.series = s;
    }
    return err;
}

orr_err orr__series_agrees(const struct orr_world *w, struct orr_report *why)
{
    return w->watch.series
               ? orr__packet_capture_agrees(w->watch.series->tap, w, why)
               : ORR_OK;
}

orr_err orr__series_open(struct orr_world *w, const struct orr_yaml *record,
                         const struct orr_circle_tables *circles,
                         struct orr_report *why)
{
    orr_err err = w->watch.series ? ORR_OK : orr__series_read(w, record, why);
    struct orr_series *s = w->watch.series;
    if (err || s == NULL)
        return err;
    s->circles = circles;
    err = orr__record_target(w->options.output, &s->target, why);
    if (err)
        return err;
    s->partial = orr__format("%s.partial", s->target);
    s->next = orr__format("%s.partial.next", s->target);
    if (s->partial == NULL || s->next == NULL)
        return orr__no_memory(why);
    err = orr__record_open(s->partial, &s->record, why);
    return err ? err : orr__packet_capture_open(s->tap, why);
}

/* ---- writing ------------------------------------------------------------ */

static orr_err write_start(struct orr_series *s, const struct orr_world *w,
                           struct orr_record *r, struct orr_report *why)
{
    orr_err err = orr__write_head(r, w, s->circles);
    if (err)
        return orr__no_memory(why);
    orr__links_begin(&s->links, r, w, w->watch.by_job);
    if (orr__probes_begin(&s->probes_writer, r, &s->probes))
        return orr__no_memory(why);
    return ORR_OK;
}

static orr_err write_probes(struct orr_series *s, bool final,
                            struct orr_report *why)
{
    struct orr_probes *p = &s->probes;
    if (orr__probes_write(&s->probes_writer, p, final))
        return orr__no_memory(why);
    if (!p->automatic && p->tile_rows)
        orr__probes_drop(p, p->n / p->tile_rows * p->tile_rows);
    return ORR_OK;
}

/* Writes bins that are complete tiles, or all if `final`; fixed bins leave
 * memory then, automatic ones stay to be merged. */
static orr_err write_bins(struct orr_series *s, const struct orr_world *w,
                          bool final, struct orr_report *why)
{
    if (s->empty)
        orr__record_number(s->record, s->links.group, "interval_ps",
                           (uint64_t)s->interval_ps);
    if (orr__links_write(&s->links, w, &s->bins, final))
        return orr__no_memory(why);
    if (!s->automatic)
        orr__bins_drop(&s->bins,
                       s->bins.n / s->links.tile_rows * s->links.tile_rows);
    s->empty = false;
    return ORR_OK;
}

/* The series goes on in a new file; *old, still in place, is the caller's. */
static orr_err start_anew(struct orr_series *s, const struct orr_world *w,
                          struct orr_record **old, struct orr_report *why)
{
    struct orr_record *r;
    orr_err err = orr__record_open(s->next, &r, why);
    if (err)
        return err == ORR_ECONFIG ? ORR_EIO : err;
    *old = s->record;
    s->record = r;
    s->empty = true;
    return write_start(s, w, r, why);
}

/* Brings the file up to date. */
static orr_err save_series(struct orr_series *s, const struct orr_world *w,
                           struct orr_report *why)
{
    struct orr_record *old = NULL;
    orr_err err = ORR_OK;
    /* see struct: what would be written anew may have to wait for the end */
    bool tables = orr__packet_capture_tables(s->tap);
    bool bins =
        !s->automatic
        || (!tables && (!orr__probes_any(&s->probes) || s->probes.automatic));
    if (s->automatic && bins && !s->empty)
        err = start_anew(s, w, &old, why);
    if (err == ORR_OK && bins)
        err = write_bins(s, w, s->automatic, why);
    if (err == ORR_OK && !(tables && s->probes.automatic))
        err = write_probes(s, s->probes.automatic, why);
    if (err == ORR_OK)
        err = orr__record_flush(s->record, why);
    if (err == ORR_OK && old)
        err = orr__record_rename(s->record, s->partial, why);
    /* After a failure the old file is the one to keep. */
    if (err && old) {
        orr__record_discard(s->record, false);
        s->record = old;
        old = NULL;
    }
    orr__record_discard(old, true);
    return err;
}

static orr_err save_when_due(struct orr_series *s, const struct orr_world *w,
                             struct orr_report *why)
{
    double began = wall_clock();
    bool full = s->automatic || s->bins.n % s->links.tile_rows == 0;
    if (began < s->flush_due + (full ? 0 : FLUSH_S))
        return ORR_OK;
    orr_err err = save_series(s, w, why);
    double now = wall_clock(), pause = FLUSH_SHARE * (now - began);
    s->flush_due = now + (pause > FLUSH_S ? pause : FLUSH_S);
    return err;
}

/* ---- bins --------------------------------------------------------------- */

static uint32_t most_bins(const struct orr_bins *b)
{
    uint32_t cells = b->columns;
    if (b->split)
        cells += orr__split_parts(b->split);
    uint32_t most = cells ? MOST_CELLS / cells : MOST_BINS;
    most = most > MOST_BINS ? MOST_BINS : most;
    return (most < LEAST_BINS ? LEAST_BINS : most) & ~1u;
}

/* Merges only an even number: then all bins stay equally wide. */
static orr_err merge_until_they_fit(struct orr_series *s)
{
    orr_err err = ORR_OK;
    while (err == ORR_OK && s->bins.n % 2 == 0
           && s->bins.n >= most_bins(&s->bins)) {
        err = orr__bins_merge(&s->bins);
        s->interval_ps *= 2;
    }
    return err;
}

/* A control event at the end of a bin. ORR_ENOMEM, or ORR_EIO as the file
 * failed. */
static orr_err close_bin(struct orr_series *s, const struct orr_world *w,
                         int64_t now, struct orr_report *why)
{
    orr_err err = orr__bins_close(&s->bins, w->net, now);
    if (err == ORR_OK && s->automatic)
        err = merge_until_they_fit(s);
    if (err)
        return orr__no_memory(why);
    if (!s->automatic && s->bins.n >= s->links.tile_rows)
        err = write_bins(s, w, false, why);
    if (err == ORR_OK && orr__record_failed(s->record))
        err = orr__record_flush(s->record, why);
    return err;
}

/* When the next bin ends, and those after it. */
static int64_t tell_rhythm(struct orr_series *s, int64_t now)
{
    struct orr_rhythm r = {
        .next_ps = orr__time_add(now, s->interval_ps),
        .interval_ps = s->interval_ps,
        .bins = s->bins.n,
        .most = s->automatic ? most_bins(&s->bins) : 0,
    };
    orr__net_cursor_rhythm(s->bins.cursor, r);
    return r.next_ps;
}

/* Control event: a bin ends now. */
static int64_t on_bin_end(void *world, int64_t now)
{
    struct orr_world *w = world;
    struct orr_series *s = w->watch.series;
    orr_err err = close_bin(s, w, now, &s->why);
    if (err == ORR_OK)
        err = save_when_due(s, w, &s->why);
    if (err) {
        orr__net_fail(w->net, err);
        return ORR_NEVER;
    }
    return tell_rhythm(s, now);
}

/* A sample now, and room for the next. */
static orr_err take_sample(struct orr_series *s, int64_t now,
                           struct orr_report *why)
{
    struct orr_probes *p = &s->probes;
    orr_err err = ORR_OK;
    orr__probes_take(p, now);
    if (p->n < p->room)
        return ORR_OK;
    if (p->automatic)
        orr__probes_thin(p);
    else
        err = write_probes(s, false, why);
    if (err == ORR_OK && orr__record_failed(s->record))
        err = orr__record_flush(s->record, why);
    return err;
}

/* Control event: a sample is due. */
static int64_t on_sample(void *world, int64_t now)
{
    struct orr_world *w = world;
    struct orr_series *s = w->watch.series;
    orr_err err = take_sample(s, now, &s->why);
    if (err) {
        orr__net_fail(w->net, err);
        return ORR_NEVER;
    }
    return orr__time_add(now, s->probes.sample_ps);
}

static orr_err start_probes(struct orr_series *s, struct orr_world *w,
                            struct orr_report *why)
{
    if (!orr__probes_any(&s->probes))
        return ORR_OK;
    if (orr__probes_start(&s->probes, orr__bins_finest(w->graph)))
        return orr__no_memory(why);
    return orr__net_control(w->net, s->probes.sample_ps, on_sample, w, why);
}

/* Control event. */
static int64_t on_slots(void *world, int64_t now)
{
    struct orr_world *w = world;
    struct orr_series *s = w->watch.series;
    orr_err err = orr__slots_take(&s->slots, w, now, &s->why);
    if (err) {
        orr__net_fail(w->net, err);
        return ORR_NEVER;
    }
    return orr__time_add(now, s->slots.sample_ps);
}

static orr_err start_slots(struct orr_series *s, struct orr_world *w,
                           struct orr_report *why)
{
    if (!w->net_config->used.sums)
        return ORR_OK;
    s->slots.sample_ps = orr__bins_finest(w->graph);
    return orr__net_control(w->net, s->slots.sample_ps, on_slots, w, why);
}

orr_err orr__series_start(struct orr_world *w, struct orr_report *why)
{
    struct orr_series *s = w->watch.series;
    if (orr__bins_init(&s->bins, w->net, w->graph->links, s->all_links))
        return orr__no_memory(why);
    if (w->watch.by_job && orr__split_start(w, &s->bins.split, why))
        return why->code;
    if (start_probes(s, w, why) || start_slots(s, w, why))
        return why->code;
    if (s->automatic)
        s->interval_ps = orr__bins_finest(w->graph);
    s->empty = true;
    orr_err err = write_start(s, w, s->record, why);
    if (err == ORR_OK)
        err = orr__packet_capture_start(s->tap, s->record, why);
    struct orr_report full = {.code = ORR_OK};
    if (err == ORR_OK && (err = orr__record_flush(s->record, &full)) != ORR_OK)
        /* As when the file is opened: nothing has run yet. */
        err = orr__fail(why, err == ORR_EIO ? ORR_ECONFIG : err, "%s",
                        full.message);
    if (err)
        return err;
    s->flush_due = wall_clock() + FLUSH_S;
    return orr__net_control(w->net, tell_rhythm(s, 0), on_bin_end, w, why);
}

/* ---- the end ------------------------------------------------------------ */

orr_err orr__series_state(const struct orr_world *w, struct orr_report *why)
{
    const struct orr_series *s = w->watch.series;
    if (s == NULL)
        return ORR_OK;
    if (s->why.code == ORR_OK)
        return orr__packet_capture_state(s->tap, why);
    return orr__fail(why, s->why.code, "%s", s->why.message);
}

orr_err orr__series_close(struct orr_world *w, const char *doubt,
                          struct orr_report *why)
{
    struct orr_series *s = w->watch.series;
    struct orr_record *old = NULL, *r;
    orr_err err = orr__series_state(w, why);
    if (err == ORR_OK && w->result.end_ps > s->bins.open_ps)
        err = close_bin(s, w, w->result.end_ps, why);
    if (err == ORR_OK && orr__probes_last(&s->probes) < w->result.end_ps)
        err = take_sample(s, w->result.end_ps, why);
    if (err == ORR_OK && w->net_config->used.sums)
        err = orr__slots_take(&s->slots, w, w->result.end_ps, why);
    if (err == ORR_OK && s->automatic && !s->empty)
        err = start_anew(s, w, &old, why);
    if (err == ORR_OK)
        err = write_bins(s, w, true, why);
    if (err == ORR_OK)
        err = write_probes(s, true, why);
    if (err == ORR_OK)
        err = orr__packet_capture_finish(s->tap, why);
    if (err == ORR_OK && orr__slots_write(&s->slots, s->record))
        err = orr__no_memory(why);
    if (err == ORR_OK && orr__write_tail(s->record, w))
        err = orr__no_memory(why);
    if (err == ORR_OK && orr__write_doubt(s->record, doubt))
        err = orr__no_memory(why);
    r = s->record;
    s->record = NULL;
    if (err == ORR_OK)
        err = orr__record_close(r, s->target, why);
    else
        orr__record_discard(r, false);
    orr__record_discard(old, false);
    return err ? err : orr__packet_capture_close(s->tap, why);
}

void orr__series_free(struct orr_world *w, bool keep)
{
    struct orr_series *s = w->watch.series;
    if (s == NULL)
        return;
    orr__record_discard(s->record, keep);
    orr__bins_fini(&s->bins);
    orr__probes_fini(&s->probes);
    orr__slots_fini(&s->slots);
    orr__packet_capture_free(s->tap);
    orr__free(s->target);
    orr__free(s->partial);
    orr__free(s->next);
    orr__free(s);
    w->watch.series = NULL;
}

void orr__series_shape(const struct orr_world *w, struct orr_series_shape *out)
{
    const struct orr_series *s = w->watch.series;
    *out = (struct orr_series_shape){.interval_ps = 0};
    if (s == NULL)
        return;
    out->links = w->graph->links;
    if (w->watch.by_job) /* one more beside it, for most */
        out->links *= 2;
    out->interval_ps = s->interval_ps;
    out->flows = s->probes.flows;
    out->ports = s->probes.ports;
    if (orr__probes_any(&s->probes))
        out->sample_ps = s->probes.sample_ps;
}
