/* The world whose records test_series.c writes. */
#ifndef ORR_TESTS_RECORD_WORLD_H
#define ORR_TESTS_RECORD_WORLD_H

#include <stdint.h>

#include "topo/graph.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"

enum { LINKS = 200 };

static uint32_t from[LINKS], to[LINKS];
static uint64_t rate[LINKS];
static int64_t delay[LINKS];
static uint8_t tier[LINKS];
static const char *const tiers[] = {"host", "up down", NULL};
static struct orr_graph graph = {.hosts = 2,
                                 .nodes = 4,
                                 .cables = LINKS / 2,
                                 .links = LINKS,
                                 .kind = "file",
                                 .from = from,
                                 .to = to,
                                 .rate_bps = rate,
                                 .delay_ps = delay,
                                 .tier = tier,
                                 .tier_names = tiers};
static uint32_t hosts[] = {0, 1};
static struct orr_iteration passes[] = {{0, 10}, {10, 25}, {-1, -1}};
static struct orr_collective_record collectives[] = {{.kind = "all-reduce",
                                                      .algorithm = "ring",
                                                      .bytes = 8,
                                                      .end_ps = 10,
                                                      .bytes_sent = 16,
                                                      .limiting_link = 3,
                                                      .limiting_ps = 7,
                                                      .limiting_busy = 0.75}};
static struct orr_rank_record spent[] = {
    {.compute_ps = 9,
     .communication_ps = 8,
     .overlap_ps = 3,
     .bytes_sent = 11,
     .bytes_received = 12,
     .iterations = 2},
    {.bytes_sent = 12, .bytes_received = 11}};
static struct orr_job jobs[] = {{.name = "first",
                                 .ranks = 2,
                                 .members = 2,
                                 .hosts = hosts,
                                 .iterations = 3,
                                 .iteration = passes,
                                 .finish_ps = -1},
                                {.name = "second \xc3\xa4",
                                 .ranks = 1,
                                 .members = 2,
                                 .hosts = hosts,
                                 .iterations = 2,
                                 .iteration = passes,
                                 .finish_ps = 25,
                                 .rank = spent,
                                 .collective = collectives,
                                 .n_collectives = 1}};
static struct orr_flow some_flows[] = {
    {.src = 0,
     .dst = 1,
     .bytes = 5,
     .start_ps = 10,
     .finish_ps = 30,
     .ideal_ps = 10},
    {.src = 1, .dst = 0, .bytes = 5, .finish_ps = -1, .ideal_ps = 10}};
static struct orr_flows flows = {some_flows, 2};

#endif
