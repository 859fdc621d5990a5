/* Entropies on the wire: a packet's hash is its connection's with the entropy's
 * bits turned, and its ACK has the same (net/path/entropy.h). */
#include "core/memory.h"
#include "net/host/host.h"
#include "net/path/entropy.h"

bool orr__entropies_init(const struct orr_net *n, struct orr_sender *s)
{
    const struct orr_entropy_ops *ops = n->config->entropy;
    const struct orr_path_params *p = &n->config->path_params;

    if (!ops)
        return true;
    s->entropies = orr__alloc(1, sizeof *s->entropies + ops->bytes(p));
    if (!s->entropies)
        return false;
    orr__random_init(&s->entropies->draw, n->seed, s->hash,
                     ORR_PURPOSE_ENTROPY);
    if (ops->init)
        ops->init(s->entropies->state, p, &s->entropies->draw);
    return true;
}

void orr__entropies_free(const struct orr_net *n, struct orr_sender *s)
{
    if (s->entropies && n->config->entropy->fini)
        n->config->entropy->fini(s->entropies->state);
    orr__free(s->entropies);
    s->entropies = NULL;
}

void orr__entropies_give(const struct orr_net *n, struct orr_sender *s,
                         struct orr_packet *p)
{
    p->hash ^= n->config->entropy->next(
        s->entropies->state, &n->config->path_params, &s->entropies->draw);
}

/* A cut on the last link says nothing of the path before it. */
static enum orr_entropy_news news_of(const struct orr_packet *ack)
{
    uint32_t flags = ack->size_flags;

    if (flags & ORR_PACKET_NACK && !(flags & ORR_PACKET_AT_END))
        return ORR_ENTROPY_CUT;
    return flags & ORR_PACKET_ECHO ? ORR_ENTROPY_MARK : ORR_ENTROPY_GOOD;
}

void orr__entropies_hear(struct orr_net *n, struct orr_sender *s,
                         const struct orr_packet *ack, int64_t now)
{
    const struct orr_entropy_ops *ops = n->config->entropy;
    uint32_t entropy = ack ? ack->hash ^ s->path_hash : 0;

    if (!s->entropies || !ops->hear)
        return;
    if (!ops->hear(s->entropies->state, &n->config->path_params, entropy,
                   ack ? news_of(ack) : ORR_ENTROPY_TIMEOUT, now))
        orr__fabric_out_of_memory(n);
}
