/* The time of a run, and what is to happen at times of it. */
#include "net/fabric/fabric.h"

int64_t orr__net_now(const struct orr_net *n)
{
    return orr__windows_now(n->windows);
}

int64_t orr__net_moment(const struct orr_net *n)
{
    return n->ended ? ORR_NEVER : orr__windows_now(n->windows);
}

orr_err orr__net_control(struct orr_net *n, int64_t at,
                         int64_t (*fn)(void *arg, int64_t now), void *arg,
                         struct orr_report *why)
{
    return orr__windows_control(n->windows, at, fn, arg, why);
}
