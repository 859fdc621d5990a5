/* Controls made of others. */
#ifndef ORR_NET_CC_WRAPPED_H
#define ORR_NET_CC_WRAPPED_H

#include "net/cc/cc.h"

/* A copy of a control with another value of one parameter, a time. *out is NULL
 * if it has none of that name. Owned by the document. */
ORR_CHECK_RESULT orr_err orr__cc_with_time(struct orr_config *c,
                                           const struct orr_cc *cc,
                                           const char *key, int64_t ps,
                                           const struct orr_cc **out,
                                           struct orr_report *why);

/* A wrapper around a control that is there: a copy of these parameters with
 * their struct orr_cc_base filled in. Owned by the document. */
ORR_CHECK_RESULT orr_err orr__cc_wrap(struct orr_config *c,
                                      const struct orr_cc_ops *wrapper,
                                      const void *params,
                                      const struct orr_cc *base,
                                      const struct orr_cc **out,
                                      struct orr_report *why);

#endif
