#include "net/path/path.h"

#include <stddef.h>

const struct orr_path_info *orr__path_kinds(void)
{
#define ENTRY(symbol, name_, reorders_, doc_) \
    {.name = name_, .doc = doc_, .reorders = reorders_},
    static const struct orr_path_info all[]
        = {ORR_PATH_LIST(ENTRY) {.name = NULL}};
#undef ENTRY

    return all;
}
