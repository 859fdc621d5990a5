#include "net/queue/queue.h"

#include "core/config/family.h"
#include "net/queue/list.h"

ORR_FAMILY(orr__queue_kinds, ORR_QUEUE_LIST, struct orr_queue_ops, orr__queue_)
