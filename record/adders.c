#include "record/adders.h"

#include <string.h>

#include "core/array.h"
#include "core/memory.h"
#include "net/net.h"
#include "record/rows.h"

/* Times that are kept: so many at most, and fewer, but at least some, where
 * they would be more samples. */
#define MOST_TIMES   1024u
#define LEAST_TIMES  64u
#define MOST_SAMPLES (UINT32_C(1) << 16)

/* A row of /in_network: what one switch or server counted over the run. */
struct adder_row {
    uint32_t node;
    uint64_t summed, sums, copies, results, fallen_back, duplicates, collisions,
        no_slots, evictions, most_slots;
    double mean_slots;
};

static const struct orr_row_field adder_fields[] = {
    ORR_FIELD(adder_row, node, U32, "1", "switch, or server, that adds", NULL),
    ORR_FIELD(adder_row, summed, U64, "1", "packets that it took in to add",
              NULL),
    ORR_FIELD(adder_row, sums, U64, "1", "packets that it made of them", NULL),
    ORR_FIELD(adder_row, copies, U64, "1",
              "packets that it made more than it got", NULL),
    ORR_FIELD(adder_row, results, U64, "1", "sums of all members", NULL),
    ORR_FIELD(adder_row, fallen_back, U64, "1",
              "of these results, that a server added up in part", NULL),
    ORR_FIELD(adder_row, duplicates, U64, "1",
              "packets that were in a sum already", NULL),
    ORR_FIELD(adder_row, collisions, U64, "1",
              "packets whose slot another one had", NULL),
    ORR_FIELD(adder_row, no_slots, U64, "1", "packets that found no slot",
              NULL),
    ORR_FIELD(adder_row, evictions, U64, "1",
              "sums taken out of their slot before they were whole", NULL),
    ORR_FIELD(adder_row, most_slots, U64, "1", "slots in use at one time",
              NULL),
    ORR_FIELD(adder_row, mean_slots, F64, "1", "slots in use, over time", NULL),
};

/* Where adder_row goes on: many nodes have no row. */
struct adders {
    const struct orr_net *net;
    uint32_t next; /* node to be looked at */
};

/* Goes on to the next node that adds; write_adders has counted them, so there
 * is one. i is not needed: rows come in order. */
static void adder_row(void *from, uint64_t i, void *row)
{
    struct adders *a = from;
    struct orr_group_totals t;
    while (!orr__net_group_node(a->net, a->next, &t))
        a->next++;
    *(struct adder_row *)row = (struct adder_row){
        .node = a->next++,
        .summed = t.summed,
        .sums = t.sums,
        .copies = t.copies,
        .results = t.results,
        .fallen_back = t.fallen_back,
        .duplicates = t.duplicates,
        .collisions = t.collisions,
        .no_slots = t.no_slots,
        .evictions = t.evictions,
        .most_slots = t.most_slots,
        .mean_slots = t.mean_slots,
    };
}

orr_err orr__adders_write(struct orr_record *r, const struct orr_world *w)
{
    static const struct orr_rows rows =
        ORR_ROWS(adder_fields, adder_row, adder_row);
    struct adders a = {w->net, 0};
    struct orr_group_totals t;
    uint64_t n = 0;
    if (!orr__net_has_groups(w->net))
        return ORR_OK;
    for (uint32_t i = 0; i < w->graph->nodes; i++)
        n += orr__net_group_node(w->net, i, &t);
    return orr__rows_write(r, orr__record_group(r, "in_network"), &rows, &a, n);
}

/* ---- slots over time ------------------------------------------------------
 */

/* Only where it is even: what was counted until an odd time is in the next. */
static void drop_every_other(struct orr_slot_series *s)
{
    uint32_t kept = 0;
    bool odd = true; /* the first time */
    for (uint32_t i = 0; i < s->n; i++) {
        if (i > 0 && s->held[i].time != s->held[i - 1].time)
            odd = !odd;
        if (!odd)
            s->held[kept++] = s->held[i];
    }
    s->n = kept;
    s->sample_ps *= 2;
}

/* What a switch has counted by `now`, ps. */
static struct orr_adder_sample sample_of(uint32_t node, int64_t now,
                                         const struct orr_group_totals *t)
{
    return (struct orr_adder_sample){
        .time = now,
        .node = node,
        .area = t->slot_ps,
        .no_slots = t->no_slots,
        .collisions = t->collisions,
        .duplicates = t->duplicates,
        .evictions = t->evictions,
    };
}

orr_err orr__slots_take(struct orr_slot_series *s, const struct orr_world *w,
                        int64_t now, struct orr_report *why)
{
    struct orr_group_totals t;
    uint32_t nodes = 0;
    for (uint32_t v = 0; v < w->graph->nodes; v++) {
        if (!orr__net_group_node(w->net, v, &t))
            continue;
        if (!orr__array_more(s->held, s->room, s->n))
            return orr__no_memory(why);
        s->held[s->n++] = sample_of(v, now, &t);
        nodes++;
    }
    if (nodes
        && (s->n / nodes >= MOST_TIMES
            || (s->n >= MOST_SAMPLES && s->n / nodes >= LEAST_TIMES)))
        drop_every_other(s);
    return ORR_OK;
}

void orr__slots_fini(struct orr_slot_series *s)
{
    orr__free(s->held);
}

/* A row of /in_network_series: a switch from the time before to this one. */
struct slot_row {
    int64_t time;
    double time_s;
    uint32_t node;
    double slots;
    uint64_t no_slots, collisions, duplicates, evictions;
};

static const struct orr_row_field slot_fields[] = {
    ORR_FIELD(slot_row, time, I64, "ps",
              "end of the time that the row is about, which begins with the "
              "node's row before",
              NULL),
    ORR_FIELD(slot_row, time_s, F64, "s", "the same", NULL),
    ORR_FIELD(slot_row, node, U32, "1", "switch, or server, that adds", NULL),
    ORR_FIELD(slot_row, slots, F64, "1", "slots in use, mean of that time",
              NULL),
    ORR_FIELD(slot_row, no_slots, U64, "1", "packets that found no slot", NULL),
    ORR_FIELD(slot_row, collisions, U64, "1",
              "packets whose slot another one had", NULL),
    ORR_FIELD(slot_row, duplicates, U64, "1",
              "packets that were in a sum already", NULL),
    ORR_FIELD(slot_row, evictions, U64, "1",
              "sums taken out of their slot before they were whole", NULL),
};

/* The row before of the same node; zeros: its first. */
static struct orr_adder_sample row_before(const struct orr_slot_series *s,
                                          uint64_t i)
{
    uint32_t node = s->held[i].node;
    while (i-- > 0)
        if (s->held[i].node == node)
            return s->held[i];
    return (struct orr_adder_sample){0};
}

/* Row i, of a struct orr_slot_series. */
static void slot_row(void *from, uint64_t i, void *row)
{
    const struct orr_slot_series *s = from;
    const struct orr_adder_sample *x = &s->held[i];
    struct orr_adder_sample b = row_before(s, i);
    double span = (double)(x->time - b.time);
    *(struct slot_row *)row = (struct slot_row){
        .time = x->time,
        .time_s = (double)x->time / 1e12,
        .node = x->node,
        .slots = span > 0 ? (x->area - b.area) / span : 0,
        .no_slots = x->no_slots - b.no_slots,
        .collisions = x->collisions - b.collisions,
        .duplicates = x->duplicates - b.duplicates,
        .evictions = x->evictions - b.evictions,
    };
}

orr_err orr__slots_write(const struct orr_slot_series *s, struct orr_record *r)
{
    static const struct orr_rows rows =
        ORR_ROWS(slot_fields, slot_row, slot_row);
    if (!s->n)
        return ORR_OK;
    return orr__rows_write(r, orr__record_group(r, "in_network_series"), &rows,
                           (void *)s, s->n);
}
