/* The scheduler at work. All that is touched at home is its alone; ranks tell
 * it and are told by timers of theirs. */
#include "core/assert.h"
#include "core/units.h"
#include "workload/job/serve.h"
#include "workload/rank/rank.h"

/* What a timer is about: kind, rank or engine, request. */
enum kind {
    ARRIVAL, /* at home: a request comes */
    ENDED,   /* at home: a rank of an engine has ended its step */
    PIECE,   /* at home: a piece of keys and values of a request is there */
    START,   /* at a rank: its next step */
    SEND,    /* at a rank: its pieces of a request's keys and values */
    FINISH,  /* at a rank: all is over */
};

static uint64_t arg_of(enum kind kind, uint32_t rank, uint32_t request)
{
    return (uint64_t)kind << 60 | (uint64_t)rank << 32 | request;
}

static int64_t to_home(const struct orr_serve *s)
{
    return s->world->options.control_delay_ps / 2;
}

static void tell_home(struct orr_serve *s, uint32_t host, int64_t now,
                      uint64_t arg)
{
    orr__net_post(s->world->net, host, now, s->home, now + to_home(s), s->user,
                  arg);
}

static void tell_rank(struct orr_serve *s, int64_t now, enum kind kind,
                      uint32_t rank, uint32_t request)
{
    int64_t delay = s->world->options.control_delay_ps - to_home(s);
    orr__net_post(s->world->net, s->home, now, s->team->hosts[rank],
                  now + delay, s->user, arg_of(kind, rank, request));
}

/* ---- keys and values ----------------------------------------------------- */

uint64_t orr__serve_piece(const struct orr_serve *s, uint64_t bytes, uint32_t i,
                          uint32_t j)
{
    uint32_t n = s->engine[ORR_PREFILL].ranks, m = s->engine[ORR_DECODE].ranks;
    uint64_t from = orr__piece_start(bytes, n, i);
    uint64_t to = orr__piece_start(bytes, n, i + 1);
    uint64_t first = orr__piece_start(bytes, m, j);
    uint64_t end = orr__piece_start(bytes, m, j + 1);
    from = from > first ? from : first;
    to = to < end ? to : end;
    return to > from ? to - from : 0;
}

static uint64_t kv_bytes(const struct orr_serve *s, uint32_t request)
{
    return s->kv * s->request[request].prompt;
}

/* The decoding ranks that share a piece with prefilling rank i: [*j, *end). */
static void receivers(const struct orr_serve *s, uint32_t i, uint32_t *j,
                      uint32_t *end)
{
    uint64_t n = s->engine[ORR_PREFILL].ranks, m = s->engine[ORR_DECODE].ranks;
    uint64_t last = ((uint64_t)i + 1) * m / n + 1;
    uint64_t first = (uint64_t)i * m / n;
    *j = (uint32_t)(first ? first - 1 : 0); /* pieces are rounded */
    *end = (uint32_t)(last < m ? last : m);
}

/* How many messages a request's keys and values are. */
static uint32_t count_pieces(const struct orr_serve *s, uint32_t request)
{
    uint32_t pieces = 0, j, end;
    for (uint32_t i = 0; i < s->engine[ORR_PREFILL].ranks; i++)
        for (receivers(s, i, &j, &end); j < end; j++)
            pieces += orr__serve_piece(s, kv_bytes(s, request), i, j) > 0;
    return pieces;
}

/* At a prefilling rank. */
static void send_pieces(struct orr_serve *s, int64_t now, uint32_t rank,
                        uint32_t request)
{
    uint32_t j, end;
    for (receivers(s, rank, &j, &end); j < end; j++) {
        uint64_t bytes = orr__serve_piece(s, kv_bytes(s, request), rank, j);
        if (bytes)
            orr__post_message(&s->team->rank[rank], now,
                              s->engine[ORR_DECODE].base + j, bytes, request,
                              ORR_ARG_OWN);
    }
}

/* ---- steps --------------------------------------------------------------- */

static uint32_t waiting(const struct orr_serve_part *e)
{
    return e->tail - e->head;
}

static void queue_request(const struct orr_serve *s, struct orr_serve_part *e,
                          uint32_t request)
{
    e->queue[e->tail++ % s->n] = request;
}

/* What the engine's program is about in its next step. Nobody reads it before
 * the ranks are told to start. */
static void write_step(struct orr_serve *s, struct orr_serve_part *e,
                       uint64_t tokens)
{
    struct orr_program *p = s->program;
    unsigned __int128 all =
        (unsigned __int128)(uint64_t)e->step_ps
        + (unsigned __int128)(uint64_t)e->token_ps * tokens
        + (unsigned __int128)(uint64_t)e->cached_ps * e->cached;
    uint64_t time =
        all < (unsigned __int128)ORR_HORIZON ? (uint64_t)all : ORR_HORIZON;
    for (uint32_t i = 0; i < e->layers; i++)
        p->op[e->op + i * e->layer_ops].time_ps =
            (int64_t)orr__piece_bytes(time, e->layers, i);
    for (uint32_t i = 0; i < e->layers * e->layer_calls; i++) {
        struct orr_call *x = &p->call[e->call + i];
        bool reduce = e->reduces && i % e->layer_calls == 0;
        x->bytes = (reduce ? e->all_reduce : e->all_to_all) * tokens;
        x->c.largest = x->bytes;
    }
}

static void start_step(struct orr_serve *s, struct orr_serve_part *e,
                       int64_t now, uint64_t tokens)
{
    write_step(s, e, tokens);
    e->busy = true;
    e->steps++;
    e->waits = e->ranks;
    for (uint32_t i = 0; i < e->ranks; i++)
        tell_rank(s, now, START, e->base + i, 0);
}

/* Requests in the order in which they came, if nothing is at work. */
static void try_prefill(struct orr_serve *s, int64_t now)
{
    struct orr_serve_part *e = &s->engine[ORR_PREFILL];
    uint64_t tokens = 0;
    if (e->busy || !waiting(e))
        return;
    e->n_at_work = 0;
    while (e->n_at_work < e->most && waiting(e)) {
        uint32_t request = e->queue[e->head++ % s->n];
        e->at_work[e->n_at_work++] = request;
        tokens += s->request[request].prompt;
    }
    start_step(s, e, now, tokens);
}

/* Those that are at work stay; others join. */
static void try_decode(struct orr_serve *s, int64_t now)
{
    struct orr_serve_part *e = &s->engine[ORR_DECODE];
    if (e->busy)
        return;
    bool joins = s->continuous || e->n_at_work == 0;
    while (joins && e->n_at_work < e->most && waiting(e)) {
        uint32_t request = e->queue[e->head++ % s->n];
        e->at_work[e->n_at_work++] = request;
        e->cached += s->request[request].prompt + 1;
    }
    if (e->n_at_work)
        start_step(s, e, now, e->n_at_work);
}

/* A request has its last token. */
static void finish(struct orr_serve *s, int64_t now, uint32_t request,
                   int64_t at)
{
    s->request[request].last_ps = at;
    if (++s->done < s->n)
        return;
    for (uint32_t i = 0; i < s->team->ranks; i++)
        tell_rank(s, now, FINISH, i, 0);
}

static void make_ready(struct orr_serve *s, int64_t now, uint32_t request,
                       int64_t at)
{
    s->request[request].ready_ps = at;
    queue_request(s, &s->engine[ORR_DECODE], request);
    try_decode(s, now);
}

/* at: when the last rank ended the step. */
static void end_prefill(struct orr_serve *s, int64_t now, int64_t at)
{
    struct orr_serve_part *e = &s->engine[ORR_PREFILL];
    for (uint32_t i = 0; i < e->n_at_work; i++) {
        uint32_t request = e->at_work[i];
        struct orr_request *r = &s->request[request];
        r->first_ps = at;
        r->left--;
        r->pieces = r->left ? count_pieces(s, request) : 0;
        if (!r->left)
            finish(s, now, request, at);
        else if (!r->pieces)
            make_ready(s, now, request, at);
        for (uint32_t k = 0; r->pieces && k < e->ranks; k++)
            tell_rank(s, now, SEND, e->base + k, request);
    }
    try_prefill(s, now);
}

/* Who has all tokens leaves; the others stay. */
static void end_decode(struct orr_serve *s, int64_t now, int64_t at)
{
    struct orr_serve_part *e = &s->engine[ORR_DECODE];
    uint32_t stay = 0;
    for (uint32_t i = 0; i < e->n_at_work; i++) {
        uint32_t request = e->at_work[i];
        struct orr_request *r = &s->request[request];
        e->cached++;
        if (--r->left) {
            e->at_work[stay++] = request;
            continue;
        }
        e->cached -= (uint64_t)r->prompt + r->output;
        finish(s, now, request, at);
    }
    e->n_at_work = stay;
    try_decode(s, now);
}

/* ---- what is told -------------------------------------------------------- */

/* The last rank to tell ends the step. */
static void on_ended(struct orr_serve *s, int64_t now, uint32_t which)
{
    struct orr_serve_part *e = &s->engine[which];
    ORR_ASSERT(e->busy && e->waits > 0);
    if (--e->waits)
        return;
    e->busy = false;
    if (which == ORR_PREFILL)
        end_prefill(s, now, now - to_home(s));
    else
        end_decode(s, now, now - to_home(s));
}

static void on_arrival(struct orr_serve *s, int64_t now, uint32_t request)
{
    queue_request(s, &s->engine[ORR_PREFILL], request);
    if (request + 1 < s->n)
        orr__net_timer(s->world->net, s->home,
                       s->request[request + 1].arrival_ps, s->user,
                       arg_of(ARRIVAL, 0, request + 1));
    try_prefill(s, now);
}

/* Of the scheduler, and of ranks that it told. */
static void on_timer(void *serve, uint32_t host, int64_t now, uint64_t arg)
{
    struct orr_serve *s = serve;
    uint32_t request = (uint32_t)arg, rank = (uint32_t)(arg >> 32) & 0xfffffff;
    (void)host;
    switch ((enum kind)(arg >> 60)) {
    case ARRIVAL: on_arrival(s, now, request); break;
    case ENDED: on_ended(s, now, rank); break;
    case PIECE:
        if (--s->request[request].pieces == 0)
            make_ready(s, now, request, now - to_home(s));
        break;
    case START: orr__rank_start(&s->team->rank[rank], now); break;
    case SEND: send_pieces(s, now, rank, request); break;
    case FINISH: orr__rank_finish(&s->team->rank[rank]); break;
    }
}

static const struct orr_net_ops upcalls = {.timer = on_timer};

/* A rank has ended a step; in its thread. */
static void on_step(void *serve, struct orr_rank *r, int64_t now)
{
    struct orr_serve *s = serve;
    uint32_t which = r->rank >= s->engine[ORR_DECODE].base;
    tell_home(s, r->host, now, arg_of(ENDED, which, 0));
}

/* Keys and values are at a decoding rank. */
static void on_message(void *serve, struct orr_rank *r, int64_t now,
                       uint64_t tag)
{
    tell_home(serve, r->host, now, arg_of(PIECE, 0, (uint32_t)tag));
}

static const struct orr_team_stepper stepper = {
    .ended = on_step,
    .arrived = on_message,
};

orr_err orr__serve_start(struct orr_serve *s, struct orr_world *w,
                         struct orr_team *t, struct orr_report *why)
{
    s->world = w;
    s->team = t;
    s->program = (struct orr_program *)t->program;
    s->home = t->hosts[s->engine[ORR_DECODE].base];
    s->user = orr__net_user(w->net, &upcalls, s);
    if (s->user == ORR_NONE)
        return orr__no_memory(why);
    t->stepper = &stepper;
    t->stepper_arg = s;
    return ORR_OK;
}

void orr__serve_begin(struct orr_serve *s, int64_t start_ps)
{
    for (uint32_t i = 0; i < s->n; i++)
        s->request[i].arrival_ps =
            orr__time_add(s->request[i].arrival_ps, start_ps);
    orr__net_timer(s->world->net, s->home, s->request[0].arrival_ps, s->user,
                   arg_of(ARRIVAL, 0, 0));
}
