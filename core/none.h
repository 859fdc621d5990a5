/* "No index": of nodes, links, connections, jobs, ranks and all else that is
 * counted in 32 bits from 0. No table ever holds so many. */
#ifndef ORR_CORE_NONE_H
#define ORR_CORE_NONE_H

#include <stdint.h>

#define ORR_NONE UINT32_MAX

#endif
