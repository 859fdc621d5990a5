#include "cluster/stuck.h"

#include <stdio.h>
#include <string.h>

#include "cluster/resize.h"

enum { SHOWN = 5 }; /* jobs, in a message */

static const char never[] = "there is never room for it";

bool orr__is_stuck(const struct orr_cluster_job *j)
{
    return j->failed == never;
}

/* Nobody has GPUs: one that is not free is out. */
static bool names_one_out(const struct orr_cluster *c,
                          const struct orr_arrival *a, uint32_t *gpu)
{
    for (uint32_t r = 0; a->hosts && r < a->gpus; r++) {
        *gpu = a->hosts[r];
        if (!orr__gpu_free(&c->inventory, *gpu))
            return true;
    }
    return false;
}

void orr__stuck_text(const struct orr_engine *e, uint32_t job,
                     char buf[ORR_STUCK_TEXT])
{
    const struct orr_cluster *c = &e->cluster;
    uint32_t least = orr__size_least(e, job), gpu;
    uint32_t room = orr__gpus_free(&c->inventory);
    if (names_one_out(c, &c->job[job].is, &gpu))
        snprintf(buf, ORR_STUCK_TEXT, "its GPU %u is out", gpu);
    else if (room < least)
        snprintf(buf, ORR_STUCK_TEXT, "it needs %u GPUs; not out: %u", least,
                 room);
    else
        snprintf(buf, ORR_STUCK_TEXT,
                 "%u GPUs are free, but others go first, "
                 "or `placement` waits for better ones",
                 room);
}

/* The first of those that wait, and how many there are. */
static orr_err fail_stuck(const struct orr_engine *e, struct orr_report *why)
{
    const struct orr_cluster *c = &e->cluster;
    uint32_t n = c->n_waiting;
    char text[SHOWN * 180] = "", reason[ORR_STUCK_TEXT];
    for (uint32_t i = 0; i < n && i < SHOWN; i++) {
        size_t used = strlen(text);
        orr__stuck_text(e, c->waiting[i], reason);
        snprintf(text + used, sizeof text - used, "%s%.40s: %s",
                 used ? "; " : "", c->job[c->waiting[i]].is.name, reason);
    }
    return orr__fail(why, ORR_ERUN,
                     "no events are left, but %u %s for GPUs: %s%s", n,
                     n == 1 ? "job waits" : "jobs wait", text,
                     n > SHOWN ? "; and so on" : "");
}

orr_err orr__stuck_give_up(struct orr_engine *e, struct orr_report *why)
{
    struct orr_cluster *c = &e->cluster;
    bool fails = c->n_waiting && !e->first && !e->forecast;
    orr_err err = fails ? fail_stuck(e, why) : ORR_OK;
    while (c->n_waiting) {
        uint32_t job = c->waiting[c->n_waiting - 1];
        struct orr_cluster_job *j = &c->job[job];
        orr__cluster_set_state(c, job, ORR_CLUSTER_FAILED);
        j->failed = never;
        j->waited_ns += c->now_ns - j->since_ns;
        j->since_ns = j->finish_ns = c->now_ns;
        e->ended++;
    }
    return err;
}
