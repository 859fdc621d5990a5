/* Figures of a summary, units and terms. Every name in the JSON summary is
 * here (tests/cli/help_words.bats looks). */
#include "cli/help_terms.h"

#include <stddef.h>

#define JOB     "jobs[]"
#define CALL    "jobs[].collectives[]"
#define ITER    "jobs[].iterations[]"
#define RANK    "jobs[].rank_list[]"
#define FLOW    "flows"
#define BUSY    "links.busiest[]"
#define COUNT   "counters"
#define CLUSTER "cluster"
#define TENANT  "cluster.tenants[]"
#define ASTRA   "jobs[].astra"
#define BASIS   "basis"
#define PLAN    "schedule"

const struct orr_term orr__terms[] = {
    /* the run */
    {"fingerprint", "the summary",
     "64-bit hash, in hex, of all that every node received and did. The same "
     "configuration and seed give the same on any machine and any number of "
     "threads. `partial` is true where the run did not come to its end."},
    {"partial", "the summary",
     "True if the run was stopped, interrupted or failed: the fingerprint and "
     "the figures cover what was simulated."},
    {"sim_time_ns", "the summary", "Time of the last event, ns of simulation."},
    {"state", "end; jobs[] of a cluster",
     "How it ended: done, stopped (at `stop`), quiet (no event was left, and "
     "not all was done), interrupted or failed; of a cluster's job also "
     "waiting or running."},
    {"end|at_ns|open_jobs|open_flows", "end",
     "How and when the run ended, and how many jobs and flows had not."},
    {"notes", "the summary",
     "Warnings about the configuration and the run: the same lines that a run "
     "prints on standard error."},
    {"cut|shown|of", "the summary",
     "Lists of the summary that are cut: which, how many entries are shown, "
     "and of how many. `orrery run --whole LIST` writes all of one."},
    {"output", "the summary", "The HDF5 file with everything over time."},
    {"wall|cpu_seconds|setup_seconds|packet_hops_per_second|threads|"
     "peak_memory_bytes",
     "wall",
     "What the run cost on this machine. Not a result: it differs from run to "
     "run."},
    {"nodes", "topology", "Hosts and switches."},

    /* counters */
    {"counters", "the summary", "What all packets together did."},
    {"id|type", NULL,
     "Numbers and kinds of nodes, links and entries, as in the HDF5 file."},
    {"orrery", "the summary", "The version that ran."},
    {"events", COUNT,
     "Packets that arrived at nodes, and steps of programs and flows: what the "
     "fingerprint hashes."},
    {"packet_hops|hops", COUNT,
     "Packets times links crossed, ACKs included: the work of a run."},
    {"packets_sent|packets_delivered", COUNT,
     "Packets sent by hosts, ACKs included, and by switches that copy or add; "
     "packets that ended at a host, or in a sum. One that is sent again counts "
     "again."},
    {"packets_dropped|drops|dropped|lost", "counters; links.busiest[]; losses",
     "Packets that were lost, to a full queue or on the wire."},
    {"ecn_marks|marks", "counters; jobs[]; flows.list[]; links.busiest[]",
     "Packets marked with congestion experienced (CE). At a link: by its "
     "queue; of jobs and flows: packets that arrived with CE."},
    {"retransmissions", "counters; jobs[]; flows.list[]",
     "Data packets that were sent again."},
    {"timeouts|longest_timeout_ns", "counters; jobs[]; flows.list[]",
     "Times that a sender waited in vain for an ACK until its retransmission "
     "timer ended, and the longest of these waits (`network.rto`)."},
    {"pfc_pauses|pauses|paused_ns", "counters; links.busiest[]",
     "Pause frames that senders obeyed, and how long a class was held back."},
    {"packets_trimmed", COUNT,
     "Packets cut to their headers by a queue of kind trim."},
    {"cnps", "jobs[]; flows.list[]",
     "Congestion notification packets (CNP) that DCQCN's senders got; none "
     "with "
     "the vendor's preset, where every marked ACK is one (`marks`)."},

    /* losses */
    {"losses|no_route|try|share", "losses",
     "Null, or, if more than 1 % of the packets were lost: the share of those "
     "sent, the link that lost most, packets without route, and what to try."},

    /* flows */
    {"jain|fairness", "flows; cluster; cluster.tenants[]",
     "Jain's fairness index, (sum x)^2 / (n sum x^2): 1 if all are equal, 1/n "
     "if one has everything. Of flows x is size / completion time, of a "
     "cluster's jobs 1/rho."},
    {"goodput_bps|goodput", FLOW,
     "Payload of the measured flows over the time between the first start and "
     "the last end, bit/s: headers and what is sent again do not count."},
    {"fct_ns|fct", FLOW,
     "Flow completion time, ns: from the start to the last ACK at the source."},
    {"done_ns", FLOW,
     "Time from the start of a flow to its last byte at the destination, ns."},
    {"slowdown", "flows; jobs[]; cluster; HDF5: /flows, /jobs",
     "Of a flow: completion time over its time alone with an unlimited "
     "window. Of a job: its time over the time alone. 1 is best. Percentiles "
     "by size stand in flows.by_size[]."},
    {"ideal_ns", "flows.list[]",
     "Completion time of the flow alone, with an unlimited window, ns."},
    {"by_size", FLOW,
     "Slowdown and completion time by classes of size, limits 1, 2 and 5 of "
     "each decade."},
    {"completed|measured|count|list", FLOW,
     "Flows; those that completed; those that are measured (completed, outside "
     "`warmup` and `cooldown`); and the first 1,000, one by one."},
    {"src_name|dst_name|from_name|to_name", NULL,
     "Names of the nodes beside their numbers."},

    /* jobs */
    {"iteration_ns|iterations", "jobs[]; cluster",
     "Durations of a job's iterations after `warmup`, ns: mean, percentiles, "
     "min and max; `iterations[]` has each."},
    {"duration_ns", "jobs[].iterations[]; jobs[].collectives[]",
     "Of an iteration: from the end of the one before (the first: from its "
     "start) to its own end, ns. Of a collective: from the first rank's start "
     "to the last rank's end."},
    {"span_ns", ITER,
     "From the first rank's start of the iteration to the last one's end, ns."},
    {"open", ITER,
     "With `overlap`: iterations that were open when this one started, itself "
     "included."},
    {"bytes_sent|bytes_received", "jobs[]; jobs[].rank_list[]",
     "Payload over the network, bytes."},
    {"wire_bytes", JOB,
     "Bytes on the wire: with headers and with what was sent again."},
    {"breakdown|compute_ns|communication_ns|overlap_ns|"
     "exposed_communication_ns|exposed",
     "jobs[].breakdown; jobs[].rank_list[]",
     "Means over ranks and iterations: time that computes, time that "
     "communicates, both at once (overlap), and communication without "
     "computation (exposed), ns."},
    {"computing|gpus|utilization", "jobs[]; gpus; links; cluster",
     "Of a job and of GPUs: the share of an iteration in which a rank "
     "computes. Of a link: the share of the time in which it sends (also "
     "spelled utilisation in HDF5). Of a cluster: GPU time given over all."},
    {"rank_list|slowest_rank|compute_over_mean", JOB,
     "Times and bytes of each rank (the first 1,000), and the rank that "
     "computes longest, with its time over the mean."},
    {"staleness|updates", JOB,
     "Of asynchronous parameter servers: updates of others that an update did "
     "not know, mean and largest."},
    {"start_ns|finish_ns|end_ns|from_ns|to_ns", NULL,
     "Moments, ns since the beginning of the run."},
    {"gate|offset_ns|period_ns|times_ns|shifts|held_ns", "jobs[].gate",
     "Of a job that takes turns: period and offset of its turns, how often "
     "they were shifted, and how long the rank that waited longest was held."},
    {"alone_ns", JOB,
     "The job's time alone on the same hosts (`alone: true`, or a cluster's "
     "baseline), ns."},

    /* collectives */
    {"collectives|collectives_run|messages|operation|group_size", CALL,
     "Each call of a collective: kind, algorithm, members, bytes, time."},
    {"algorithm_bps|algbw", CALL,
     "Size over duration, bit/s, as nccl-tests define it."},
    {"bus_bps|busbw", CALL,
     "algorithm_bps times the collective's factor, 2 (n - 1) / n for "
     "all-reduce, as nccl-tests define it: comparable with a link's rate."},
    {"lower_bound_ns", CALL,
     "No run of this call can be faster, ns: the largest of the longest chain "
     "of messages, and the bytes of a host, a server, a leaf, over their "
     "links."},
    {"chunk_latency_ns|queueing_ns|message_ns", CALL,
     "In ASTRA-sim's terms: mean time of a chunk, how long chunks waited to "
     "begin, and mean time of a message, ns."},
    {"limiting_link|busy|time_ns", CALL,
     "The link that was busiest during the collective among those that its "
     "payload crosses: `busy` is its share of the time."},

    /* links */
    {"links|busiest|used|mean_utilization|max_utilization", "links",
     "Links are one direction each; `busiest` lists those with the highest "
     "utilization. What each carried over time stands in HDF5: /links."},
    {"mean_queue_bytes|max_queue_bytes|mean_queue|max_queue",
     "links.busiest[]; HDF5: /links",
     "Queue of the port, bytes: mean over "
     "time, and longest."},
    {"link", "losses; contention",
     "A link by its two ends, `a > b`; `orrery help link` has the section."},
    {"contention|worst|asked|lost_gpu_hours|shared_ns|worst_from_ns|"
     "worst_to_ns|worst_lost_gpu_hours",
     "contention",
     "Of a cluster: links on which jobs met, how long they shared them, what "
     "share of the rate they asked for, and the GPU-hours that this cost."},

    /* schedules */
    {"score|loops", PLAN,
     "CASSINI's compatibility score: 1 means that the demands of all jobs fit "
     "under the rate at every moment; `loops` of jobs and links cannot all be "
     "served by shifts."},
    {"expected_ns|planned_ns|fair_ns|refused|holds", PLAN,
     "What the plan expects of a job's iteration, with and without turns, and "
     "turns that were refused because they would not hold."},
    {"intensity", PLAN,
     "Crux's intensity of a job: GPU work over the time of its busiest link."},
    {"jumps|inferred|repeated|simulated|drift|last_mean_ns|error", "repeat",
     "What `repeat` did not simulate: iterations repeated exactly, or inferred "
     "from measured ones with half of the 95 % interval as `error`."},

    /* clusters */
    {"makespan_ns", CLUSTER, "From the first arrival to the last end, ns."},
    {"completion_ns|jct|completion", "cluster; jobs[] of a cluster",
     "Job completion time, ns: from arrival to end, waiting included."},
    {"rho|finish_time_fairness", "cluster; jobs[] of a cluster",
     "Themis's finish-time fairness: completion time over the time that all "
     "iterations of the job take alone."},
    {"gpu_hours|gpu_hours_given|gpu_hours_idle|gpu_hours_lost|given|idle|all|"
     "out",
     CLUSTER,
     "GPU-hours of the cluster: all of them, those given to jobs, idle, out of "
     "service, and lost: what jobs would not have needed alone."},
    {"fragmentation", CLUSTER,
     "Of the free GPUs, the share on servers that are in use, over time."},
    {"sharing", CLUSTER,
     "Share of the GPU time given to jobs while they shared a link with "
     "another job."},
    {"queue_most|queue_mean", CLUSTER,
     "Jobs that waited at once, most and mean over time."},
    {"waiting|running|done|failed|left_out|began_before_submission", CLUSTER,
     "Jobs by their state at the end, and rows of a trace that were not used."},
    {"preempted|moved|resized|restarted", "cluster; jobs[] of a cluster",
     "How often jobs were put off their GPUs, moved, resized, restarted."},
    {"arrived_ns|started_ns|finished_ns|deadline_ns", "jobs[] of a cluster",
     "When the job came, first got GPUs and ended, and its deadline, ns."},
    {"pace|company|with|iteration_error", "jobs[] of a cluster",
     "How the iteration time changed over the job's life, and which jobs "
     "shared its links."},
    {"marks_per_iteration|retransmissions_per_iteration", "cluster; jobs[]",
     "Marks and retransmissions over iterations."},
    {"racks|servers|accuracy", CLUSTER, "What the cluster was, and how exact."},
    {"tenants|tenants_jain_rho|tenants_jain_share|of_quota|"
     "borrowed_gpu_hours|done_per_hour|goodput_per_hour|deadlines_met|"
     "deadlines_missed",
     TENANT,
     "Figures by tenant: GPU-hours, their share of the quota, what was "
     "borrowed, jobs done an hour, deadlines met and missed, and Jain's index "
     "over tenants."},
    {"basis|cache|cache_damaged|from_cache|constellations|epochs|error_asked|"
     "error_worst|intervals|replications|remembered|unsettled|"
     "given_up_packet_hops|iterations_inferred|iterations_simulated",
     BASIS,
     "What a cluster's figures rest on: simulated packets, sets of jobs that "
     "were measured, what came from the cache, and the intervals."},

    /* traces */
    {"trace|by_type|collective|compute|memory|memory load|memory store|"
     "metadata|recv|send|invalid|"
     "critical_path_ns|critical_path_nodes|collective_bytes|send_bytes|sends|"
     "load_seconds|files",
     "jobs[].trace",
     "What a trace held: nodes by type, bytes, and the longest chain of "
     "computations."},
    {"astra|layers|phases|passes|dimensions|chunk_ns|exposed_ns|network_ns|"
     "forward|input_gradient|weight_gradient",
     ASTRA,
     "ASTRA-sim's figures of a workload: by layer and pass, and by dimension "
     "of the network."},

    /* statistics */
    {"mean|min|max|p10|p50|p90|p95|p99|percentile|percentiles", NULL,
     "Percentiles are observed values (nearest rank); p99 is larger than 99 % "
     "of them. A study adds 95 % confidence intervals over seeds."},
    {"mean_ns|interval|confidence", NULL,
     "Intervals are 95 % confidence intervals of the mean, by Student's t."},

    /* units */
    {"units|unit", NULL,
     "Numbers with a dimension need a unit. Times: ps ns us ms s min h. Sizes: "
     "B KB MB GB TB (powers of 1,000), KiB MiB GiB TiB (of 1,024). Rates: bps "
     "Kbps Mbps Gbps Tbps (bits), B/s KB/s ... GiB/s (bytes). Shares: 0.6 or "
     "60%."},
    {"ps|ns|us|ms|s|min|h|second|time", NULL,
     "Units of time; the clock of a run counts whole picoseconds."},
    {"B|KB|MB|GB|TB|KiB|MiB|GiB|TiB|byte|bytes", NULL,
     "Units of size: 1 KB is 1,000 bytes, 1 KiB is 1,024."},
    {"bps|Kbps|Mbps|Gbps|Tbps|bit", NULL,
     "Units of rate, bits a second; B/s, GB/s, GiB/s are bytes."},

    /* terms */
    {"ECN|CE|mark", NULL,
     "Explicit congestion notification: queues of kind ecn (`threshold`) and "
     "red (`kmin`, `kmax`, `pmax`) mark packets with congestion experienced "
     "(CE); dctcp, dcqcn and nscc react to marks."},
    {"PFC|pause|lossless", NULL,
     "Priority flow control: a switch pauses the sender of a class before its "
     "buffer is full, so that nothing is lost (`network.pfc`)."},
    {"CNP", NULL, "Congestion notification packet, of DCQCN (`cc: dcqcn`)."},
    {"ACK|acknowledgement", NULL,
     "Receivers answer data with ACKs; `network` sets their size and how many "
     "packets one answers (`ack`, `ack_every`)."},
    {"mss|payload|segment", NULL,
     "Payload of a full packet: `network.mtu` without `network.header`."},
    {"RDMA|RoCE", NULL,
     "Remote memory over Ethernet; `preset: roce-dcqcn` and `roce-hpcc` are "
     "its usual rules."},
    {"TCP|RACK|SACK", NULL,
     "`preset: tcp-dctcp` has TCP's rules in a data centre; `network.recovery` "
     "says how losses are found."},
    {"gantt|cdf|series|heatmap|bars", NULL,
     "Pictures: `orrery help plot` lists them; `orrery report` shows them on "
     "a page."},
    {"cwnd|window", NULL,
     "Congestion window, bytes in flight that a control allows; over time with "
     "`record: {flows: [...]}` in HDF5: /flow_series."},
    {"RTT|round trip|base_rtt", NULL,
     "Round-trip time; the base RTT is that of a packet and its ACK alone."},
    {"nvlink|nvswitch|gpu link", NULL,
     "Links inside a server: `topology.servers: {gpus: 8, link: {rate, "
     "delay}}` puts that many GPUs behind an NVSwitch; `orrery help servers`."},
    {"rail|rails", NULL,
     "GPU i of every server on leaf i: topologies rail-optimised and "
     "rail-only; nccl-ring keeps to rails."},
    {"loss", NULL,
     "Random loss of packets on a link (`topology.link.loss`), or packets "
     "lost to full queues (counters.packets_dropped)."},
    {"incast", NULL, "Many senders to one receiver; a generator of flows."},
    {"oversubscription", NULL,
     "Capacity to the hosts over capacity to the spines: leaf-spine and clos "
     "have the key."},
    {"straggler|stragglers", NULL,
     "A rank that computes longer than others: `jobs[].stragglers`, `jitter`."},
    {"rank|ranks", NULL, "A member of a job, on one GPU (host)."},
    {"bucket|buckets", NULL,
     "Gradients that data-parallel training reduces together; `bucket` of a "
     "model's job."},
    {"placement", NULL, "Which host each rank of a job is on."},
    {"job", NULL, "A training job: ranks that run a program again and again."},
    {"DDP|FSDP|ZeRO|data parallel", NULL,
     "Ways in which a model's job synchronises (`jobs[].sync`)."},
    {"HDF5|h5|record", NULL,
     "`-o run.h5` writes everything over time as HDF5, which also opens as "
     "netCDF-4; `record` chooses what. Shown by `orrery report` and `plot`."},
    {"doubt|L|T|S|Q|I|N", "HDF5: /doubt; tables of a study",
     "Marks of what casts doubt on a figure: L packets lost, T timeouts, S "
     "stopped, Q not finished, I inferred, N a note."},
    {"flow|flows", NULL, "A transfer of bytes from one host to another."},
    {"packet", NULL, "What links carry: data of up to `mtu`, ACKs, CNPs."},
    {"dimension|variant|combination", NULL,
     "A study varies dimensions (`compare.over`), each with variants; a "
     "combination has one variant of each and runs once for each seed."},
    {"measure|measures", NULL,
     "A figure of the JSON summary by its path, like jobs.*.iteration_ns.mean, "
     "flows.slowdown.p99, counters.timeouts: `orrery compare --measure`."},
    {NULL, NULL, NULL},
};
