/* When keys of a congestion control have no effect (orr_param_idle): of all
 * these, `around` is the struct orr_cc_around. */
#ifndef ORR_NET_CC_IDLE_H
#define ORR_NET_CC_IDLE_H

#include "net/cc/cc.h"

/* Borrowed for the call of one orr_param_idle: nothing here is owned. */
struct orr_cc_around {
    const void *params; /* of the control that has the key, `auto` resolved */
    const struct orr_cc_facts *facts; /* what the network says */
};

/* Beside the key's own struct, as a pointer to type. */
#define ORR_CC_AROUND(type, around)                                            \
    ((const type *)((const struct orr_cc_around *)(around))->params)

orr_param_idle orr__cc_idle_marks, orr__cc_idle_prr, orr__cc_idle_prr_form;

#endif
