/* All-to-all round a ring, one piece a step: a member sends its pieces that
 * have furthest to go first, then passes on, in as many rounds as there are
 * others, those that came and are not for itself. ASTRA-sim's ring all-to-all
 * has these n (n - 1) / 2 steps. */
#include "workload/collective/collective.h"

static const struct orr_param params[] = {
    {
        .key = "direction",
        .type = ORR_PARAM_CHOICE,
        .offset = offsetof(struct orr_collective, direction),
        .fallback = "forward",
        .choices = (const char *const[]){"forward", "backward", NULL},
        .help = "direction: group[i] to group[i + 1], or back",
    },
    ORR_PARAM_END,
};

static uint32_t steps(const struct orr_collective *c, uint32_t lane)
{
    uint64_t all = c->n ? (uint64_t)c->n * (c->n - 1) / 2 : 0;
    return all < ORR_MAX_STEPS ? (uint32_t)all : ORR_MAX_STEPS;
}

static void count(const struct orr_collective *c, struct orr_spot at,
                  uint32_t *sends, uint32_t *receives)
{
    *sends = *receives = 1;
}

/* Steps before round r: it has n - 1 - r of them. */
static uint64_t before(const struct orr_collective *c, uint64_t r)
{
    return r * (c->n - 1) - (r ? r * (r - 1) / 2 : 0);
}

/* The piece that `member` sends in a step, on its way from who had it first. */
static void piece_of_member(const struct orr_collective *c, uint64_t bytes,
                            uint32_t member, struct orr_spot at,
                            struct orr_transfer *t)
{
    uint32_t low = 0, high = c->n - 2;
    while (low < high) {
        uint32_t mid = low + (high - low + 1) / 2;
        if (before(c, mid) <= at.step)
            low = mid;
        else
            high = mid - 1;
    }
    uint32_t i = at.step - (uint32_t)before(c, low);
    uint32_t origin = orr__behind(c, member, low);
    uint32_t target = orr__member_ahead(c, origin, c->n - 1 - i);
    if (c->sizes) {
        t->bytes = orr__bytes_between(c->sizes, at.drawing, origin, target);
        t->range[0].bytes = t->bytes;
        return;
    }
    t->bytes = orr__piece_bytes(bytes, c->n, target);
    t->range[0].first = origin * bytes + orr__piece_start(bytes, c->n, target);
    t->range[0].bytes = t->bytes;
}

static void send(const struct orr_collective *c, uint64_t bytes,
                 struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    orr__transfer_set(t, orr__member_ahead(c, at.member, 1), at.step, false, 0,
                      0);
    piece_of_member(c, bytes, at.member, at, t);
}

static void receive(const struct orr_collective *c, uint64_t bytes,
                    struct orr_spot at, uint32_t i, struct orr_transfer *t)
{
    uint32_t from = orr__behind(c, at.member, 1);
    orr__transfer_set(t, from, at.step, false, 0, 0);
    piece_of_member(c, bytes, from, at, t);
}

const struct orr_collective_ops orr__all_to_all_relay = {
    .kind = ORR_ALL_TO_ALL,
    .name = "relay",
    .doc = "pieces are forwarded round a ring one by one, n (n - 1) / 2 steps",
    .params = params,
    .unequal = true,
    .steps = steps,
    .count = count,
    .send = send,
    .receive = receive,
};
