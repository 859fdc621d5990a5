/* The columns of /links: what each link, or a part of what it carries, did in
 * each bin. One a line; a new one needs nothing else, if struct orr_link_sample
 * has a member of that name (for MAX: what orr__net_take_max returns).
 *
 *   X(ID, MEMBER, TYPE, ADDS, SHOWN, NAME, UNIT, PART, LONG_NAME)
 *
 *   ID        ORR_CELL_ID
 *   MEMBER    of struct orr_cell, of 8 bytes: the difference of two samples
 *   TYPE      its type in C
 *   ADDS      how bins become one: SUM of whole numbers, REAL (a sum), or MAX
 *   SHOWN     AS_IT_IS, as a 64-bit number; or OVER_TIME, divided by the length
 *             of the bin, as a 32-bit float
 *   NAME      of the dataset, with its UNIT
 *   PART      its name where links are split by job; "" where parts have none
 *   LONG_NAME what it is, for readers of the file */
#ifndef ORR_RECORD_LINK_COLUMNS_H
#define ORR_RECORD_LINK_COLUMNS_H

#define ORR_LINK_COLUMNS(X)                                                    \
    X(BYTES, bytes, uint64_t, SUM, AS_IT_IS, "bytes", "B", "part_bytes",       \
      "wire bytes sent in the bin")                                            \
    X(BUSY, busy_ps, int64_t, SUM, OVER_TIME, "utilization", "1",              \
      "part_utilization", "share of the time in which it was sending")         \
    X(AREA, area, double, REAL, OVER_TIME, "mean_queue", "B", "",              \
      "queue, weighted by time")                                               \
    X(MAX_QUEUE, max_queue, uint64_t, MAX, AS_IT_IS, "max_queue", "B", "",     \
      "longest queue")                                                         \
    X(MARKS, marks, uint64_t, SUM, AS_IT_IS, "marks", "1", "part_marks",       \
      "packets marked with congestion experienced")                            \
    X(DROPS, drops, uint64_t, SUM, AS_IT_IS, "drops", "1", "part_drops",       \
      "packets lost, by a full queue or on the wire")                          \
    X(PAUSES, pauses, uint64_t, SUM, AS_IT_IS, "pauses", "1", "",              \
      "pause frames that the sender of the link obeyed")                       \
    X(PAUSED, paused_ps, int64_t, SUM, AS_IT_IS, "paused", "ps", "",           \
      "time in which it held back a traffic class")

#endif
