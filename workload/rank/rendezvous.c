/* The rendezvous protocol: a message leaves when its receiver, which has posted
 * the receive, has asked for it. Requests are messages too. They name what they
 * ask for by what both ends know of it: the call and its tag, or the tag of a
 * send. */
#include <xxhash.h>

#include "core/none.h"
#include "workload/rank/rank.h"

/* Keys of r->asked, beside the messages' own. */
enum { REQUESTS };

static uint64_t key_of(uint32_t peer, uint64_t tag, uint32_t arg)
{
    const uint64_t name[] = {tag, (uint64_t)arg << 32 | peer};
    return XXH3_64bits(name, sizeof name);
}

/* Of a send all but its operation, which the receiver does not know. */
static uint64_t common_tag(uint64_t tag, uint32_t arg)
{
    return arg == ORR_ARG_PLAIN ? tag >> 32 : tag;
}

bool orr__rendezvous_send(struct orr_rank *r, const struct orr_later *m)
{
    uint64_t key = key_of(m->peer, common_tag(m->tag, m->arg), m->arg);
    int32_t count = 0;
    if (!orr__mailbox_add(&r->asked, REQUESTS, key, -1, &count)) {
        orr__rank_fail(r);
        return false;
    }
    if (count >= 0)
        return true;
    uint32_t slot = orr__rank_keep(r, m);
    if (slot == ORR_NONE || !orr__receives_add(&r->unasked, key, slot))
        orr__rank_waits_not(r, &r->asked, REQUESTS, key);
    return false;
}

void orr__rendezvous_ask(struct orr_rank *r, int64_t now, uint32_t peer,
                         uint64_t tag, uint32_t arg)
{
    const struct orr_later request = {
        .kind = ORR_LATER_POST,
        .tag = common_tag(tag, arg),
        .bytes = r->team->program->request_bytes,
        .arg = orr__request_of(arg),
        .peer = peer,
    };
    orr__post_now(r, now, &request);
}

void orr__rendezvous_asked(struct orr_rank *r, int64_t now, uint32_t peer,
                           uint64_t tag, uint32_t request)
{
    uint64_t key = key_of(peer, tag, orr__requested_by(request));
    int32_t count;
    if (!orr__mailbox_add(&r->asked, REQUESTS, key, 1, &count)) {
        orr__rank_fail(r);
        return;
    }
    if (count > 0)
        return;
    struct orr_later m =
        orr__rank_take(r, orr__receives_take(&r->unasked, key));
    orr__post_paid(r, now, &m);
}
