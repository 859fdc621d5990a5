#include "cluster/cost.h"

#include "experiment/estimate.h"

orr_err orr__forecast_job(struct orr_forecast *f, const struct orr_world *w,
                          struct orr_job_cost *out, struct orr_report *why)
{
    struct orr_estimate e = {.seconds = 0};
    orr_err err = orr__estimate(w, &e, NULL, why);
    out->network_s = orr__estimate_network(w);
    out->iteration_s = e.seconds - out->network_s;
    out->hops = e.packet_hops;
    f->seconds += out->network_s;
    f->places++;
    return err;
}

void orr__forecast_add(struct orr_forecast *f, const struct orr_job_cost *job,
                       double iterations)
{
    f->seconds += iterations * job->iteration_s;
    f->hops += iterations * job->hops;
}
