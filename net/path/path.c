#include "net/path/path.h"

#include <stddef.h>

static const char *const choices[] = {"random", "round-robin", NULL};
static const char *const pers[] = {"flowlet", "packet", NULL};

#define FIELD(name) .offset = offsetof(struct orr_path_params, name)

/* Here and not beside the choices, which need the whole net. */
const struct orr_param orr__path_flowlet_params[] = {
    {.key = "gap", .type = ORR_PARAM_TIME, FIELD(gap_ps), .fallback = "50us",
     .min = "1ps", .help = "a longer pause at a node ends a flowlet"},
    {.key = "table", .type = ORR_PARAM_INT, FIELD(table), .fallback = "4096",
     .min = "1", .max = "16777216",
     .help = "flowlets that a node can tell apart, rounded up to a power of "
             "two; connections that hash to one entry share it"},
    {.key = "choice", .type = ORR_PARAM_CHOICE, FIELD(choice),
     .fallback = "random", .choices = choices,
     .help = "how a new flowlet chooses: at random, or in turn at each node"},
    ORR_PARAM_END,
};

const struct orr_param orr__path_adaptive_params[] = {
    {.key = "per", .type = ORR_PARAM_CHOICE, FIELD(per),
     .fallback = "flowlet", .choices = pers,
     .help = "what chooses: each flowlet, or each packet (then packets of a "
             "connection may overtake one another)"},
    {.key = "step", .type = ORR_PARAM_SIZE, FIELD(step), .fallback = "auto",
     .min = "1B", .max = "1GiB",
     .help = "queues that differ by less are alike; auto: 1B for flowlets, "
             "four full packets for packets"},
    {.key = "gap", .type = ORR_PARAM_TIME, FIELD(gap_ps), .fallback = "50us",
     .min = "1ps", .help = "a longer pause at a node ends a flowlet"},
    {.key = "table", .type = ORR_PARAM_INT, FIELD(table), .fallback = "4096",
     .min = "1", .max = "16777216",
     .help = "flowlets that a node can tell apart, rounded up to a power of "
             "two; connections that hash to one entry share it"},
    ORR_PARAM_END,
};

const struct orr_path_info *orr__path_kinds(void)
{
#define ENTRY(symbol, name_, reorders_, params_, doc_) \
    {.name = name_, .doc = doc_, .reorders = reorders_, .params = params_},
    static const struct orr_path_info all[]
        = {ORR_PATH_LIST(ENTRY) {.name = NULL}};
#undef ENTRY

    return all;
}

bool orr__path_reorders(enum orr_path_kind kind,
                        const struct orr_path_params *p)
{
    if (kind == ORR_PATH_adaptive)
        return p->per == ORR_PATH_PER_PACKET;
    return orr__path_kinds()[kind].reorders;
}

bool orr__path_moves(enum orr_path_kind kind)
{
    return kind == ORR_PATH_flowlet || kind == ORR_PATH_adaptive
           || orr__path_kinds()[kind].reorders;
}
