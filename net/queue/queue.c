#include "net/queue/queue.h"

#include "net/queue/list.h"

#define DECLARE(name) extern const struct orr_queue_ops orr__queue_##name;
ORR_QUEUE_LIST(DECLARE)
#undef DECLARE

const struct orr_queue_ops *const *orr__queue_kinds(void)
{
#define ENTRY(name) &orr__queue_##name,
    static const struct orr_queue_ops *const all[] = {ORR_QUEUE_LIST(ENTRY)
                                                          NULL};
#undef ENTRY

    return all;
}
