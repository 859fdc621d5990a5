/* Links whose rate changes while the run goes on. */
#ifndef ORR_NET_PORT_RATE_CHANGE_H
#define ORR_NET_PORT_RATE_CHANGE_H

#include "core/error.h"

struct orr_net;

/* Of a run: rates as they are now. _make before there are ports. */
struct orr_rate_changes;
ORR_CHECK_RESULT orr_err orr__rate_changes_make(struct orr_net *n,
                                                struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__rate_changes_start(struct orr_net *n,
                                                 struct orr_report *why);
void orr__rate_changes_free(struct orr_net *n);

#endif
