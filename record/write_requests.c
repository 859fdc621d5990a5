#include "record/write_requests.h"

#include <math.h>

#include "core/units.h"
#include "record/rows.h"
#include "workload/job/job.h"
#include "workload/job/serve.h"

/* A request; seconds, NaN: it did not come to that. */
struct request_row {
    uint32_t request, job, prompt, output;
    double arrival, first_token, kv_ready, last_token;
};

static const struct orr_row_field fields[] = {
    ORR_FIELD(request_row, request, U32, "1", "row", NULL),
    ORR_FIELD(request_row, job, U32, "1", "job that serves it", NULL),
    ORR_FIELD(request_row, prompt, U32, "1", "tokens of its prompt", NULL),
    ORR_FIELD(request_row, output, U32, "1", "tokens of its answer", NULL),
    ORR_FIELD(request_row, arrival, F64, "s", "when it came", NULL),
    ORR_FIELD(request_row, first_token, F64, "s", "first token of the answer",
              NULL),
    ORR_FIELD(request_row, kv_ready, F64, "s",
              "keys and values were at all decoding ranks", NULL),
    ORR_FIELD(request_row, last_token, F64, "s", "last token of the answer",
              NULL),
};

/* Where writing is: rows come in order. */
struct source {
    const struct orr_world *w;
    uint32_t job, request;
};

static double seconds(int64_t ps)
{
    return ps < 0 ? NAN : (double)ps / (double)ORR_S;
}

/* The next one, of this job or the next that has any. */
static void request_row(void *from, uint64_t i, void *row)
{
    struct source *s = from;
    const struct orr_serve *x = s->w->jobs[s->job].serve;
    while (!x || s->request == x->n) {
        s->request = 0;
        x = s->w->jobs[++s->job].serve;
    }
    const struct orr_request *r = &x->request[s->request++];
    *(struct request_row *)row = (struct request_row){
        (uint32_t)i,
        s->job,
        r->prompt,
        r->output,
        seconds(r->arrival_ps),
        seconds(r->first_ps),
        seconds(r->ready_ps),
        seconds(r->last_ps),
    };
}

orr_err orr__requests_write(struct orr_record *r, const struct orr_world *w)
{
    static const struct orr_rows rows =
        ORR_ROWS(fields, request_row, request_row);
    struct source s = {w, 0, 0};
    uint64_t n = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++)
        n += w->jobs[i].serve ? w->jobs[i].serve->n : 0;
    return n ? orr__rows_write(r, orr__record_group(r, "requests"), &rows, &s,
                               n)
             : ORR_OK;
}
