/* A job that serves requests to a language model: some of its ranks read
 * prompts (prefill), then the keys and values of a prompt go to the others,
 * which make the rest of the answer, a token of each request in a step
 * (decode).
 *
 * Both parts are engines: a program of a few layers that all their ranks go
 * through, once a step. Which requests are in a step decides one scheduler, on
 * the host of the first decoding rank; what it hears from and tells other ranks
 * takes half of the control delay each. Between two steps an engine is idle,
 * and only then does the scheduler write into its program what the next one is
 * about: its ranks begin it in a later window. */
#ifndef ORR_WORKLOAD_SERVE_SERVE_H
#define ORR_WORKLOAD_SERVE_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/config/param.h"
#include "core/error.h"
#include "core/statistics.h"
#include "workload/world.h"

struct orr_program; /* workload/program/program.h */
struct orr_team;    /* workload/rank/rank.h */

/* A request; times ps, -1: not yet. */
struct orr_request {
    int64_t arrival_ps;
    uint32_t prompt, output; /* tokens, both >= 1 */
    int64_t first_ps;        /* the first token, which prefill makes */
    int64_t ready_ps;        /* keys and values are where the rest is made */
    int64_t last_ps;         /* the last token */
    uint32_t left;           /* tokens to be made; touched by the scheduler */
    uint32_t pieces;         /* of keys and values, that are under way */
};

/* What some ranks do in a step. */
struct orr_serve_part {
    uint32_t base, ranks;
    int64_t step_ps, token_ps, cached_ps; /* a step takes; for each token that
                     it makes or reads; for each that is in its cache */
    uint32_t layers;
    uint64_t all_reduce, all_to_all; /* bytes a token and layer */
    uint32_t most;                   /* requests in a step */
    const char *algorithm;           /* of the all-reduce; NULL: the default */
    /* of the program: its first operation, and operations of a layer; first
     * call, and calls of a layer, of which the first is an all-reduce if
     * `reduces` */
    uint32_t op, layer_ops, call, layer_calls;
    bool reduces;
    /* touched by the scheduler */
    bool busy;
    uint32_t waits;     /* ranks that have not ended the step */
    uint32_t *at_work;  /* requests in the step; owned, room for `most` */
    uint32_t n_at_work; /* how many */
    uint32_t *queue;    /* a ring of all requests, owned */
    uint32_t head, tail;
    uint64_t cached; /* tokens in the cache */
    uint64_t steps;  /* so far */
};

enum { ORR_PREFILL, ORR_DECODE };
/* All of a job that serves. Owned by the job. */
struct orr_serve {
    struct orr_serve_part engine[2];
    struct orr_request *request; /* in order of arrival; owned */
    uint32_t n, done;            /* requests; those that are over */
    uint64_t kv;                 /* bytes a token */
    bool continuous;             /* requests join any step; else an empty one */
    int64_t slo_ttft_ps, slo_tpot_ps; /* -1: any */
    /* while it runs */
    struct orr_world *world;
    struct orr_team *team;
    struct orr_program *program; /* the team's */
    uint32_t home, user;         /* host of the scheduler; of the net */
};

/* The keys of `serve` and its parts, for help. */
extern const struct orr_param orr__serve_params[], orr__engine_params[],
    orr__slo_params[], orr__length_params[];

/* Reads the map into *out and makes its program, whose sizes are those of all
 * requests together until it runs: estimates want to know of these. On failure
 * *out is to be freed as well. */
struct orr_serve_job {
    struct orr_world *world;
    const struct orr_yaml *node;
    const uint32_t *hosts; /* per rank */
    uint32_t ranks, job;
};
ORR_CHECK_RESULT orr_err orr__serve_read(const struct orr_serve_job *j,
                                         struct orr_serve **out,
                                         struct orr_program **program,
                                         struct orr_report *why);
void orr__serve_free(struct orr_serve *s);
/* serve_requests.c: the requests of a list in a file, or drawn. */
struct orr_request_keys {
    const char *arrivals;
    int64_t requests;
    double rate; /* a second */
    const struct orr_yaml *prompt, *output;
};
ORR_CHECK_RESULT orr_err orr__requests_read(const struct orr_serve_job *j,
                                            const struct orr_request_keys *k,
                                            struct orr_serve *s,
                                            struct orr_report *why);
/* serve_run.c: before the run; its team waits for the scheduler from then on.
 */
ORR_CHECK_RESULT orr_err orr__serve_start(struct orr_serve *s,
                                          struct orr_world *w,
                                          struct orr_team *t,
                                          struct orr_report *why);
/* The first request is due, at so much after the start of the job. */
void orr__serve_begin(struct orr_serve *s, int64_t start_ps);
/* The pieces of keys and values that rank i of `from` sends to those of `to`:
 * what they have in common of the whole. Bytes of the piece for rank j. */
uint64_t orr__serve_piece(const struct orr_serve *s, uint64_t bytes, uint32_t i,
                          uint32_t j);

/* After the run. */
struct orr_serve_figures {
    uint32_t requests, done;
    struct orr_statistics ttft, tpot, e2e, transfer; /* ps, of those done */
    double good;    /* share of all that are done within the objective */
    double goodput; /* those a second, first arrival to last token */
    double tokens;  /* made a second, likewise */
    double batch;   /* requests in a decoding step, mean */
    uint64_t prefill_steps, decode_steps;
};
/* ENOMEM. */
ORR_CHECK_RESULT orr_err orr__serve_figures(const struct orr_serve *s,
                                            struct orr_serve_figures *f);
/* Of one request: time to the first token; mean time of another one, -1: there
 * is none. */
int64_t orr__request_ttft(const struct orr_request *r);
int64_t orr__request_tpot(const struct orr_request *r);

#endif
