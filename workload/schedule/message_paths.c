/* The links that messages of a job take, and what they put on each. */
#include "net/config/config.h"
#include "workload/rank/rank.h"
#include "workload/schedule/outline.h"

uint32_t orr__own_path(const struct orr_world *w, const struct orr_job *j,
                       uint32_t src, uint32_t dst, bool forward, uint32_t *link,
                       uint32_t max)
{
    const struct orr_connection_spec spec =
        orr__post_spec(j->team, 0, src, dst);
    uint32_t n = orr__net_path_of(w->net, &spec, forward, link, max);
    return n < max ? n : max;
}

void orr__parcel_links(const struct orr_world *w,
                       const struct orr_message_paths *paths,
                       const struct orr_parcel *p,
                       void (*fn)(void *arg, uint32_t link, uint64_t bytes),
                       void *arg)
{
    struct orr_net_wire wire = orr__net_wire(w->net_config);
    uint32_t link[ORR_PATH_LINKS], n;
    uint64_t each = p->messages ? p->bytes / p->messages : 0;
    if (p->src == ORR_NONE) {
        fn(arg, p->dst, p->bytes);
        return;
    }
    n = paths->links(paths->arg, p->src, p->dst, true, link, ORR_PATH_LINKS);
    uint64_t mtu = n <= 2 ? wire.local_mtu : wire.mtu, least = UINT64_MAX;
    for (uint32_t i = 0; w->net_config->rules && i < n; i++) {
        uint64_t here = orr__payload_on(w->net_config, link[i], mtu);
        least = here < least ? here : least;
    }
    mtu = least < UINT64_MAX ? least : mtu;
    uint64_t packets = each && !wire.whole ? (each + mtu - 1) / mtu : 1;
    packets *= p->messages;
    for (uint32_t i = 0; i < n; i++)
        fn(arg, link[i], p->bytes + packets * wire.header);
    if (!wire.reliable || !wire.ack)
        return;
    n = paths->links(paths->arg, p->src, p->dst, false, link, ORR_PATH_LINKS);
    for (uint32_t i = 0; i < n; i++)
        fn(arg, link[i],
           (packets + wire.ack_every - 1) / wire.ack_every * wire.ack);
}
