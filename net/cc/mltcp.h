/* The parameters of MLTCP, which a schedule takes as well. */
#ifndef ORR_NET_CC_MLTCP_H
#define ORR_NET_CC_MLTCP_H

#include "net/cc/cc.h"

/* Filled from a parameter table; read only. */
struct orr_mltcp_params {
    struct orr_cc_base base; /* first: see cc.h */
    double slope, intercept; /* of F over an iteration: factor on increases,
                              * never below 0 */
    int function;            /* a place in the choices of its key */
    uint64_t bytes;          /* or ORR_AUTO_SIZE */
    int64_t gap;             /* ps, or ORR_AUTO */
    bool restart; /* each iteration begins with the initial window at most */
};
/* `base` first, and then what is of its own. */
extern const struct orr_param orr__mltcp_params[];
extern const struct orr_cc_ops orr__cc_mltcp;

#endif
