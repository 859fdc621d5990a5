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
                     : "it has no effect here: no gates and no flows that wait "
                       "for others";
}

static const char *no_jobs(const void *set, const void *around)
{
    const struct orr_outermost *t = around;
    if (t->jobs)
        return NULL;
    return t->cluster ? "jobs of a cluster are always measured alone as well"
                      : "there are no jobs";
}

static const char *repeats_nothing(const void *set, const void *around)
{
    const struct orr_outermost *t = around;
    return t->jobs || t->cluster ? NULL : "there are no jobs";
}

/* Without packets links are shared fairly already. */
static const char *steers_nothing(const void *set, const void *around)
{
    const struct orr_outermost *t = around;
    const struct orr_yaml *at = orr__yaml_get(t->cluster, "accuracy");
    const char *accuracy = orr__yaml_text(NULL, at);
    struct orr_module m = {.node = t->schedule};
    orr__module_name(&m, "none");
    if (!m.name || strcmp(m.name, "fair") != 0)
        return NULL;
    return accuracy && strcmp(accuracy, "fluid") == 0
               ? "`cluster.accuracy: fluid` shares links fairly by itself"
               : NULL;
}

static const struct orr_param params[] = {
    {"title", ORR_PARAM_TEXT, offsetof(struct orr_outermost, title), "", NULL,
     NULL, NULL, "name of the experiment; default: the file's name"},
    {"seed", ORR_PARAM_INT, offsetof(struct orr_outermost, seed), "1", "0",
     NULL, NULL, "names all random streams"},
    {"stop", ORR_PARAM_TIME, offsetof(struct orr_outermost, stop), "", "1ps",
     NULL, NULL,
     "simulated time at which the run ends; default: when all is done"},
    {"control_delay", ORR_PARAM_TIME,
     offsetof(struct orr_outermost, control_delay), "", "1ps", NULL, NULL,
     "delay of effects between nodes without a link; at least the shortest "
     "link's delay; default 10us, except that the end of a cluster's job frees "
     "its GPUs at once",
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
     "coordination of jobs: when, where and who first; `orrery list schedules`",
     steers_nothing},
    {"alone", ORR_PARAM_BOOL, offsetof(struct orr_outermost, alone), "false",
     NULL, NULL, NULL,
     "also run each job alone, on its hosts, and report its slowdown; such "
     "runs are cached",
     no_jobs},
    {"cluster", ORR_PARAM_NODE, offsetof(struct orr_outermost, cluster), "",
     NULL, NULL, NULL,
     "instead of jobs: a cluster over time: arrivals, queue, placement; "
     "`orrery help cluster`"},
    {"failures", ORR_PARAM_NODE, offsetof(struct orr_outermost, failures), "",
     NULL, NULL, NULL, "a list of links that fail or change their rate"},
    {"repeat", ORR_PARAM_NODE, offsetof(struct orr_outermost, repeat), "", NULL,
     NULL, NULL,
     "skip iterations that repeat others: `none`, `exact`, or {kind: sampled}",
     repeats_nothing},
    {"record", ORR_PARAM_NODE, offsetof(struct orr_outermost, record), "", NULL,
     NULL, NULL, "what the HDF5 file holds; `none`: no file"},
    {"plugins", ORR_PARAM_NODE, offsetof(struct orr_outermost, plugins), "",
     NULL, NULL, NULL,
     "a list of shared objects with congestion controls, relative to this "
     "file; their code is run"},
    {"compare", ORR_PARAM_NODE, offsetof(struct orr_outermost, compare), "",
     NULL, NULL, NULL,
     "variants and measures of `orrery compare`; other commands ignore it"},
    {"plan", ORR_PARAM_NODE, offsetof(struct orr_outermost, plan), "", NULL,
     NULL, NULL, "a question for `orrery plan`; other commands ignore it"},
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
