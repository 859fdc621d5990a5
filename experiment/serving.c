#include "experiment/serving.h"
#include "experiment/times_text.h"

#include <math.h>

#include "core/units.h"
#include "workload/job/serve.h"

/* Requests that a list of the summary has. */
#define REQUESTS_LISTED 1000

/* ---- for programs -------------------------------------------------------- */

static void put_request(struct orr_json *j, const struct orr_request *r)
{
    orr__json_flat_object(j, NULL);
    orr__json_time(j, "arrival_ns", r->arrival_ps);
    orr__json_count(j, "prompt", r->prompt);
    orr__json_count(j, "output", r->output);
    orr__json_time(j, "first_token_ns", r->first_ps);
    orr__json_time(j, "kv_ready_ns", r->ready_ps);
    orr__json_time(j, "last_token_ns", r->last_ps);
    orr__json_end(j);
}

orr_err orr__serving_json(struct orr_json *j, const struct orr_job *job)
{
    const struct orr_serve *s = job->serve;
    struct orr_serve_figures f;
    orr_err err = s ? orr__serve_figures(s, &f) : ORR_OK;
    if (!s || err)
        return err;
    orr__json_object(j, "serve");
    orr__json_count(j, "requests", f.requests);
    orr__json_count(j, "completed", f.done);
    orr__json_statistics(j, "ttft_ns", &f.ttft, orr__json_mean_time);
    orr__json_statistics(j, "tpot_ns", &f.tpot, orr__json_mean_time);
    orr__json_statistics(j, "e2e_ns", &f.e2e, orr__json_mean_time);
    orr__json_statistics(j, "kv_transfer_ns", &f.transfer, orr__json_mean_time);
    orr__json_flat_object(j, "slo");
    orr__json_time(j, "ttft_ns", s->slo_ttft_ps);
    orr__json_time(j, "tpot_ns", s->slo_tpot_ps);
    orr__json_end(j);
    orr__json_real(j, "attainment", f.good);
    orr__json_real(j, "goodput_rps", f.goodput);
    orr__json_real(j, "tokens_per_second", f.tokens);
    orr__json_count(j, "prefill_steps", f.prefill_steps);
    orr__json_count(j, "decode_steps", f.decode_steps);
    orr__json_real(j, "decode_batch", f.batch);
    uint64_t shown =
        orr__json_shown(j, "jobs.*.serve.request_list", s->n, REQUESTS_LISTED);
    orr__json_list(j, "request_list");
    for (uint64_t i = 0; i < shown; i++)
        put_request(j, &s->request[i]);
    orr__json_end(j);
    orr__json_end(j);
    return ORR_OK;
}

/* ---- for people ---------------------------------------------------------- */

static void add_label(struct orr_text *t, const char *name, unsigned label)
{
    orr__text_words(t, name, label - 2);
    orr__text_column(t, label);
}

static void add_times(struct orr_text *t, const char *name, unsigned label,
                      const struct orr_statistics *s)
{
    add_label(t, name, label);
    orr__text_statistics(t, s);
}

orr_err orr__serving_text(struct orr_text *t, const struct orr_job *job,
                          unsigned label)
{
    const struct orr_serve *s = job->serve;
    struct orr_serve_figures f;
    orr_err err = s ? orr__serve_figures(s, &f) : ORR_OK;
    if (!s || err)
        return err;
    add_label(t, "  requests", label);
    if (f.done == 0) {
        orr__text_add(t, "none of %u served\n", f.requests);
        return ORR_OK;
    }
    orr__text_add(t,
                  "%u of %u served, %.4g tokens/s, %.3g in a decoding step\n",
                  f.done, f.requests, f.tokens, f.batch);
    add_times(t, "  TTFT", label, &f.ttft);
    add_times(t, "  TPOT", label, &f.tpot);
    add_times(t, "  KV transfer", label, &f.transfer);
    if (s->slo_ttft_ps < 0 && s->slo_tpot_ps < 0)
        return ORR_OK;
    add_label(t, "  goodput", label);
    orr__text_add(t, "%.4g requests/s, %.3g %% within", f.goodput,
                  100 * f.good);
    if (s->slo_ttft_ps >= 0)
        orr__text_time(t, " TTFT ", (double)s->slo_ttft_ps);
    if (s->slo_tpot_ps >= 0)
        orr__text_time(t, " TPOT ", (double)s->slo_tpot_ps);
    orr__text_add(t, "\n");
    return ORR_OK;
}
