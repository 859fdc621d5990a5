#include "experiment/ending.h"

const char *const orr__endings[] = {
    [ORR_ENDED_DONE] = "done",     [ORR_ENDED_STOPPED] = "stopped",
    [ORR_ENDED_QUIET] = "quiet",   [ORR_ENDED_INTERRUPTED] = "interrupted",
    [ORR_ENDED_FAILED] = "failed",
};

void orr__ending_json(struct orr_json *j, const struct orr_came_to *e)
{
    orr__json_flat_object(j, "end");
    orr__json_text(j, "state", orr__endings[e->ending]);
    orr__json_long_time(j, "at_ns", e->at_ns);
    orr__json_count(j, "jobs", e->jobs);
    orr__json_count(j, "open_jobs", e->open_jobs);
    orr__json_count(j, "flows", e->flows);
    orr__json_count(j, "open_flows", e->open_flows);
    orr__json_end(j);
}
