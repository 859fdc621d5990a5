#include "net/cc/idle.h"

#include "net/cc/reno.h"

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

/* These come first in the parameters of each control that has them. */
const char *orr__cc_idle_prr_form(const void *set, const void *around)
{
    const struct orr_reno_params *p = set;
    const char *why = orr__cc_idle_prr(set, around);

    return why || p->prr || p->prr_marks ? why
                                         : "with `prr: false` there is none";
}
