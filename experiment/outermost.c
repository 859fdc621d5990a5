#include "experiment/outermost.h"

#include <stddef.h>
#include <string.h>

#include "core/config/module.h"
#include "core/units.h"

/* ---- keys without effect ------------------------------------------------ */

static const char *delays_nothing(const void *set, const void *around)
{
    const struct orr_outermost *t = around;
    return t->delays ? NULL
                     : "nothing here causes anything where no link "
                       "leads: no gates and no flows that wait for "
                       "others";
}

static const char *no_jobs(const void *set, const void *around)
{
    const struct orr_outermost *t = around;
    if (t->jobs)
        return NULL;
    return t->cluster ? "jobs of a cluster are always measured alone, too"
                      : "there are no jobs";
}

static const char *repeats_nothing(const void *set, const void *around)
{
    const struct orr_outermost *t = around;
    return t->jobs || t->cluster ? NULL : "there are no jobs";
}

/* Without packets nobody is steered. */
static const char *steers_nothing(const void *set, const void *around)
{
    const struct orr_outermost *t = around;
    const struct orr_yaml *at = orr__yaml_get(t->cluster, "accuracy");
    const char *accuracy = orr__yaml_text(NULL, at);
    struct orr_module m = {.node = t->schedule};
    orr__module_name(&m, "none");
    if (m.name && strcmp(m.name, "none") == 0)
        return NULL;
    return accuracy && strcmp(accuracy, "fluid") == 0
               ? "`cluster.accuracy: fluid` shares links fairly, whatever the "
                 "schedule"
               : NULL;
}

static const struct orr_param params[] = {
    {"title", ORR_PARAM_TEXT, offsetof(struct orr_outermost, title), "", NULL,
     NULL, NULL, "what the experiment is called; the file's name when absent"},
    {"seed", ORR_PARAM_INT, offsetof(struct orr_outermost, seed), "1", "0",
     NULL, NULL, "names all random streams"},
    {"stop", ORR_PARAM_TIME, offsetof(struct orr_outermost, stop), "", "1ps",
     NULL, NULL,
     "simulated time at which the run ends; when all is done if "
     "absent"},
    {"control_delay", ORR_PARAM_TIME,
     offsetof(struct orr_outermost, control_delay), "", "1ps", NULL, NULL,
     "from a cause at one node to its effect at "
     "another where no link is between; at least the shortest link's delay; "
     "10us when absent, but for GPUs of a cluster, which a job's end frees at "
     "once",
     delays_nothing},
    {"topology", ORR_PARAM_NODE, offsetof(struct orr_outermost, topology), NULL,
     NULL, NULL, NULL, "the network's graph"},
    {"network", ORR_PARAM_NODE, offsetof(struct orr_outermost, network), "",
     NULL, NULL, NULL, "packets, queues, routing, congestion control"},
    {"jobs", ORR_PARAM_NODE, offsetof(struct orr_outermost, jobs), "", NULL,
     NULL, NULL, "a list of training jobs"},
    {"flows", ORR_PARAM_NODE, offsetof(struct orr_outermost, flows), "", NULL,
     NULL, NULL,
     "a list of point-to-point transfers, instead of or beside jobs"},
    {"schedule", ORR_PARAM_NODE, offsetof(struct orr_outermost, schedule), "",
     NULL, NULL, NULL,
     "what jobs do about one another: who goes when, where and "
     "first; `orrery list schedules`",
     steers_nothing},
    {"alone", ORR_PARAM_BOOL, offsetof(struct orr_outermost, alone), "false",
     NULL, NULL, NULL,
     "also run each job alone, on its hosts, and say how much "
     "slower it is than that; what was run once is remembered",
     no_jobs},
    {"cluster", ORR_PARAM_NODE, offsetof(struct orr_outermost, cluster), "",
     NULL, NULL, NULL,
     "instead of jobs: GPUs that jobs have for a while, when they "
     "arrive, who goes first and where; `orrery help cluster`"},
    {"failures", ORR_PARAM_NODE, offsetof(struct orr_outermost, failures), "",
     NULL, NULL, NULL, "a list of links that fail, and come back"},
    {"repeat", ORR_PARAM_NODE, offsetof(struct orr_outermost, repeat), "", NULL,
     NULL, NULL,
     "whether iterations that are the same as others are "
     "simulated: "
     "`none`, `exact`, or {kind: sampled}",
     repeats_nothing},
    {"record", ORR_PARAM_NODE, offsetof(struct orr_outermost, record), "", NULL,
     NULL, NULL, "what the HDF5 file holds; `none`: no file"},
    {"plugins", ORR_PARAM_NODE, offsetof(struct orr_outermost, plugins), "",
     NULL, NULL, NULL,
     "a list of shared objects with congestion controls, relative "
     "to this file; they run code of their own"},
    {"compare", ORR_PARAM_NODE, offsetof(struct orr_outermost, compare), "",
     NULL, NULL, NULL,
     "what `orrery compare` varies and measures; a run of its own "
     "leaves it aside"},
    ORR_PARAM_END,
};

const struct orr_param *orr__outermost_params(void)
{
    return params;
}

orr_err orr__outermost_read(struct orr_config *c, struct orr_outermost *out,
                            struct orr_report *why)
{
    struct orr_param_set set = {params, out, out};
    *out = (struct orr_outermost){.stop = ORR_NEVER};
    return orr__param_read(c, orr__config_root(c), "", &set, 1, why);
}
