/* In the place of record/tap.c, for a net that has no packets: nobody taps it.
 * For one file of a test. */
#ifndef ORR_TESTS_RECORD_UNTAPPED_H
#define ORR_TESTS_RECORD_UNTAPPED_H

#include "record/tap.h"

orr_err orr__tap_read(struct orr_world *w, const struct orr_yaml *pcap,
                      const struct orr_yaml *packets, struct orr_tap **out,
                      struct orr_report *why)
{
    *out = NULL;
    return ORR_OK;
}

orr_err orr__tap_agrees(const struct orr_tap *t, const struct orr_world *w,
                        struct orr_report *why)
{
    return ORR_OK;
}

bool orr__tap_tables(const struct orr_tap *t)
{
    return false;
}

orr_err orr__tap_open(struct orr_tap *t, struct orr_report *why)
{
    return ORR_OK;
}

orr_err orr__tap_start(struct orr_tap *t, struct orr_record *r,
                       struct orr_report *why)
{
    return ORR_OK;
}

orr_err orr__tap_state(const struct orr_tap *t, struct orr_report *why)
{
    return ORR_OK;
}

orr_err orr__tap_finish(struct orr_tap *t, struct orr_report *why)
{
    return ORR_OK;
}

orr_err orr__tap_close(struct orr_tap *t, struct orr_report *why)
{
    return ORR_OK;
}

void orr__tap_free(struct orr_tap *t)
{
}

#endif
