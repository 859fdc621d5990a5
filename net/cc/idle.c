#include "net/cc/idle.h"

static const struct orr_cc_facts *facts_of(const void *around)
{
    return ((const struct orr_cc_around *)around)->facts;
}

const char *orr__cc_idle_marks(const void *set, const void *around)
{
    return facts_of(around)->marks ? NULL : "no queue marks packets";
}

const char *orr__cc_idle_prr(const void *set, const void *around)
{
    return facts_of(around)->goes_back
               ? "`recovery: go-back-n` leaves nothing in flight after a loss"
               : NULL;
}
