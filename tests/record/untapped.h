/* In the place of record/packet_capture.c, for a net that has no packets:
 * nobody taps it. For one file of a test. */
#ifndef ORR_TESTS_RECORD_UNTAPPED_H
#define ORR_TESTS_RECORD_UNTAPPED_H

#include "record/packet_capture.h"

orr_err orr__packet_capture_read(struct orr_world *w,
                                 const struct orr_yaml *pcap,
                                 const struct orr_yaml *packets,
                                 struct orr_packet_capture **out,
                                 struct orr_report *why)
{
    *out = NULL;
    return ORR_OK;
}

orr_err orr__packet_capture_agrees(const struct orr_packet_capture *t,
                                   const struct orr_world *w,
                                   struct orr_report *why)
{
    return ORR_OK;
}

bool orr__packet_capture_tables(const struct orr_packet_capture *t)
{
    return false;
}

orr_err orr__packet_capture_open(struct orr_packet_capture *t,
                                 struct orr_report *why)
{
    return ORR_OK;
}

orr_err orr__packet_capture_start(struct orr_packet_capture *t,
                                  struct orr_record *r, struct orr_report *why)
{
    return ORR_OK;
}

orr_err orr__packet_capture_state(const struct orr_packet_capture *t,
                                  struct orr_report *why)
{
    return ORR_OK;
}

orr_err orr__packet_capture_finish(struct orr_packet_capture *t,
                                   struct orr_report *why)
{
    return ORR_OK;
}

orr_err orr__packet_capture_close(struct orr_packet_capture *t,
                                  struct orr_report *why)
{
    return ORR_OK;
}

void orr__packet_capture_free(struct orr_packet_capture *t)
{
}

#endif
