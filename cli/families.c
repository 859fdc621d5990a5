/* What there is to list and to explain: the families of interchangeable parts,
 * and the sections of a configuration, each with its parameter tables. */
#include <string.h>

#include "cli/cli.h"
#include "core/assert.h"
#include "core/config/param.h"
#include "experiment/outermost.h"
#include "formats/jobs/jobs.h"
#include "formats/source.h"
#include "net/cc/plugin.h"
#include "net/config/circuits.h"
#include "net/config/failures.h"
#include "net/config/preset.h"
#include "net/config/simulator.h"
#include "net/in_network/in_network.h"
#include "net/net.h"
#include "net/path/path.h"
#include "net/queue/queue.h"
#include "net/schedule/schedule.h"
#include "record/packet_capture.h"
#include "record/series.h"
#include "study/compare/compare.h"
#include "study/plan/question/question.h"
#include "study/run/candidates.h"
#include "topo/budget.h"
#include "topo/build/build.h"
#include "topo/file/file.h"
#include "topo/graph.h"
#include "workload/cluster/arrival_list.h"
#include "workload/cluster/elastic.h"
#include "workload/cluster/gpu_kinds.h"
#include "workload/cluster/placement/placement.h"
#include "workload/cluster/queue/queue.h"
#include "workload/cluster/read.h"
#include "workload/cluster/tenants.h"
#include "workload/collective/collective.h"
#include "workload/flow/build.h"
#include "workload/flow/file/flow_file.h"
#include "workload/job/costs.h"
#include "workload/job/gate.h"
#include "workload/job/iteration_changes.h"
#include "workload/job/job.h"
#include "workload/job/serve.h"
#include "workload/job/service.h"
#include "workload/model/gpu.h"
#include "workload/model/model.h"
#include "workload/model/train.h"
#include "workload/placement/placement.h"
#include "workload/program/experts_keys.h"
#include "workload/program/jitter.h"
#include "workload/program/pair_sizes_read.h"
#include "workload/program/program.h"
#include "workload/repeat/repeat.h"
#include "workload/schedule/profile.h"
#include "workload/schedule/schedule.h"

/* A family with a registry (core/config/family.h): its i-th member. */
#define FAMILY(function, all, keys)                                            \
    static bool function(size_t i, struct orr_family_entry *m)                 \
    {                                                                          \
        if (all()[i])                                                          \
            *m = (struct orr_family_entry){all()[i]->name, all()[i]->doc,      \
                                           NULL, keys};                        \
        return all()[i] != NULL;                                               \
    }
FAMILY(topology, orr__topology_kinds, orr__topology_kinds()[i]->params)
FAMILY(topology_format, orr__topology_formats, NULL)
FAMILY(question, orr__questions, orr__questions()[i]->params)
FAMILY(cc, orr__cc_kinds, orr__cc_kinds()[i]->params)
FAMILY(queue, orr__queue_kinds, orr__queue_kinds()[i]->params)
FAMILY(scheduler, orr__schedules, NULL)
FAMILY(in_network, orr__in_network_kinds, orr__in_network_kinds()[i]->params)
FAMILY(placement, orr__placements, orr__placements()[i]->params)
FAMILY(schedule, orr__scheduler_kinds, orr__scheduler_kinds()[i]->params)
FAMILY(cluster_queue, orr__queue_policies, orr__queue_policies()[i]->params)
FAMILY(cluster_placement, orr__cluster_placements,
       orr__cluster_placements()[i]->params)
FAMILY(job_trace, orr__job_trace_formats, NULL)
FAMILY(flow_format, orr__flow_formats, NULL)
#undef FAMILY

static bool routing(size_t i, struct orr_family_entry *m)
{
    const struct orr_path_info *k = &orr__path_kinds()[i];
    *m = (struct orr_family_entry){k->name, k->doc, NULL, k->params};
    return k->name != NULL;
}

static bool preset(size_t i, struct orr_family_entry *m)
{
    const struct orr_preset *p = &orr__presets[i];
    *m = (struct orr_family_entry){p->name, p->doc, NULL, NULL};
    return p->name != NULL;
}

static const char *preset_text(const char *name)
{
    const struct orr_preset *p = orr__preset_find(name);
    ORR_ASSERT(p); /* the name is a member's */
    return p->text;
}

static bool simulator(size_t i, struct orr_family_entry *m)
{
    const struct orr_simulator *s = &orr__simulators[i];
    *m = (struct orr_family_entry){s->name, s->doc, NULL, NULL};
    return s->name != NULL;
}

static const char *simulator_text(const char *name)
{
    const struct orr_simulator *s = orr__simulator_find(name);
    ORR_ASSERT(s); /* the name is a member's */
    return s->help;
}

static bool collective(size_t i, struct orr_family_entry *m)
{
    const struct orr_collective_ops *k = orr__collectives()[i];
    if (k)
        *m = (struct orr_family_entry){
            k->name, k->doc, orr__collective_kind_name(k->kind), k->params};
    return k != NULL;
}

_Static_assert(ORR_GROUP_KEYS_MAX >= ORR_CALL_PARAMS_MAX, "room for keys");

static void collective_keys(const char *group, struct orr_param *room)
{
    orr__call_params((enum orr_collective_kind)orr__collective_kind(group),
                     room);
}

static const struct orr_param *train_params(void)
{
    return orr__train_params;
}

static bool cluster_arrivals(size_t i, struct orr_family_entry *m)
{
    const struct orr_arrival_kind *k = &orr__arrival_kinds()[i];
    *m = (struct orr_family_entry){k->name, k->doc, NULL, k->params};
    return k->name != NULL;
}

static bool generator(size_t i, struct orr_family_entry *m)
{
    const struct orr_flow_kind *k = &orr__flow_generators()[i];
    *m = (struct orr_family_entry){k->name, k->doc, NULL, k->params};
    return k->name != NULL;
}

static bool list_sizes(size_t i, struct orr_family_entry *m)
{
    const struct orr_flow_kind *k = &orr__flow_size_kinds()[i];
    *m = (struct orr_family_entry){k->name, k->doc, NULL, k->params};
    return k->name != NULL;
}

static bool list_models(size_t i, struct orr_family_entry *m)
{
    const struct orr_model_file *f = &orr__model_files[i];
    *m = (struct orr_family_entry){f->name, f->title, NULL, NULL};
    return f->name != NULL;
}

static const char *model_text(const char *name)
{
    const struct orr_model_file *f = orr__model_find(name);
    ORR_ASSERT(f); /* the name is a member's */
    return f->text;
}

static bool list_gpus(size_t i, struct orr_family_entry *m)
{
    const struct orr_gpu *g = &orr__gpus[i];
    if (g->name)
        *m = (struct orr_family_entry){g->name, g->doc, NULL, NULL};
    return g->name != NULL;
}

static bool list_traces(size_t i, struct orr_family_entry *m)
{
    const struct orr_trace_format *k = orr__trace_formats()[i];
    if (k)
        *m = (struct orr_family_entry){k->name, k->doc, NULL, k->params};
    return k != NULL;
}

const struct orr_family orr__families[] = {
    {.name = "topologies",
     .singular = "topology",
     .key = "topology.kind",
     .doc = "how hosts and switches are connected",
     .common = orr__topology_params,
     .member = topology},
    {.name = "formats",
     .singular = "format",
     .key = "topology.format",
     .doc = "topology files that `kind: file` reads",
     .member = topology_format},
    {.name = "presets",
     .singular = "preset",
     .key = "network.preset",
     .doc = "consistent sets of network parameters",
     .member = preset,
     .text = preset_text},
    {.name = "simulators",
     .singular = "simulator",
     .key = "network.as",
     .doc = "other simulators whose rules `network.as` sets",
     .member = simulator,
     .text = simulator_text},
    {.name = "queues",
     .singular = "queue",
     .key = "network.queue.kind",
     .doc = "how a port queues packets",
     .common = orr__queue_params,
     .member = queue},
    {.name = "schedulers",
     .singular = "scheduler",
     .key = "network.queue.scheduler",
     .doc = "which traffic class a port serves next",
     .member = scheduler},
    {.name = "in-network",
     .singular = "aggregation",
     .key = "network.in_network.kind",
     .doc = "switches that add up what a group sends",
     .member = in_network},
    {.name = "routing",
     .singular = "path",
     .key = "network.routing.kind",
     .doc = "which of the shortest paths a packet takes",
     .member = routing},
    {.name = "cc",
     .singular = "congestion-control",
     .key = "network.cc.kind",
     .doc = "how a sender adapts to the network",
     .member = cc},
    {.name = "collectives",
     .singular = "collective",
     .key = "algorithm",
     .doc = "algorithms of collective operations",
     .group_keys = collective_keys,
     .member = collective},
    {.name = "traces",
     .singular = "trace",
     .key = "jobs[].trace.format",
     .doc = "files of other programs for a job to run",
     .member = list_traces},
    {.name = "models",
     .singular = "model",
     .key = "jobs[].model",
     .doc = "training jobs by name: tables of layers",
     .common = train_params,
     .member = list_models,
     .text = model_text},
    {.name = "gpus",
     .singular = "gpu",
     .key = "jobs[].gpu",
     .doc = "speeds for jobs with a model",
     .member = list_gpus},
    {.name = "placements",
     .singular = "placement",
     .key = "jobs[].placement.kind",
     .doc = "which host each rank of a job is on",
     .member = placement},
    {.name = "schedules",
     .singular = "schedule",
     .key = "schedule.kind",
     .doc = "coordination of jobs: when, where and who first",
     .member = schedule},
    {.name = "plans",
     .singular = "plan",
     .key = "plan.kind",
     .doc = "questions for `orrery plan`",
     .member = question},
    {.name = "cluster-queues",
     .singular = "cluster-queue",
     .key = "cluster.queue.kind",
     .doc = "which waiting job of a cluster gets GPUs next",
     .member = cluster_queue},
    {.name = "cluster-placements",
     .singular = "cluster-placement",
     .key = "cluster.placement.kind",
     .doc = "which free GPUs of a cluster a job gets",
     .member = cluster_placement},
    {.name = "cluster-arrivals",
     .singular = "cluster-arrival",
     .key = "cluster.arrivals.kind",
     .doc = "when jobs of a cluster arrive",
     .member = cluster_arrivals},
    {.name = "job-traces",
     .singular = "job-trace",
     .key = "cluster.arrivals.trace.format",
     .doc = "files with arrivals of jobs of a cluster",
     .member = job_trace},
    {.name = "generators",
     .singular = "generator",
     .key = "flows[].generate",
     .doc = "flows that are generated",
     .common = orr__flow_generator_params,
     .member = generator},
    {.name = "flow-formats",
     .singular = "flow-format",
     .key = "flows[].format",
     .doc = "files that an entry of `flows` reads",
     .member = flow_format},
    {.name = "sizes",
     .singular = "size",
     .key = "flows[].size.kind",
     .doc = "distributions of the sizes of generated flows",
     .member = list_sizes},
    {.name = NULL},
};

bool orr__family_member(const struct orr_family *f, const struct orr_config *c,
                        size_t i, struct orr_family_entry *m)
{
    const struct orr_cc_ops *k;
    size_t ours = 0;
    while (ours <= i && f->member(ours, m)) /* none may be asked for behind
                                             * the first that is not there */
        ours++;
    if (ours > i)
        return true;
    if (!c || f->member != cc)
        return false;
    k = orr__cc_plugged(c, i - ours);
    if (k)
        *m = (struct orr_family_entry){k->name, k->doc, NULL, k->params};
    return k != NULL;
}

const struct orr_family *orr__family_find(const char *name)
{
    for (size_t i = 0; orr__families[i].name; i++)
        if (strcmp(orr__families[i].name, name) == 0
            || strcmp(orr__families[i].singular, name) == 0)
            return &orr__families[i];
    return NULL;
}

static const struct orr_param *cluster_job(void)
{
    return orr__template_params;
}
static const struct orr_param *server_groups(void)
{
    return orr__server_group_params;
}

static const struct orr_param *cluster_elastic(void)
{
    return orr__elastic_params;
}
static const struct orr_param *cluster_list(void)
{
    return orr__arrival_params;
}
static const struct orr_param *cluster_trace(void)
{
    return orr__job_trace_params;
}
static const struct orr_param *job_params(void)
{
    return orr__job_params;
}
static const struct orr_param *compute(void)
{
    return orr__compute_params;
}
static const struct orr_param *flow_path(void)
{
    return orr__flow_path_params;
}
static const struct orr_param *jitter(void)
{
    return orr__jitter_params;
}
static const struct orr_param *serve_params(void)
{
    return orr__serve_params;
}
static const struct orr_param *engine(void)
{
    return orr__engine_params;
}
static const struct orr_param *tokens(void)
{
    return orr__length_params;
}
static const struct orr_param *slo_params(void)
{
    return orr__slo_params;
}
static const struct orr_param *dispatch(void)
{
    return orr__dispatch_params;
}
static const struct orr_param *combine(void)
{
    return orr__combine_params;
}
static const struct orr_param *pair_sizes(void)
{
    return orr__pair_sizes_params;
}
static const struct orr_param *hot_member(void)
{
    return orr__hot_member_params;
}
static const struct orr_param *overhead(void)
{
    return orr__overhead_params;
}
static const struct orr_param *start_params(void)
{
    return orr__start_params;
}
static const struct orr_param *local_params(void)
{
    return orr__local_params;
}
static const struct orr_param *stage_params(void)
{
    return orr__stage_keys;
}
static const struct orr_param *override_keys(void)
{
    return orr__progress_params;
}
static const struct orr_param *change(void)
{
    return orr__change_params;
}
static const struct orr_param *gate_params(void)
{
    return orr__gate_params;
}
static const struct orr_param *drift_params(void)
{
    return orr__drift_params;
}
static const struct orr_param *profile(void)
{
    return orr__profile_params;
}
static const struct orr_param *demand(void)
{
    return orr__demand_params;
}
static const struct orr_param *phase_params(void)
{
    return orr__phase_params;
}
static const struct orr_param *parallelism(void)
{
    return orr__parallelism_params;
}
static const struct orr_param *pipeline_stage(void)
{
    return orr__pipeline_stage_params;
}
static const struct orr_param *model_file(void)
{
    return orr__model_params;
}
static const struct orr_param *layer_params(void)
{
    return orr__layer_params;
}
static const struct orr_param *send_params(void)
{
    return orr__send_params;
}
static const struct orr_param *recv_params(void)
{
    return orr__recv_params;
}

const struct orr_section orr__sections[] = {
    {"configuration", "the outermost keys", orr__outermost_params},
    {"link", "what `topology.link` and its overrides hold", orr__link_params},
    {"prices", "what a file of `orrery topo --prices` holds",
     orr__prices_params},
    {"price", "what an entry of `rates` in a file of prices holds",
     orr__price_params},
    {"servers", "what `topology.servers` holds", orr__servers_params},
    {"network", "what `network` holds", orr__net_params},
    {"buffer", "what `network.buffer` holds", orr__buffer_params},
    {"pfc", "what `network.pfc` holds", orr__pfc_params},
    {"by_tier", "what a tier of `network.by_tier` holds", orr__tier_params},
    {"nic", "what `network.nic` holds", orr__nic_params},
    {"rto", "what `network.rto` holds", orr__rto_params},
    {"flows", "what an entry of `flows` holds", orr__flow_params},
    {"flow-path", "path of an entry of `flows`", flow_path},
    {"flow-window", "flows of an entry of `flows` that are not measured",
     orr__flow_window_params},
    {"flow-file", "what an entry of `flows` with a file holds",
     orr__flow_file_params},
    {"job", "what an entry of `jobs` holds", job_params},
    {"message_overhead", "what a job's `message_overhead` holds", overhead},
    {"start", "what a job's `start` holds, if that is no time", start_params},
    {"local", "what a job's `local` holds: messages within a host",
     local_params},
    {"stage", "paths of a job's messages, and changes between iterations",
     stage_params},
    {"path", "what an entry of a job's `paths` holds", override_keys},
    {"change", "what an entry of a job's `changes` holds", change},
    {"gate", "what a job's `gate` holds: when it may communicate", gate_params},
    {"drift", "what `drift` of a gate holds", drift_params},
    {"profile", "demands of a job: a file for `profiles`", profile},
    {"demand", "what an entry of `links` of a profile holds", demand},
    {"phase", "what an entry of `phases` of a demand holds", phase_params},
    {"parallelism", "what a job's `parallelism` holds", parallelism},
    {"pipeline-stage", "what an entry of a job's `stages` holds, with replicas",
     pipeline_stage},
    {"model-file", "what the file of a model holds", model_file},
    {"layer", "what a layer in the file of a model holds", layer_params},
    {"cluster-job",
     "what an entry of `cluster.jobs` holds beside the keys of "
     "a job",
     cluster_job},
    {"cluster-list", "what an entry of a list of `cluster.arrivals` holds",
     cluster_list},
    {"cluster-trace", "what `cluster.arrivals.trace` holds", cluster_trace},
    {"service", "own settings of a job or an entry of `flows`",
     orr__service_params},
    {"compute", "what `compute` takes in a program", compute},
    {"jitter", "what `jitter` of a compute takes", jitter},
    {"serve", "requests to a language model, as a job", serve_params},
    {"engine", "what `prefill` and `decode` of these hold", engine},
    {"tokens", "how long a prompt or an answer is", tokens},
    {"slo", "what such a job promises", slo_params},
    {"dispatch", "tokens to their experts, in a program", dispatch},
    {"combine", "what experts made of them back", combine},
    {"pair-sizes", "shares in `sizes` of an all-to-all", pair_sizes},
    {"hot-rank", "what `hot` of such `sizes` holds", hot_member},
    {"send", "what `send` takes in a program", send_params},
    {"recv", "what `recv` takes in a program", recv_params},
    {"failures", "what an entry of `failures` holds", orr__failure_params},
    {"circuits", "what an entry of `topology.circuits` holds",
     orr__circuit_params},
    {"reconfigure", "what `topology.reconfigure` holds",
     orr__reconfigure_params},
    {"candidates", "what `schedule.candidates` holds to generate them",
     orr__candidates_params},
    {"record", "what `record` holds", orr__series_params},
    {"pcap", "what `record.pcap` holds", orr__pcap_params},
    {"packets", "what `record.packets` holds", orr__packets_params},
    {"repeat", "what `repeat` holds", orr__repeat_params},
    {"cluster", "what `cluster` holds", orr__cluster_params},
    {"cluster-tenants", "a tenant, in `cluster.tenants`", orr__tenant_params},
    {"server-groups", "servers of one kind of GPU, in `servers.groups`",
     server_groups},
    {"cluster-failures", "a server that fails, in `cluster.failures`",
     orr__outage_params},
    {"cluster-elastic",
     "`gpus` of an entry of `cluster.jobs` that may change "
     "its size",
     cluster_elastic},
    {"cluster-resize", "what `cluster.resize` holds", orr__resize_params},
    {"cluster-told", "a requested size of a job, in `cluster.resize.told`",
     orr__requested_params},
    {"cluster-migrate", "what `cluster.migrate` holds", orr__migrate_params},
    {"compare", "what `compare` holds: a study of many variants",
     orr__compare_params},
    {"until", "what `compare.until` holds", orr__compare_until_params},
    {"equal-cost", "what `compare.equal_cost` holds",
     orr__compare_equal_cost_params},
    {NULL, NULL, NULL},
};
