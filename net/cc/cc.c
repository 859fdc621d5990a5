#include "net/cc/cc.h"

#include "net/cc/list.h"

#define DECLARE(name) extern const struct orr_cc_ops orr__cc_##name;
ORR_CC_LIST(DECLARE)
#undef DECLARE

const struct orr_cc_ops *const *orr__cc_kinds(void)
{
#define ENTRY(name) &orr__cc_##name,
    static const struct orr_cc_ops *const all[] = {ORR_CC_LIST(ENTRY) NULL};
#undef ENTRY

    return all;
}
