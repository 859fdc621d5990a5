/* `record: {pcap: ..., packets: ...}`: what packets met, as a pcapng file and
 * as tables of the record. Looks on (net/watch/packet_observer.h), and changes
 * nothing. */
#ifndef ORR_RECORD_PACKET_CAPTURE_H
#define ORR_RECORD_PACKET_CAPTURE_H

#include "core/config/param.h"
#include "core/error.h"
#include "record/record.h"
#include "workload/world.h"

struct orr_packet_capture;

/* For `orrery help pcap` and `help packets`. */
const struct orr_param *orr__pcap_params(void);
const struct orr_param *orr__packets_params(void);

/* Reads both nodes (NULL: not asked for); *out stays NULL if nothing is. Flows
 * and jobs of w are there. */
ORR_CHECK_RESULT orr_err orr__packet_capture_read(
    struct orr_world *w, const struct orr_yaml *pcap,
    const struct orr_yaml *packets, struct orr_packet_capture **out,
    struct orr_report *why);
/* What `repeat` skips has no packets: refuses both. */
ORR_CHECK_RESULT orr_err
orr__packet_capture_agrees(const struct orr_packet_capture *t,
                           const struct orr_world *w, struct orr_report *why);
/* Whether the record gets tables, which cannot be written twice. */
bool orr__packet_capture_tables(const struct orr_packet_capture *t);
/* Creates the pcapng file, beside w->output unless it says where. ECONFIG: it
 * cannot be written there. */
ORR_CHECK_RESULT orr_err orr__packet_capture_open(struct orr_packet_capture *t,
                                                  struct orr_report *why);
/* Before the run, once the record has its groups: looks on, and writes now and
 * then what is over. A failure ends the run: orr__packet_capture_state. */
ORR_CHECK_RESULT orr_err orr__packet_capture_start(struct orr_packet_capture *t,
                                                   struct orr_record *r,
                                                   struct orr_report *why);
ORR_CHECK_RESULT orr_err orr__packet_capture_state(
    const struct orr_packet_capture *t, struct orr_report *why);
/* After the run, while the record is open: the rest of the tables ... */
ORR_CHECK_RESULT orr_err orr__packet_capture_finish(
    struct orr_packet_capture *t, struct orr_report *why);
/* ... and the pcapng file gets its name. */
ORR_CHECK_RESULT orr_err orr__packet_capture_close(struct orr_packet_capture *t,
                                                   struct orr_report *why);
/* Removes what was not closed; NULL is fine. */
void orr__packet_capture_free(struct orr_packet_capture *t);

#endif
