#include "net/path/path.h"

const struct orr_path_info *orr__path_kinds(void)
{
#define ENTRY(symbol, name_, reorders_, params_, doc_)                         \
    {.name = name_, .doc = doc_, .reorders = reorders_, .params = params_},
    static const struct orr_path_info all[] = {
        ORR_PATH_LIST(ENTRY){.name = NULL}};
#undef ENTRY

    return all;
}

bool orr__path_reorders(enum orr_path_kind kind,
                        const struct orr_path_params *p)
{
    if (kind == ORR_PATH_adaptive || kind == ORR_PATH_valiant
        || kind == ORR_PATH_ugal)
        return p->per == ORR_PATH_PER_PACKET;
    return orr__path_kinds()[kind].reorders;
}

bool orr__path_moves(enum orr_path_kind kind, const struct orr_path_params *p)
{
    return kind == ORR_PATH_flowlet || kind == ORR_PATH_adaptive
           || kind == ORR_PATH_ugal || orr__path_reorders(kind, p);
}

bool orr__path_is_local(enum orr_path_kind kind)
{
    return kind != ORR_PATH_valiant && kind != ORR_PATH_ugal
           && kind != ORR_PATH_k_shortest && kind != ORR_PATH_explicit;
}

bool orr__path_blind(enum orr_path_kind kind)
{
    return kind == ORR_PATH_ecmp || kind == ORR_PATH_first
           || kind == ORR_PATH_spray || kind == ORR_PATH_spray_random
           || kind == ORR_PATH_message;
}

bool orr__path_detours(enum orr_path_kind kind)
{
    return kind == ORR_PATH_valiant || kind == ORR_PATH_ugal;
}
