#include "experiment/rails.h"
#include "core/none.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"
#include "workload/job/job.h"
#include "workload/rank/traffic.h"

/* Collectives looked at, no two of one shape: each may take some 10 ms. */
#define SHAPES 16

/* Per host, nodes: its server's own switch, and the leaf of its rail. */
struct rails {
    uint32_t *server, *leaf; /* ORR_NONE: it has none, or several */
};

static bool is_nvlink(const struct orr_graph *g, uint32_t link)
{
    return strcmp(g->tier_names[g->tier[link]], "nvlink") == 0;
}

static bool has_servers(const struct orr_graph *g)
{
    for (uint32_t i = 0; g->tier_names && g->tier_names[i]; i++)
        if (strcmp(g->tier_names[i], "nvlink") == 0)
            return true;
    return false;
}

/* The server of a GPU and the leaf of its NIC; ORR_NONE: none, or several. */
static void find_ends(const struct orr_graph *g, uint32_t host, struct rails *r)
{
    uint32_t n = 0;
    r->server[host] = r->leaf[host] = ORR_NONE;
    for (uint32_t i = g->out_off[host]; i < g->out_off[host + 1]; i++) {
        uint32_t link = g->out_link[i];
        if (is_nvlink(g, link))
            r->server[host] = g->to[link];
        else
            r->leaf[host] = n++ ? ORR_NONE : g->to[link];
    }
}

/* Some server has GPUs on several leaves, and they pass nothing on. */
static bool find_rails(const struct orr_graph *g, struct rails *r)
{
    bool rails = false;
    for (uint32_t h = 0; h < g->hosts; h++) {
        if (g->forwards[h])
            return false;
        find_ends(g, h, r);
        rails = rails
                || (h && r->server[h] != ORR_NONE
                    && r->server[h] == r->server[h - 1]
                    && r->leaf[h] != r->leaf[h - 1]);
    }
    return rails;
}

/* Whether one of the GPUs of this server is on this leaf. */
static bool has_gpu_on(const struct orr_graph *g, const struct rails *r,
                       uint32_t server, uint32_t leaf)
{
    for (uint32_t i = g->out_off[server]; i < g->out_off[server + 1]; i++) {
        uint32_t v = g->to[g->out_link[i]];
        if (v < g->hosts && r->leaf[v] == leaf)
            return true;
    }
    return false;
}

/* What a call sends between servers. */
struct crossing {
    const struct orr_graph *g;
    const struct orr_team *team;
    struct rails rails;
    uint64_t between, across; /* payload from server to server, and of that
                               * from rail to rail */
};

/* An orr_traffic_fn: what one rank sends another in a call. */
static void add_pair(void *arg, uint32_t src, uint32_t dst, uint64_t bytes,
                     uint64_t messages)
{
    struct crossing *c = arg;
    const struct rails *r = &c->rails;
    uint32_t a = c->team->hosts[src], b = c->team->hosts[dst];
    if (r->server[a] == ORR_NONE || r->server[b] == ORR_NONE
        || r->server[a] == r->server[b])
        return;
    c->between += bytes;
    if (r->leaf[a] != r->leaf[b] && r->leaf[a] != ORR_NONE
        && has_gpu_on(c->g, r, r->server[b], r->leaf[a]))
        c->across += bytes;
}

static bool same_shape(const struct orr_call *a, const struct orr_call *b)
{
    return a->c.ops == b->c.ops && a->c.n == b->c.n && a->c.local == b->c.local
           && a->stride == b->stride && a->group == b->group
           && a->from == b->from && a->c.sizes == b->c.sizes;
}

/* The first call of each shape, over all jobs, of which so many were seen. */
struct seen {
    const struct orr_job *job[SHAPES];
    const struct orr_call *call[SHAPES];
    uint32_t n;
};

/* Whether a call of this shape has not been looked at; it has been, then. */
static bool is_new(struct seen *s, const struct orr_job *job,
                   const struct orr_call *call)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (s->job[i] == job && same_shape(s->call[i], call))
            return false;
    if (s->n == SHAPES)
        return false;
    s->job[s->n] = job;
    s->call[s->n++] = call;
    return true;
}

/* The note about a call whose traffic crosses rails. */
static void write_note(const struct orr_job *job, const struct orr_call *call,
                       const struct crossing *c, char *text, size_t size)
{
    const char *better = call->c.ops->on_rails;
    snprintf(text, size,
             "%s %s of %.100s crosses rails: %.3g %% of its bytes between "
             "servers go over spines%s%s%s",
             orr__call_name(call), call->c.ops->name, job->name,
             100 * (double)c->across / (double)c->between, better ? " (" : "",
             better ? better
             : strcmp(c->g->kind, "rail-optimised") == 0
                 ? " (with topology.forward: true it changes rails inside "
                   "servers)"
                 : "",
             better ? ")" : "");
}

/* Writes on the call that sends most across. */
static void compare_calls(const struct orr_world *w, struct crossing *c,
                          char *text, size_t size)
{
    struct seen seen = {.n = 0};
    uint64_t most = 0;
    for (uint32_t i = 0; i < w->n_jobs; i++) {
        const struct orr_job *job = &w->jobs[i];
        const struct orr_program *p = job->team ? job->team->program : NULL;
        for (uint32_t k = 0; p && k < p->calls; k++) {
            if (!is_new(&seen, job, &p->call[k]))
                continue;
            if (p->call[k].c.ops->on_trees)
                continue; /* switches are between the ranks anyway */
            c->team = job->team;
            c->between = c->across = 0;
            orr__traffic_of_call(c->team, &p->call[k], add_pair, c);
            if (c->across <= most)
                continue;
            most = c->across;
            write_note(job, &p->call[k], c, text, size);
        }
    }
}

orr_err orr__note_rails(const struct orr_world *w, char *text, size_t size)
{
    const struct orr_graph *g = w->graph;
    struct crossing c = {.g = g};
    text[0] = '\0';
    if (w->jobs_join || !w->n_jobs || !has_servers(g))
        return ORR_OK;
    c.rails.server = orr__alloc(g->hosts, sizeof *c.rails.server);
    c.rails.leaf = orr__alloc(g->hosts, sizeof *c.rails.leaf);
    bool ok = c.rails.server && c.rails.leaf;
    if (ok && find_rails(g, &c.rails))
        compare_calls(w, &c, text, size);
    orr__free(c.rails.server);
    orr__free(c.rails.leaf);
    return ok ? ORR_OK : ORR_ENOMEM;
}
