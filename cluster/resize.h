/* GPUs of jobs that run change: sizes of elastic jobs, and places. */
#ifndef ORR_CLUSTER_RESIZE_H
#define ORR_CLUSTER_RESIZE_H

#include "cluster/engine.h"

/* The fewest GPUs that a job starts with. */
uint32_t orr__size_least(const struct orr_engine *e, uint32_t job);
/* Those that it starts with if `room` are free: at least the fewest, and no
 * more than it asked for. */
uint32_t orr__size_at_first(const struct orr_engine *e, uint32_t job,
                            uint32_t room);
/* Jobs that run give GPUs back so that one that waits has room: what they have
 * beyond what they asked for, until it has what it asks for; and if that is not
 * even the fewest that it takes, more. Nobody gives if it is not enough. */
ORR_CHECK_RESULT orr_err orr__engine_make_room(struct orr_engine *e,
                                               uint32_t job, bool *changed,
                                               struct orr_report *why);
/* Jobs that run have the size that they were told, as far as there is room. */
ORR_CHECK_RESULT orr_err orr__engine_request(struct orr_engine *e,
                                             bool *changed,
                                             struct orr_report *why);
/* Jobs that run take what is free if nobody waits. */
ORR_CHECK_RESULT orr_err orr__engine_grow(struct orr_engine *e, bool *changed,
                                          struct orr_report *why);
/* They move where they are in fewer racks, or servers. */
ORR_CHECK_RESULT orr_err orr__engine_migrate(struct orr_engine *e,
                                             bool *changed,
                                             struct orr_report *why);
/* When sizes are to be looked at again though nothing else happens. After
 * now_ns; INT64_MAX: never. */
int64_t orr__resize_next(const struct orr_engine *e);

#endif
