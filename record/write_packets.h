/* The groups /packets and /packet_flows of a record: what packets of chosen
 * connections met, port by port. */
#ifndef ORR_RECORD_WRITE_PACKETS_H
#define ORR_RECORD_WRITE_PACKETS_H

#include "record/packet_log.h"
#include "record/record.h"
#include "record/rows.h"

/* Owns `named`; record and world are the caller's. */
struct orr_packets_writer {
    struct orr_record *record;
    const struct orr_world *world;
    struct orr_named *named;     /* connections, by identity */
    uint32_t n_named;            /* of these, which are owned */
    uint64_t rows;               /* so far */
    int dataset[ORR_FIELDS_MAX]; /* objects of the record, by field */
};

/* Creates the groups. To be freed with _fini. ENOMEM; failures of the file
 * show in the record, here and below. */
ORR_CHECK_RESULT orr_err orr__packets_begin(struct orr_packets_writer *o,
                                            struct orr_record *r,
                                            const struct orr_world *w,
                                            const struct orr_selection *s);
/* Those rows among n that packets are wanted of; moves them about. */
ORR_CHECK_RESULT orr_err orr__packets_add(struct orr_packets_writer *o,
                                          struct orr_packet_row *row,
                                          uint64_t n);
void orr__packets_fini(struct orr_packets_writer *o);

#endif
