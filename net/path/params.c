/* Parameters of choices of path. Here and not beside the choices, which need
 * the whole net. */
#include <stddef.h>

#include "net/path/idle.h"
#include "net/path/path.h"

static const char *const choices[] = {"random", "round-robin", NULL};
static const char *const pers[] = {"flowlet", "packet", NULL};
static const char *const flow_pers[] = {"flow", "packet", NULL};

#define FIELD(name) .offset = offsetof(struct orr_path_params, name)

const struct orr_param orr__path_flowlet_params[] = {
    {.key = "gap",
     .type = ORR_PARAM_TIME,
     FIELD(gap_ps),
     .fallback = "50us",
     .min = "1ps",
     .help = "a longer pause at a node ends a flowlet"},
    {.key = "table",
     .type = ORR_PARAM_INT,
     FIELD(table),
     .fallback = "4096",
     .min = "1",
     .max = "16777216",
     .help = "flowlets that a node distinguishes, rounded up to a power of "
             "two; connections that hash to one entry share it"},
    {.key = "choice",
     .type = ORR_PARAM_CHOICE,
     FIELD(choice),
     .fallback = "random",
     .choices = choices,
     .help = "how a new flowlet chooses: at random, or in turn at each node"},
    ORR_PARAM_END,
};

const struct orr_param orr__path_adaptive_params[] = {
    {.key = "per",
     .type = ORR_PARAM_CHOICE,
     FIELD(per),
     .fallback = "flowlet",
     .choices = pers,
     .help = "unit of choice: flowlet, or packet (packets of a connection may "
             "then be reordered)"},
    {.key = "step",
     .type = ORR_PARAM_SIZE,
     FIELD(step),
     .fallback = "auto",
     .min = "1B",
     .max = "1GiB",
     .help = "queues that differ by less count as equal; auto: 1B for "
             "flowlets, four full packets for packets (a host's own packets "
             "take its port that is free soonest)"},
    {.key = "gap",
     .type = ORR_PARAM_TIME,
     FIELD(gap_ps),
     .fallback = "50us",
     .min = "1ps",
     .help = "a longer pause at a node ends a flowlet",
     .idle = orr__path_idle_flowlet},
    {.key = "table",
     .type = ORR_PARAM_INT,
     FIELD(table),
     .fallback = "4096",
     .min = "1",
     .max = "16777216",
     .help = "flowlets that a node distinguishes, rounded up to a power of "
             "two; connections that hash to one entry share it",
     .idle = orr__path_idle_flowlet},
    ORR_PARAM_END,
};

#define STOPS                                                                  \
    {                                                                          \
        .key = "stops", .type = ORR_PARAM_INT, FIELD(stops),                   \
        .fallback = "1024", .min = "1", .max = "65536",                        \
        .help = "switches for detours, drawn by the seed if there are more; "  \
                "routing tables grow with it",                                 \
        .idle = orr__path_idle_stops,                                          \
    }

const struct orr_param orr__path_valiant_params[] = {
    {.key = "per",
     .type = ORR_PARAM_CHOICE,
     FIELD(per),
     .fallback = "packet",
     .choices = flow_pers,
     .help = "unit of choice: packet (packets of a connection may then be "
             "reordered), or connection"},
    STOPS,
    ORR_PARAM_END,
};

const struct orr_param orr__path_ugal_params[] = {
    {.key = "per",
     .type = ORR_PARAM_CHOICE,
     FIELD(per),
     .fallback = "flowlet",
     .choices = pers,
     .help = "unit of choice: packet (packets of a connection may then be "
             "reordered), or flowlet"},
    {.key = "threshold",
     .type = ORR_PARAM_TIME,
     FIELD(threshold_ps),
     .fallback = "0ns",
     .min = "0s",
     .help = "advantage that a detour needs, as time in queues times hops",
     .idle = orr__path_idle_detour},
    {.key = "gap",
     .type = ORR_PARAM_TIME,
     FIELD(gap_ps),
     .fallback = "50us",
     .min = "1ps",
     .help = "a longer pause at a node ends a flowlet",
     .idle = orr__path_idle_flowlet},
    {.key = "table",
     .type = ORR_PARAM_INT,
     FIELD(table),
     .fallback = "4096",
     .min = "1",
     .max = "16777216",
     .help = "flowlets that a node distinguishes, rounded up to a power of "
             "two; connections that hash to one entry share it",
     .idle = orr__path_idle_flowlet},
    STOPS,
    ORR_PARAM_END,
};

const struct orr_param orr__path_k_shortest_params[] = {
    {.key = "k",
     .type = ORR_PARAM_INT,
     FIELD(k),
     .fallback = "8",
     .min = "1",
     .max = "32",
     .help = "number of loop-free paths, of at most 64 links and 8 more than "
             "the shortest; the seed draws among equal lengths; ACKs take a "
             "shortest path"},
    ORR_PARAM_END,
};

#define ENTROPIES                                                              \
    {                                                                          \
        .key = "entropies", .type = ORR_PARAM_INT, FIELD(entropies),           \
        .fallback = "64", .min = "1", .max = "65536",                          \
        .help = "of a connection, rounded up to a power of two",               \
    }

const struct orr_param orr__path_entropy_params[] = {
    ENTROPIES,
    ORR_PARAM_END,
};

const struct orr_param orr__path_bitmap_params[] = {
    ENTROPIES,
    {.key = "penalty",
     .type = ORR_PARAM_INT,
     FIELD(penalty),
     .fallback = "15",
     .min = "0",
     .max = "255",
     .help = "most turns for which an entropy is left out: a mark adds one, a "
             "packet that was cut four",
     .idle = orr__path_idle_unheard},
    ORR_PARAM_END,
};

const struct orr_param orr__path_reps_params[] = {
    ENTROPIES,
    {.key = "cache",
     .type = ORR_PARAM_INT,
     FIELD(cache),
     .fallback = "8",
     .min = "1",
     .max = "4096",
     .help = "entropies kept for use again, the newest",
     .idle = orr__path_idle_unheard},
    {.key = "freeze",
     .type = ORR_PARAM_TIME,
     FIELD(freeze_ps),
     .fallback = "10ms",
     .min = "0s",
     .help = "after a timeout only what is kept is used, for so long",
     .idle = orr__path_idle_unheard},
    ORR_PARAM_END,
};
