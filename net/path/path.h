/* The family of load balancing: which of several equal next hops a packet
 * takes. Members are a few lines each and stand in the packet path, so they
 * are inline functions behind one predictable switch, not calls through an
 * ops table; list.h is the registry all the same. */
#ifndef ORR_NET_PATH_PATH_H
#define ORR_NET_PATH_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "net/path/list.h"

enum orr_path_kind {
#define ORR_PATH_ENUM(symbol, name, reorders, doc) ORR_PATH_##symbol,
    ORR_PATH_LIST(ORR_PATH_ENUM)
#undef ORR_PATH_ENUM
    ORR_PATH_KINDS
};

struct orr_path_info {
    const char *name, *doc;
    bool reorders; /* packets of one connection may overtake one another */
};

/* ORR_PATH_KINDS entries, then one with name NULL. */
const struct orr_path_info *orr__path_kinds(void);

#endif
