/* Parameter tables of the operations: for reading and for help. */
#include "workload/program/keys.h"

#include <string.h>

const struct orr_param orr__compute_params[] = {
    {
        .key = "time",
        .type = ORR_PARAM_TIME,
        .offset = offsetof(struct orr_compute_keys, time),
        .help = "duration",
    },
    {
        .key = "stream",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_compute_keys, stream),
        .fallback = "0",
        .min = "0",
        .max = "255",
        .help = "computations of one stream run one after another",
    },
    {
        .key = "jitter",
        .type = ORR_PARAM_NODE,
        .offset = offsetof(struct orr_compute_keys, jitter),
        .fallback = "",
        .help = "variation of the time; default: the job's",
    },
    ORR_PARAM_END,
};

#define TAG_PARAM                                                              \
    {                                                                          \
        .key = "tag", .type = ORR_PARAM_INT,                                   \
        .offset = offsetof(struct orr_message_keys, tag), .fallback = "0",     \
        .min = "0", .max = "4294967295",                                       \
        .help = "send and recv match by source and tag, in order",             \
    }
const struct orr_param orr__send_params[] = {
    {
        .key = "to",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct orr_message_keys, to),
        .help = "a rank, or +n or -n: relative to the sender, modulo ranks",
    },
    {
        .key = "from",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct orr_message_keys, from),
        .fallback = "",
        .help = "this rank sends, and `to` receives: no recv is needed; "
                "default: all ranks (or those of `ranks`) send",
    },
    {
        .key = "size",
        .type = ORR_PARAM_SIZE,
        .offset = offsetof(struct orr_message_keys, size),
        .max = "1000000TB",
        .help = "bytes of the message",
    },
    TAG_PARAM,
    ORR_PARAM_END,
};
static const char *sent_in_any_case(const void *set, const void *around)
{
    return "the send decides";
}

const struct orr_param orr__recv_params[] = {
    {
        .key = "from",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct orr_message_keys, from),
        .help = "a rank, or +n or -n: relative to the receiver, modulo ranks",
    },
    {
        .key = "size",
        .type = ORR_PARAM_SIZE,
        .offset = offsetof(struct orr_message_keys, size),
        .fallback = "",
        .help = "bytes expected, for information: the send decides (as in MPI, "
                "where recv gives the room)",
        .idle = sent_in_any_case,
    },
    TAG_PARAM,
    ORR_PARAM_END,
};

/* ---- keys of collectives without effect ---------------------------------- */

static const char *waits_for_nothing(const void *set, const void *around)
{
    const struct orr_call_facts *f = around;

    if (f->members == 1)
        return "a group of one sends nothing";
    return f->empty ? "there are no bytes to send" : NULL;
}

/* Beside `sizes`, which give parts of it, it is in no result. */
static const char *of_one(const void *set, const void *around)
{
    const struct orr_call_keys *k = set;
    const struct orr_call_facts *f = around;

    return k->sizes && f->members == 1 ? "a group of one sends nothing" : NULL;
}

static const char *one_message(const void *set, const void *around)
{
    const struct orr_call_facts *f = around;

    if (f->kind == ORR_BARRIER)
        return "a barrier is not cut into chunks";
    return waits_for_nothing(set, around);
}

static const char *one_at_a_time(const void *set, const void *around)
{
    const struct orr_call_keys *k = set;
    const char *why = one_message(set, around);

    return why              ? why
           : k->chunks == 1 ? "with `chunks: 1` there is no other"
                            : NULL;
}

/* What `memory` is the rate of. */
static const char *adds_nothing(const void *set, const void *around)
{
    const struct orr_call_facts *f = around;

    if (f->kind != ORR_ALL_REDUCE && f->kind != ORR_REDUCE_SCATTER
        && f->kind != ORR_REDUCE)
        return "nothing is added up";
    if (f->members == 1)
        return "a group of one adds nothing up";
    if (f->in_channels)
        return "adding up costs what `protocol` says";
    return f->bytes == 0 ? "there are no bytes to add up" : NULL;
}

static const struct orr_param call_params[] = {
    {
        .key = "algorithm",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct orr_call_keys, algorithm),
        .help = "see `orrery list collectives`",
    },
    {
        .key = "group",
        .type = ORR_PARAM_INTS,
        .offset = offsetof(struct orr_call_keys, group),
        .fallback = "",
        .help = "the participating ranks, in order; default: all",
    },
    {
        .key = "chunks",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_call_keys, chunks),
        .fallback = "1",
        .min = "1",
        .max = "16384",
        .help = "parts of the message",
        .idle = one_message,
    },
    {
        .key = "concurrent",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_call_keys, concurrent),
        .fallback = "1",
        .min = "1",
        .max = "16384",
        .help = "chunks in flight at a rank",
        .idle = one_at_a_time,
    },
    {
        .key = "endpoint_delay",
        .type = ORR_PARAM_TIME,
        .offset = offsetof(struct orr_call_keys, delay),
        .fallback = "0ns",
        .help = "added when a chunk starts and after each received step",
        .idle = waits_for_nothing,
    },
    {
        .key = "memory",
        .type = ORR_PARAM_RATE,
        .offset = offsetof(struct orr_call_keys, memory),
        .fallback = "",
        .help = "each reducing step costs three passes over its bytes at this "
                "rate; default: no cost",
        .idle = adds_nothing,
    },
    ORR_PARAM_END,
};
static const struct orr_param size_param = {
    .key = "size",
    .type = ORR_PARAM_SIZE,
    .offset = offsetof(struct orr_call_keys, size),
    .max = "1000000TB",
    .help = "bytes: what each rank holds (all-reduce, reduce-scatter, "
            "all-to-all), contributes (all-gather, gather), gets (scatter), "
            "or the message (broadcast, reduce)",
    .idle = of_one,
};
static const struct orr_param sizes_param = {
    .key = "sizes",
    .type = ORR_PARAM_NODE,
    .offset = offsetof(struct orr_call_keys, sizes),
    .fallback = "",
    .help =
        "sizes between ranks: a matrix whose rows are senders (the diagonal "
        "does not count), a file with one in bytes, or parts of `size`: {zipf: "
        "exponent}, {hot: {rank, share}}; default: equal parts",
    .idle = waits_for_nothing,
};
static const char *no_sizes(const void *set, const void *around)
{
    const struct orr_call_keys *k = set;
    const struct orr_call_facts *f = around;
    return f->members == 1 ? "a group of one sends nothing"
           : k->sizes      ? NULL
                           : "all parts are equal";
}

static const char *drawn_once(const void *set, const void *around)
{
    const struct orr_call_keys *k = set;
    return k->draw.each == ORR_EACH_RUN ? "only `each: iteration` draws anew"
                                        : no_sizes(set, around);
}

static const struct orr_param draw_params[] = {
    {
        .key = "each",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_call_keys, draw.each),
        .fallback = "run",
        .choices = (const char *const[]){"run", "iteration", NULL},
        .help = "run: the rank at a place of the group has the sizes of that "
                "place; iteration: from the second iteration on it is drawn "
                "anew which rank has the sizes of which place",
        .idle = no_sizes,
    },
    {
        .key = "draw_every",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_call_keys, draw.every),
        .fallback = "1",
        .min = "1",
        .max = "65536",
        .help = "each: iteration: only after so many iterations",
        .idle = drawn_once,
    },
};
static const struct orr_param root_param = {
    .key = "root",
    .type = ORR_PARAM_INT,
    .offset = offsetof(struct orr_call_keys, root),
    .fallback = "",
    .help = "the rank it starts from or ends at; default: the group's first",
};

void orr__call_params(enum orr_collective_kind k, struct orr_param *table)
{
    uint32_t n = 0;
    if (k != ORR_BARRIER)
        table[n++] = size_param;
    for (const struct orr_param *p = call_params; p->key; p++) {
        table[n] = *p;
        if (!strcmp(p->key, "algorithm"))
            table[n].fallback = orr__collective_find(k, NULL)->name;
        n++;
    }
    if (k == ORR_ALL_TO_ALL) {
        table[0].help = "bytes that each rank holds, in equal parts for all; "
                        "with zipf or hot: what it sends; with a matrix: none";
        table[n++] = sizes_param;
        table[n++] = draw_params[0];
        table[n++] = draw_params[1];
    }
    if (orr__collective_rooted(k))
        table[n++] = root_param;
    table[n] = (struct orr_param)ORR_PARAM_END;
}
