/* An explanation for people: 80 columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "core/none.h"
#include "core/text.h"
#include "core/units.h"
#include "study/explain/words.h"
#include "topo/node_names.h"
#include "workload/flow/flows.h"
#include "workload/job/job.h"

#define LABEL      18
#define LINK_LINES 8
#define PATH_LINES 16
#define DETAILS    4 /* of a cause */

static void time_of(struct orr_text *t, const char *before, int64_t ps)
{
    char text[32];

    orr__human_time(ps, text, sizeof text);
    orr__text_add(t, "%s%s", before, text);
}

static double percent(const struct orr_subject *s, int64_t ps)
{
    int64_t all = s->path.until - s->path.from;

    return all > 0 ? 100.0 * (double)ps / (double)all : 0;
}

/* ---- by cause ---- */

/* What one owner, or nobody, had a part in: over all links. */
struct share {
    struct orr_what what; /* the link: where it was most */
    int64_t ps;
    uint32_t links;
};

static int compare_ps(const void *a, const void *b)
{
    const struct share *x = a, *y = b;

    if (x->ps != y->ps)
        return x->ps > y->ps ? -1 : 1;
    return x->what.owner < y->what.owner ? -1 : x->what.owner > y->what.owner;
}

/* By its control. */
static bool is_kept_back(const struct orr_what *w)
{
    return w->cause == ORR_CAUSE_WINDOW || w->cause == ORR_CAUSE_PACE;
}

/* "21 us behind job w, 3 links, most at leaf0 > spine1" */
static void detail(struct orr_text *t, const struct orr_explanation *e,
                   const struct share *p)
{
    char owner[ORR_WORDS], link[ORR_WORDS];
    const struct orr_what *w = &p->what;

    orr__owner_words(e, w->owner, owner);
    orr__link_words(e, w->link, link);
    time_of(t, "      ", p->ps);
    if (w->cut_by)
        orr__text_add(t, " cut by %s", orr__cut_words(w->cut_by));
    else if (is_kept_back(w))
        orr__text_add(t, " without any cut");
    if (w->cause == ORR_CAUSE_RECOVERY && link[0])
        orr__text_add(t, " of losses");
    if (owner[0] && w->cause == ORR_CAUSE_PAUSE)
        orr__text_add(t, " for %s", owner);
    else if (owner[0] && w->cause == ORR_CAUSE_SLOT)
        orr__text_add(t, " held by %s", owner);
    else if (owner[0] && w->cause == ORR_CAUSE_SLOWEST)
        orr__text_add(t, " of %s", owner);
    else if (owner[0])
        orr__text_add(t, " behind %s", owner);
    if (link[0] && p->links > 1)
        orr__text_add(t, ", %u links, most at %s", p->links, link);
    else if (link[0])
        orr__text_add(t, " at %s", link);
    orr__text_add(t, "\n");
}

static bool has_detail(const struct orr_cost *p)
{
    return is_kept_back(&p->what) || p->what.owner != ORR_NONE
           || (p->what.link != ORR_NONE && p->what.cause >= ORR_CAUSE_QUEUEING);
}

/* Costs come the longest first, so the first link of a share is its worst. */
static uint32_t shares_of(const struct orr_subject *s, enum orr_cause cause,
                          struct share *all)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->parts; i++) {
        const struct orr_what *w = &s->part[i].what;
        uint32_t k = 0;

        if (w->cause != cause || !has_detail(&s->part[i]))
            continue;
        while (k < n
               && (all[k].what.owner != w->owner
                   || all[k].what.cut_by != w->cut_by))
            k++;
        if (k == n)
            all[n++] = (struct share){.what = *w};
        all[k].ps += s->part[i].ps;
        all[k].links++;
    }
    qsort(all, n, sizeof *all, compare_ps);
    return n;
}

/* Who was waited for, the DETAILS worst by name. */
static void put_details(struct orr_text *t, const struct orr_explanation *e,
                        const struct orr_subject *s, enum orr_cause cause,
                        struct share *all)
{
    uint32_t n = shares_of(s, cause, all);
    int64_t rest = 0;

    for (uint32_t i = 0; i < n; i++)
        if (i < DETAILS)
            detail(t, e, &all[i]);
        else
            rest += all[i].ps;
    if (!rest)
        return;
    time_of(t, "      ", rest);
    orr__text_add(t, " behind %u others\n", n - DETAILS);
}

static int64_t sum_of(const struct orr_subject *s, enum orr_cause cause)
{
    int64_t ps = 0;

    for (uint32_t i = 0; i < s->parts; i++)
        if (s->part[i].what.cause == cause)
            ps += s->part[i].ps;
    return ps;
}

/* Causes in order of the enum, those that cost something. */
static void put_causes(struct orr_text *t, const struct orr_explanation *e,
                       const struct orr_subject *s, struct share *all)
{
    orr__text_add(t, "where the time went\n");
    for (int c = 0; c < ORR_CAUSES; c++) {
        int64_t ps = sum_of(s, (enum orr_cause)c);

        if (!ps)
            continue;
        orr__text_add(t, "  %s", orr__cause_name((enum orr_cause)c));
        orr__text_column(t, LABEL);
        time_of(t, "", ps);
        orr__text_column(t, LABEL + 12);
        orr__text_add(t, "%5.1f %%\n", percent(s, ps));
        put_details(t, e, s, (enum orr_cause)c, all);
    }
}

/* ---- by link ---- */

/* A link's part of the path, ps. */
struct at_link {
    uint32_t link;
    int64_t all, sending, travelling, waiting, others;
};

static int by_all(const void *a, const void *b)
{
    const struct at_link *x = a, *y = b;

    if (x->all != y->all)
        return x->all > y->all ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

/* Sums of one link. */
static void add_part(const struct orr_subject *s, struct at_link *l,
                     const struct orr_cost *p)
{
    l->all += p->ps;
    ORR_ASSERT(p->ps > 0);
    if (p->what.cause == ORR_CAUSE_SERIALISATION)
        l->sending += p->ps;
    else if (p->what.cause == ORR_CAUSE_PROPAGATION)
        l->travelling += p->ps;
    else
        l->waiting += p->ps;
    if (orr__is_other(s, p->what.owner))
        l->others += p->ps;
}

/* Links of the path, the one that cost most first; `all` has room for each
 * part. */
static uint32_t collect_links(const struct orr_subject *s, struct at_link *all)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->parts; i++) {
        uint32_t k = 0;

        if (s->part[i].what.link == ORR_NONE)
            continue;
        while (k < n && all[k].link != s->part[i].what.link)
            k++;
        if (k == n)
            all[n++] = (struct at_link){.link = s->part[i].what.link};
        add_part(s, &all[k], &s->part[i]);
    }
    qsort(all, n, sizeof *all, by_all);
    return n;
}

static void put_cell(struct orr_text *t, size_t column, int64_t ps)
{
    orr__text_column(t, column);
    if (ps)
        time_of(t, "", ps);
    else
        orr__text_add(t, "-");
}

/* The LINK_LINES worst. */
static void put_links(struct orr_text *t, const struct orr_explanation *e,
                      const struct orr_subject *s, struct at_link *all)
{
    uint32_t n = collect_links(s, all);
    char link[ORR_WORDS];

    if (!n)
        return;
    orr__text_add(t, "links");
    orr__text_column(t, 32);
    orr__text_add(t, "sending     travel      waiting     for others\n");
    for (uint32_t i = 0; i < n && i < LINK_LINES; i++) {
        orr__link_words(e, all[i].link, link);
        orr__text_add(t, "  %s", link);
        put_cell(t, 32, all[i].sending);
        put_cell(t, 44, all[i].travelling);
        put_cell(t, 56, all[i].waiting);
        put_cell(t, 68, all[i].others);
        orr__text_add(t, "\n");
    }
    if (n > LINK_LINES)
        orr__text_add(t, "  and %u more\n", n - LINK_LINES);
}

/* ---- the path ---- */

static bool is_message(const struct orr_leg *l)
{
    return l->kind >= ORR_LEG_ARRIVAL;
}

/* Legs of one operation that follow one another: where they end. */
static uint32_t run_of(const struct orr_path *p, uint32_t i)
{
    uint32_t end = i + 1;

    while (end < p->n && p->leg[end].op == p->leg[i].op
           && (p->leg[end].kind == ORR_LEG_COMPUTE)
                  == (p->leg[i].kind == ORR_LEG_COMPUTE))
        end++;
    return end;
}

/* The causes of most of the time. */
static void top_causes(struct orr_text *t, const int64_t *ps)
{
    int64_t left[ORR_CAUSES];

    memcpy(left, ps, sizeof left);
    for (int k = 0; k < 2; k++) {
        int best = 0;

        for (int c = 1; c < ORR_CAUSES; c++)
            if (left[c] > left[best])
                best = c;
        if (!left[best])
            return;
        orr__text_add(t, "%s%s ", k ? ", " : "",
                      orr__cause_name((enum orr_cause)best));
        time_of(t, "", left[best]);
        left[best] = 0;
    }
}

/* Whom a run of legs is about. */
static void ranks_of(struct orr_text *t, const struct orr_subject *s,
                     uint32_t i, uint32_t end)
{
    const struct orr_leg *l = &s->path.leg[i];
    const char *what = s->owner == ORR_OWNER_IS_FLOWS ? "host" : "rank";
    uint32_t messages = 0;

    for (uint32_t k = i; k < end; k++)
        messages += is_message(&s->path.leg[k]);
    if (messages == 0)
        orr__text_add(t, "%s %u", what, l->rank);
    else if (messages == 1 && end == i + 1)
        orr__text_add(t, "%s %u > %u", what, l->rank, l->peer);
    else
        orr__text_add(t, "%u messages", messages);
}

/* The longest leg among several that are shown as one. */
static void slowest(struct orr_text *t, const struct orr_subject *s, uint32_t i,
                    uint32_t end)
{
    const struct orr_leg *worst = &s->path.leg[i], *l = worst;
    int64_t ps[ORR_CAUSES] = {0};

    for (; l < &s->path.leg[end]; l++)
        if (l->until - l->from > worst->until - worst->from)
            worst = l;
    orr__line_causes(&worst->line, s->path.from, ps);
    orr__text_column(t, 14);
    orr__text_add(t, "slowest: ");
    ranks_of(t, s, (uint32_t)(worst - s->path.leg),
             (uint32_t)(worst - s->path.leg) + 1);
    time_of(t, ", ", worst->until - worst->from);
    orr__text_add(t, ": ");
    top_causes(t, ps);
    orr__text_add(t, "\n");
}

/* A run of legs of one operation in two lines, with the slowest of several. */
static void path_line(struct orr_text *t, const struct orr_explanation *e,
                      const struct orr_subject *s, uint32_t i, uint32_t end)
{
    const struct orr_path *p = &s->path;
    int64_t ps[ORR_CAUSES] = {0}, from = p->leg[i].from;
    char words[ORR_WORDS];

    from = from > p->from ? from : p->from;
    for (uint32_t k = i; k < end; k++)
        orr__line_causes(&p->leg[k].line, from, ps);
    orr__text_add(t, "  ");
    time_of(t, "", from - p->from);
    orr__text_column(t, 12);
    orr__leg_words(e, s, &p->leg[i], words);
    orr__text_add(t, "%s, ", words);
    ranks_of(t, s, i, end);
    orr__text_add(t, "\n");
    orr__text_column(t, 14);
    time_of(t, "", p->leg[end - 1].until - from);
    orr__text_add(t, ": ");
    top_causes(t, ps);
    orr__text_add(t, "\n");
    if (end > i + 1)
        slowest(t, s, i, end);
}

/* Runs of legs in order of time, PATH_LINES at most. */
static void path_of(struct orr_text *t, const struct orr_explanation *e,
                    const struct orr_subject *s)
{
    uint32_t lines = 0, more = 0;

    orr__text_add(t, "the path to its end\n");
    for (uint32_t i = 0; i < s->path.n;) {
        uint32_t end = run_of(&s->path, i);

        if (lines++ < PATH_LINES)
            path_line(t, e, s, i, end);
        else
            more++;
        i = end;
    }
    if (more)
        orr__text_add(t, "  and %u more (--json has all)\n", more);
}

/* ---- what is explained ---- */

static int64_t cost_of(const struct orr_subject *s, uint32_t owner)
{
    int64_t ps = 0;

    for (uint32_t i = 0; i < s->parts; i++)
        if (s->part[i].what.owner == owner)
            ps += s->part[i].ps;
    return ps;
}

static int64_t cost_of_others(const struct orr_subject *s)
{
    int64_t ps = 0;

    for (uint32_t i = 0; i < s->parts; i++)
        if (orr__is_other(s, s->part[i].what.owner))
            ps += s->part[i].ps;
    return ps;
}

/* What is explained, and how long it took. */
static void head_job(struct orr_text *t, const struct orr_explanation *e,
                     const struct orr_subject *s)
{
    const struct orr_job *j = &e->world->jobs[s->owner];

    orr__text_add(t, "job %s, ", j->name);
    if (s->first == s->last)
        orr__text_add(t, "iteration %u of %u", s->first, j->iterations);
    else
        orr__text_add(t, "iterations %u to %u", s->first, s->last);
    time_of(t, ": ", s->path.until - s->path.from);
    time_of(t, ", from ", s->path.from);
    time_of(t, " to ", s->path.until);
    if (s->first == s->last && j->iterations > 1)
        time_of(t, " (mean ", s->mean_ps);
    orr__text_add(t, "%s\n",
                  s->first == s->last && j->iterations > 1 ? ")" : "");
}

/* What is explained, and the bound of a flow that is alone. */
static void head_flow(struct orr_text *t, const struct orr_explanation *e,
                      const struct orr_subject *s)
{
    const struct orr_flow *f = &e->world->flows->flow[s->flow];
    const struct orr_graph *g = e->world->graph;
    char src[ORR_NODE_NAME], dst[ORR_NODE_NAME], bytes[32];

    orr__human_size(f->bytes, bytes, sizeof bytes);
    orr__text_add(t, "flow %u, %s to %s, %s", s->flow,
                  orr__node_name(g, f->src, src, sizeof src),
                  orr__node_name(g, f->dst, dst, sizeof dst), bytes);
    time_of(t, ": ", s->path.until - s->path.from);
    time_of(t, ", from ", s->path.from);
    time_of(t, " (at best ", f->ideal_ps);
    orr__text_add(t, ")\n");
}

/* By a run alone, if it was asked for, else by what others cost on the path. */
static void without_others(struct orr_text *t, const struct orr_subject *s)
{
    int64_t all = s->path.until - s->path.from, cost = cost_of_others(s);

    if (s->baseline_ps >= 0) {
        time_of(t, "without the others  ", s->baseline_ps);
        orr__text_add(t, ", by a run of the job alone\n");
    } else if (cost) {
        time_of(t, "without the others  ", all - cost);
        time_of(t, ", if nothing else changed: ", cost);
        orr__text_add(t, " was theirs\n");
    }
}

/* ---- who delayed whom ---- */

static bool any_others(const struct orr_explanation *e)
{
    for (uint32_t i = 0; i < e->n; i++)
        if (cost_of_others(&e->subject[i]))
            return true;
    return false;
}

/* Whom this one waited for, by owner. */
static void matrix_row(struct orr_text *t, const struct orr_explanation *e,
                       const struct orr_subject *s, uint32_t owners)
{
    char words[ORR_WORDS];

    if (s->owner == ORR_OWNER_IS_FLOWS)
        snprintf(words, sizeof words, "flow %u", s->flow);
    else
        orr__owner_words(e, s->owner, words);
    orr__text_add(t, "  %s", words);
    for (uint32_t k = 0; k < owners; k++) {
        uint32_t owner = k < e->world->n_jobs ? k : ORR_OWNER_IS_FLOWS;
        int64_t ps = cost_of(s, owner);

        if (owner == s->owner)
            ps += cost_of(s, ORR_OWNER_SELF);
        put_cell(t, LABEL + 2 + (size_t)k * 14, ps);
    }
    orr__text_add(t, "\n");
}

/* Rows: whose time; columns: whose packets. As many columns as fit. */
static void matrix(struct orr_text *t, const struct orr_explanation *e)
{
    uint32_t owners = e->world->n_jobs + (e->world->flows != NULL);
    char words[ORR_WORDS];

    if (!any_others(e))
        return;
    owners = owners < 4 ? owners : 4;
    orr__text_add(t, "who cost whom");
    for (uint32_t k = 0; k < owners; k++) {
        orr__owner_words(e, k < e->world->n_jobs ? k : ORR_OWNER_IS_FLOWS,
                         words);
        orr__text_column(t, LABEL + 2 + (size_t)k * 14);
        orr__text_add(t, "%.12s", words);
    }
    orr__text_add(t, "\n");
    for (uint32_t i = 0; i < e->n; i++)
        matrix_row(t, e, &e->subject[i], owners);
}

char *orr__explanation_text(const struct orr_explanation *e)
{
    struct orr_text t = {0};

    if (e->text)
        return orr__strdup(e->text);
    for (uint32_t i = 0; i < e->n; i++) {
        const struct orr_subject *s = &e->subject[i];
        struct at_link *links = orr__alloc(s->parts, sizeof *links);
        struct share *shares = orr__alloc(s->parts, sizeof *shares);
        bool room = links && shares;

        if (s->owner == ORR_OWNER_IS_FLOWS)
            head_flow(&t, e, s);
        else
            head_job(&t, e, s);
        if (room) {
            put_causes(&t, e, s, shares);
            put_links(&t, e, s, links);
        }
        orr__free(links);
        orr__free(shares);
        path_of(&t, e, s);
        without_others(&t, s);
        if (i + 1 < e->n)
            orr__text_add(&t, "\n");
        if (!room) {
            orr__free(orr__text_done(&t));
            return NULL;
        }
    }
    matrix(&t, e);
    orr__text_add(&t, "fingerprint         %016llx\n",
                  (unsigned long long)orr_experiment_fingerprint(e->run));
    return orr__text_shown(&t);
}
