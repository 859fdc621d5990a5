/* Links whose rate changes while the run goes on. */
#ifndef ORR_NET_PORT_RETUNE_H
#define ORR_NET_PORT_RETUNE_H

#include "core/error.h"

struct orr_net;

/* Of a run: rates as they are now. _make before there are ports. */
struct orr_retuning;
ORR_CHECK_RESULT orr_err orr__retuning_make(struct orr_net *n,
                                            struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__retuning_start(struct orr_net *n,
                                             struct orr_report *why);
void orr__retuning_free(struct orr_net *n);

#endif
