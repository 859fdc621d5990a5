/* Collectives that a schedule of MSCCL carries out. A chunk is its share of the
 * message, rounded up; all that a step moves goes in one message. */
#include "workload/collective/msccl.h"
#include "core/none.h"

const struct orr_param orr__msccl_params[] = {
    {
        .key = "file",
        .type = ORR_PARAM_TEXT,
        .offset = offsetof(struct orr_collective, file),
        .help = "a schedule in MSCCL's XML, relative to the configuration",
    },
    {
        .key = "protocol",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_collective, protocol),
        .fallback = "none",
        .choices = (const char *const[]){"none", "ll", "ll128", "simple",
                                         "auto", NULL},
        .help = "costs of copies and steps as in NCCL's tables; auto: the "
                "protocol that the file names; none: they cost nothing",
    },
    {
        .key = "local",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_collective, local),
        .fallback = "",
        .min = "1",
        .max = "1024",
        .help = "ranks of a server, between which steps cost less; default: 1",
    },
    {
        .key = "slots",
        .type = ORR_PARAM_INT,
        .offset = offsetof(struct orr_collective, slots),
        .fallback = "8",
        .min = "1",
        .max = "65536",
        .help = "messages that a connector of two ranks holds",
    },
    ORR_PARAM_END,
};

/* Bytes of so many chunks. */
static uint64_t bytes_of(const struct orr_collective *c, uint64_t bytes,
                         uint32_t count)
{
    uint64_t chunks = c->schedule->chunks;
    if (c->ops->kind == ORR_ALL_GATHER)
        chunks /= c->n;
    ORR_ASSERT(chunks > 0);
    /* NOLINTNEXTLINE(clang-analyzer-core.DivideZero): checked when read */
    uint64_t each = bytes / chunks + (bytes % chunks > 0);
    return each * count;
}

/* The block that a lane is at a member; NULL: it has none there. */
static const struct orr_msccl_block *block_of(const struct orr_collective *c,
                                              struct orr_spot at)
{
    const struct orr_msccl *s = c->schedule;
    if (!s || at.lane >= s->gpu[at.member].blocks)
        return NULL;
    return &s->block[s->gpu[at.member].first + at.lane];
}

static const struct orr_msccl_step *step_of(const struct orr_collective *c,
                                            struct orr_spot at)
{
    const struct orr_msccl_block *b = block_of(c, at);
    return b && at.step < b->steps ? &c->schedule->step[b->first + at.step]
                                   : NULL;
}

static uint32_t lanes(const struct orr_collective *c)
{
    return c->schedule && c->schedule->most_blocks ? c->schedule->most_blocks
                                                   : 1;
}

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    uint32_t most = 0;
    for (uint32_t m = 0; c->schedule && m < c->n; m++) {
        const struct orr_msccl_block *b =
            block_of(c, (struct orr_spot){.member = m, .lane = lane});
        if (b && b->steps > most)
            most = b->steps;
    }
    return most;
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    const struct orr_msccl_step *x = step_of(c, at);
    *sends = x && x->acts & ORR_MSCCL_SENDS;
    *receives = x && x->acts & ORR_MSCCL_RECEIVES;
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    orr__transfer_set(t, block_of(c, at)->send, at.step, false, 0,
                      bytes_of(c, bytes, step_of(c, at)->count));
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    const struct orr_msccl_step *x = step_of(c, at);
    orr__transfer_set(t, block_of(c, at)->receive, at.step,
                      x->acts & ORR_MSCCL_ADDS, 0,
                      bytes_of(c, bytes, x->count));
}

/* The block's step number at.step, as a slice. */
static bool slice(const struct orr_collective *c, uint64_t bytes,
                  struct orr_spot at, struct orr_slice *s)
{
    const struct orr_msccl_block *b = block_of(c, at);
    const struct orr_msccl_step *x = step_of(c, at);
    if (!x)
        return false;
    *s = (struct orr_slice){
        .n_from = (x->acts & ORR_MSCCL_RECEIVES) != 0,
        .n_to = (x->acts & ORR_MSCCL_SENDS) != 0,
        .from = {b->receive},
        .to = {b->send},
        .in = x->in,
        .out = x->out,
        .all_in = b->all_in,
        .channel = b->channel,
        .block = x->block,
        .step = x->step,
    };
    s->bytes_in = bytes_of(c, bytes, x->count);
    s->bytes_out = s->n_to ? s->bytes_in : 0;
    return true;
}

#define OPS(NAME, KIND)                                                        \
    const struct orr_collective_ops orr__##NAME##_msccl = {                    \
        .kind = ORR_##KIND,                                                    \
        .name = "msccl",                                                       \
        .doc = "as a file in MSCCL's XML says, which is checked",              \
        .params = orr__msccl_params,                                           \
        .from_file = true,                                                     \
        .blocks = 1,                                                           \
        .slice = slice,                                                        \
        .lanes = lanes,                                                        \
        .steps = steps,                                                        \
        .count = count,                                                        \
        .send = send,                                                          \
        .receive = receive,                                                    \
    }
OPS(all_reduce, ALL_REDUCE);
OPS(reduce_scatter, REDUCE_SCATTER);
OPS(all_gather, ALL_GATHER);
OPS(all_to_all, ALL_TO_ALL);
