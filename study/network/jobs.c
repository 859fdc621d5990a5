/* Jobs that a program adds to its network, and takes out. */
#include "study/network/network.h"

/* ORR_ECALL for calls at the wrong time; an error of the run stays. */
static orr_err check_call(struct orr_network *n, const char *what,
                          struct orr_report *why)
{
    if (!n)
        return orr__fail(why, ORR_ECALL, "%s: n is NULL", what);
    if (n->running)
        return orr__fail(why, ORR_ECALL, "%s from a callback", what);
    if (n->finished)
        return orr__fail(why, ORR_ECALL, "the network is finished");
    if (n->err != ORR_OK && n->err != ORR_EINTERRUPTED)
        return orr__fail(why, n->err, "%s", n->why.message);
    return ORR_OK;
}

/* The first of them: the network begins, and jobs may come. */
static orr_err prepare(struct orr_network *n, struct orr_report *why)
{
    const struct orr_shared_network_host host = {
        .x = n->x, .call = orr__network_call, .context = n};
    orr_err err = ORR_OK;

    if (!n->begun && (err = orr__experiment_begin(n->x, &n->why)) != ORR_OK) {
        n->err = err; /* what has begun in part goes no further */
        if (why && why->code == ORR_OK)
            *why = n->why;
        return err;
    }
    n->begun = true;
    if (err == ORR_OK && !n->jobs_since) {
        n->next_job = n->world->n_jobs;
        err = orr__shared_network_attach(&host, &n->jobs_since, why);
    }
    if (err == ORR_OK)
        orr__shared_network_time(n->jobs_since, n->now);
    return err;
}

orr_err orr_network_job(orr_network *n, const char *job, int64_t at_ps,
                        void (*ended)(void *arg), void *arg, uint32_t *number,
                        struct orr_report *why)
{
    orr_err err = check_call(n, "orr_network_job", why);

    if (err != ORR_OK)
        return err;
    if (!job)
        return orr__fail(why, ORR_ECALL, "orr_network_job: job is NULL");
    if (ended && n->world->options.workers > 1)
        return orr__fail(
            why, ORR_ECALL,
            "with several threads the end of a job has no callback");
    err = prepare(n, why);
    if (err == ORR_OK)
        err = orr__shared_network_add(n->jobs_since, job, n->next_job, at_ps,
                                      why);
    if (err != ORR_OK)
        return err;
    if (ended)
        orr__shared_network_tell(n->jobs_since, n->next_job, ended, arg);
    if (number)
        *number = n->next_job;
    n->next_job++;
    return ORR_OK;
}

bool orr_network_job_ended(const orr_network *n, uint32_t number)
{
    return n && n->jobs_since
           && orr__shared_network_ended(n->jobs_since, number);
}

orr_err orr_network_job_close(orr_network *n, uint32_t number,
                              struct orr_job_figures *out,
                              struct orr_report *why)
{
    struct orr_shared_network_figures f;
    orr_err err = check_call(n, "orr_network_job_close", why);

    if (err == ORR_OK && !n->jobs_since)
        err = orr__fail(why, ORR_ECALL, "there is no job %u", number);
    if (err != ORR_OK)
        return err;
    orr__shared_network_time(n->jobs_since, n->now);
    err = orr__shared_network_close(n->jobs_since, number, &f, why);
    if (err == ORR_OK && out)
        *out = (struct orr_job_figures){
            .ended = f.ended,
            .iterations = f.iterations,
            .start_ps = f.start_ps,
            .end_ps = f.end_ps,
            .mean_iteration_ps = f.mean_iteration_ps,
            .bytes_sent = f.bytes_sent,
            .wire_bytes = f.wire_bytes,
            .marks = f.marks,
            .retransmissions = f.retransmissions,
            .timeouts = f.timeouts,
            .compute_ps = f.compute_ps,
            .communication_ps = f.communication_ps,
            .overlap_ps = f.overlap_ps,
        };
    return err;
}
