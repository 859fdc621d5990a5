/* What requests took, and how much was served. */
#include <math.h>

#include "core/memory.h"
#include "core/units.h"
#include "workload/job/serve.h"

int64_t orr__request_ttft(const struct orr_request *r)
{
    return r->first_ps < 0 ? -1 : r->first_ps - r->arrival_ps;
}

int64_t orr__request_tpot(const struct orr_request *r)
{
    if (r->last_ps < 0 || r->output < 2)
        return -1;
    return (r->last_ps - r->first_ps) / (r->output - 1);
}

/* A request that is over, within the objective. */
static bool is_good(const struct orr_serve *s, const struct orr_request *r)
{
    return (s->slo_ttft_ps < 0 || orr__request_ttft(r) <= s->slo_ttft_ps)
           && (s->slo_tpot_ps < 0 || orr__request_tpot(r) <= s->slo_tpot_ps);
}

/* What a figure is made of; ps. -1: the request has none. */
static int64_t latency_of(const struct orr_request *r)
{
    return r->last_ps < 0 ? -1 : r->last_ps - r->arrival_ps;
}
static int64_t transfer(const struct orr_request *r)
{
    return r->ready_ps < 0 ? -1 : r->ready_ps - r->first_ps;
}

static struct orr_statistics statistics(
    const struct orr_serve *s, double *room,
    int64_t (*of)(const struct orr_request *r))
{
    size_t n = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (s->request[i].last_ps >= 0 && of(&s->request[i]) >= 0)
            room[n++] = (double)of(&s->request[i]);
    return orr__statistics(room, n);
}

orr_err orr__serve_figures(const struct orr_serve *s,
                           struct orr_serve_figures *f)
{
    double *room = orr__alloc(s->n, sizeof *room);
    uint64_t tokens = 0, decoded = 0, good = 0;
    int64_t last = 0;
    if (!room)
        return ORR_ENOMEM;
    *f = (struct orr_serve_figures){.requests = s->n};
    for (uint32_t i = 0; i < s->n; i++) {
        const struct orr_request *r = &s->request[i];
        if (r->last_ps < 0)
            continue;
        f->done++;
        tokens += r->output;
        decoded += r->output - 1;
        good += is_good(s, r);
        last = r->last_ps > last ? r->last_ps : last;
    }
    double seconds =
        f->done ? (double)(last - s->request[0].arrival_ps) / (double)ORR_S
                : NAN;
    f->ttft = statistics(s, room, orr__request_ttft);
    f->tpot = statistics(s, room, orr__request_tpot);
    f->e2e = statistics(s, room, latency_of);
    f->transfer = statistics(s, room, transfer);
    f->good = (double)good / s->n;
    f->goodput = (double)good / seconds;
    f->tokens = (double)tokens / seconds;
    f->prefill_steps = s->engine[ORR_PREFILL].steps;
    f->decode_steps = s->engine[ORR_DECODE].steps;
    f->batch =
        f->decode_steps ? (double)decoded / (double)f->decode_steps : NAN;
    orr__free(room);
    return ORR_OK;
}
