/* `sizes` of an all-to-all: how much each rank sends to each other one. */
#ifndef ORR_WORKLOAD_PROGRAM_PAIR_SIZES_READ_H
#define ORR_WORKLOAD_PROGRAM_PAIR_SIZES_READ_H

#include "workload/program/call_read.h"
#include "workload/program/keys.h"

extern const struct orr_param orr__pair_sizes_params[],
    orr__hot_member_params[];

/* Sets the sizes of a call and what follows from them, if its body has any; of
 * the call ops, group, bytes (`size`) and chunks are set. They are the call's,
 * also after a failure. */
ORR_CHECK_RESULT orr_err orr__pair_sizes_read(const struct orr_call_reader *r,
                                              const struct orr_draw_keys *draw,
                                              struct orr_call *call,
                                              struct orr_report *why);
/* A table of n lines of n numbers, bytes: line i is what member i sends. name:
 * what messages call it. On success *out is to be freed. */
ORR_CHECK_RESULT orr_err orr__pair_sizes_table(const char *path,
                                               const char *name, uint32_t n,
                                               struct orr_pair_sizes **out,
                                               struct orr_report *why);

#endif
