/* Why a run failed in the middle of a window: what, on which host, when. Each
 * worker notes the earliest failure of its own hosts; a window is run to its
 * end by all, so the earliest of all is the same whatever the threads do. */
#ifndef ORR_NET_FABRIC_FAULT_H
#define ORR_NET_FABRIC_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

struct orr_net;

struct orr_fault { /* of one worker */
    _Alignas(64) int64_t at;
    uint32_t host; /* of several at that time the lowest */
    orr_err code;  /* ORR_OK: none */
    char text[480];
};

/* Memory for n->workers of them; false: there is none. */
bool orr__faults_init(struct orr_net *n);
void orr__faults_free(struct orr_net *n);
/* The first of all, told; what the windows know of it is in *windows. */
orr_err orr__faults_tell(const struct orr_net *n,
                         const struct orr_report *windows,
                         struct orr_report *why);

#endif
