#include "net/path/path.h"

#include "net/path/entropy.h"

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
           && kind != ORR_PATH_k_shortest && kind != ORR_PATH_explicit
           && !orr__entropy_of(kind);
}

bool orr__path_blind(enum orr_path_kind kind)
{
    return kind == ORR_PATH_ecmp || kind == ORR_PATH_first
           || kind == ORR_PATH_spray || kind == ORR_PATH_spray_random
           || kind == ORR_PATH_message || orr__entropy_of(kind) != NULL;
}

const struct orr_entropy_ops *orr__entropy_of(enum orr_path_kind kind)
{
    switch (kind) {
    case ORR_PATH_oblivious: return &orr__entropy_oblivious;
    case ORR_PATH_bitmap: return &orr__entropy_bitmap;
    case ORR_PATH_reps: return &orr__entropy_reps;
    case ORR_PATH_mixed: return &orr__entropy_mixed;
    default: return NULL;
    }
}

bool orr__path_detours(enum orr_path_kind kind)
{
    return kind == ORR_PATH_valiant || kind == ORR_PATH_ugal;
}
