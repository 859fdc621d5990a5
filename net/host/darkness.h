/* Links that are dark for a while, as circuits are while they are set: what is
 * to take them waits. All ports of such a run are explicit. */
#ifndef ORR_NET_HOST_DARKNESS_H
#define ORR_NET_HOST_DARKNESS_H

#include <stdint.h>

#include "core/error.h"

struct orr_net;

/* Of a run: which link is next to go dark, or to be lit. */
struct orr_darkness;
ORR_CHECK_RESULT orr_err orr__darkness_start(struct orr_net *n,
                                             struct orr_report *why);
/* Until then something waits that goes on by itself, ps; 0: nothing does. */
int64_t orr__darkness_lasts(const struct orr_net *n);
void orr__darkness_free(struct orr_net *n);

#endif
