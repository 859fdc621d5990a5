/* Entropies in turn, of which some are left out for a while: by `bitmap`, and
 * by `mixed`. */
#ifndef ORR_NET_PATH_BITMAP_H
#define ORR_NET_PATH_BITMAP_H

#include "net/path/entropy.h"

/* Of a connection. */
struct orr_bitmap {
    struct orr_entropy_turn turn;
    uint8_t penalty[]; /* turns that each is to be left out yet */
};

size_t orr__bitmap_bytes(const struct orr_path_params *p);
uint32_t orr__bitmap_next(struct orr_bitmap *b, const struct orr_path_params *p,
                          struct orr_random *draw);
void orr__bitmap_hear(struct orr_bitmap *b, const struct orr_path_params *p,
                      uint32_t entropy, enum orr_entropy_news news);

#endif
