/* No control: the window stays what `network.window` says, unlimited by
 * default; the NIC then sends at line rate. */
#include "net/cc/cc.h"

static const struct orr_param params[] = {ORR_PARAM_END};

extern const struct orr_cc_ops orr__cc_none;
const struct orr_cc_ops orr__cc_none = {
    .name = "none",
    .doc = "a fixed window (network.window), unlimited by default",
    .params = params,
};
