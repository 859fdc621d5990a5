/* Schedules in GOAL as programs: a rank's computations have its cores, messages
 * go when what they require is over. Of LogGOPSim's parameters the network here
 * has latency, rates and gaps; o, the time that a core spends on a message, is
 * `overhead`. */
#include "core/memory.h"
#include "core/units.h"
#include "formats/goal_schedule.h"
#include "formats/trace.h"
#include "workload/program/longest.h"

/* The keys of `trace` with this format. */
struct keys {
    const char *file;
    int64_t overhead;
};

static const struct orr_param params[] = {
    {.key = "file",
     .type = ORR_PARAM_TEXT,
     .offset = offsetof(struct keys, file),
     .help = "the schedule, in GOAL's text format"},
    {.key = "overhead",
     .type = ORR_PARAM_TIME,
     .offset = offsetof(struct keys, overhead),
     .fallback = "0s",
     .help = "what a core spends on each message that it sends or receives "
             "(o of LogGOPS)"},
    ORR_PARAM_END,
};

/* A program while it is made; arrays are owned. */
struct build {
    struct orr_program *p;
    const struct orr_goal *g;
    const struct keys *keys;
    struct orr_trace_info *info;
    struct orr_report *why;
    /* per operation of the schedule: those of the program that it begins and
     * ends with, and one that is over when it begins, or ORR_NONE */
    uint32_t *head, *tail, *start;
};

/* One more operation, of a line of the file. */
static orr_err add_operation(struct build *b, const struct orr_op *op,
                             uint32_t *id)
{
    return orr__program_add(b->p, op, id, b->why);
}

static orr_err add_time(struct build *b, const struct orr_goal_op *x,
                        int64_t ps, uint32_t *id)
{
    const struct orr_op op = {.kind = ORR_OP_COMPUTE,
                              .stream = x->core,
                              .who = ORR_EVERYONE,
                              .index = ORR_NONE,
                              .time_ps = ps};
    return add_operation(b, &op, id);
}

/* A message with the core's time, before it is sent or when it is there. */
static orr_err add_message(struct build *b, const struct orr_goal_op *x,
                           uint32_t *head, uint32_t *tail)
{
    bool sends = x->kind == ORR_GOAL_SEND;
    const struct orr_op op = {.kind = sends ? ORR_OP_SEND : ORR_OP_RECV,
                              .who = ORR_EVERYONE,
                              .index = x->tag,
                              .peer = x->peer,
                              .bytes = x->amount ? x->amount : 1};
    uint32_t message = 0, time = 0;
    orr_err err = add_operation(b, &op, &message);
    *head = *tail = message;
    if (err || b->keys->overhead == 0)
        return err;
    err = add_time(b, x, b->keys->overhead, &time);
    *head = sends ? time : message;
    *tail = sends ? message : time;
    return err ? err : orr__program_depend(b->p, *head, *tail, b->why);
}

static orr_err add_op(struct build *b, uint32_t i)
{
    const struct orr_goal_op *x = &b->g->op[i];
    b->start[i] = ORR_NONE;
    if (x->kind != ORR_GOAL_CALC)
        return add_message(b, x, &b->head[i], &b->tail[i]);
    orr_err err = add_time(b, x, (int64_t)x->amount * ORR_NS, &b->head[i]);
    b->tail[i] = b->head[i];
    return err;
}

/* The operation of the program that stands for the beginning of one. */
static orr_err add_start(struct build *b, uint32_t i)
{
    const struct orr_op wait = {.kind = ORR_OP_WAIT, .who = ORR_EVERYONE};
    if (b->start[i] != ORR_NONE)
        return ORR_OK;
    orr_err err = add_operation(b, &wait, &b->start[i]);
    return err ? err
               : orr__program_depend(b->p, b->start[i], b->head[i], b->why);
}

/* What waits for what; beginnings are there. */
static orr_err add_wait(struct build *b, const struct orr_goal_wait *w)
{
    uint32_t after = b->start[w->after];
    if (after == ORR_NONE)
        after = b->head[w->after];
    return orr__program_depend(
        b->p, w->start ? b->start[w->before] : b->tail[w->before], after,
        b->why);
}

/* Operations are known by their lines. */
static orr_err add_labels(struct build *b, const struct orr_goal_part *part)
{
    orr_err err = orr__program_label(b->p, b->why);
    if (err)
        return err;
    for (uint32_t i = part->op; i < part->op + part->ops; i++) {
        uint64_t line = (uint64_t)b->g->op[i].line;
        b->p->label[b->head[i]] = b->p->label[b->tail[i]] = line;
        if (b->start[i] != ORR_NONE)
            b->p->label[b->start[i]] = line;
    }
    return ORR_OK;
}

/* The operations of a rank are a part of the program. */
static orr_err add_rank(struct build *b, uint32_t rank)
{
    const struct orr_goal_part *part = &b->g->part[rank];
    const struct orr_goal_wait *w = b->g->wait + part->wait;
    uint32_t id;
    orr_err err = orr__program_part(b->p, &id, b->why);
    if (!err)
        err = orr__program_assign(b->p, rank, id, b->why);
    for (uint32_t i = 0; i < part->ops && !err; i++)
        err = add_op(b, part->op + i);
    for (uint32_t i = 0; i < part->waits && !err; i++)
        if (w[i].start)
            err = add_start(b, w[i].before);
    for (uint32_t i = 0; i < part->waits && !err; i++)
        err = add_wait(b, &w[i]);
    return err ? err : add_labels(b, part);
}

/* For reports. */
static void count_messages(struct build *b)
{
    const struct orr_goal_part *part = &b->g->part[0];
    b->info->nodes = b->g->ops;
    for (uint32_t i = part->op; i < part->op + part->ops; i++)
        if (b->g->op[i].kind == ORR_GOAL_SEND) {
            b->info->sends++;
            b->info->send_bytes += b->g->op[i].amount;
        }
    if (b->g->nics)
        b->info->note = "the numbers of NICs are not used: network.routing "
                        "chooses a host's ports";
}

/* All of the program; what b owns is freed by the caller. */
static orr_err build_ranks(struct build *b)
{
    struct orr_longest x;
    const char *file = b->g->file;
    orr_err err = ORR_OK;
    b->head = orr__alloc(b->g->ops, sizeof *b->head);
    b->tail = orr__alloc(b->g->ops, sizeof *b->tail);
    b->start = orr__alloc(b->g->ops, sizeof *b->start);
    const char **files = orr__alloc(b->p->ranks, sizeof *files);
    if (!b->head || !b->tail || !b->start || !files)
        err = orr__no_memory(b->why);
    for (uint32_t r = 0; r < b->p->ranks && !err; r++) {
        files[r] = file;
        err = add_rank(b, r);
    }
    if (!err)
        err = orr__program_finish(b->p, b->why);
    if (!err)
        err = orr__trace_check(b->p, files, b->why);
    if (!err)
        err = orr__program_longest(b->p, 0, &x, b->why);
    if (!err) {
        b->info->critical_ps = x.ps;
        b->info->critical_nodes = x.operations;
    }
    orr__free(files);
    return err;
}

/* The schedule, of as many ranks as the job has. */
static orr_err read_schedule(const struct orr_trace_job *job, const char *file,
                             struct orr_goal *g, struct orr_report *why)
{
    char *text = NULL, *path = orr__trace_path(job, file);
    size_t length = 0;
    orr_err err =
        path ? orr__trace_text_file(job, "file", path, &text, &length, why)
             : orr__no_memory(why);
    if (!err)
        err = orr__goal_read(path, text, length, g, why);
    if (!err && g->ranks != job->ranks)
        err = orr__fail_at(why, ORR_ECONFIG, path, 1, 1,
                           "the schedule has %u ranks, the job %u", g->ranks,
                           job->ranks);
    orr__free(text);
    orr__free(path);
    return err;
}

/* *out is the caller's also after an error. */
static orr_err read_goal(const struct orr_trace_job *job, const void *keys,
                         struct orr_program **out, struct orr_trace_info *info,
                         struct orr_report *why)
{
    const struct keys *k = keys;
    struct orr_goal g = {.ranks = 0};
    struct build b = {.g = &g, .keys = k, .info = info, .why = why};
    b.p = *out = orr__program_new(job->ranks);
    info->ranks = job->ranks;
    info->files = 1;
    orr_err err =
        b.p ? read_schedule(job, k->file, &g, why) : orr__no_memory(why);
    if (!err) {
        count_messages(&b);
        err = build_ranks(&b);
    }
    orr__free(b.head);
    orr__free(b.tail);
    orr__free(b.start);
    orr__goal_free(&g);
    return err;
}

const struct orr_trace_format orr__trace_goal = {
    .name = "goal",
    .doc = "a schedule of computations and messages in GOAL (LogGOPSim, "
           "ATLAHS)",
    .params = params,
    .params_size = sizeof(struct keys),
    .read = read_goal,
};
