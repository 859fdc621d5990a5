/* Circles as pictures. Time goes clockwise from the top; a demand is as high
 * as its share of the link's rate, one job's upon another's. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/escape.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/text.h"
#include "core/units.h"
#include "study/plan/show.h"
#include "workload/job/job.h"
#include "workload/schedule/plan_notes.h"

/* Of one circle: how far down its middle is, where demands begin, how high a
 * full link is at most, and where all demands end. */
enum {
    WIDTH = 760,
    MIDDLE = 225,
    INNER = 70,
    FULL = 70,
    OUTER = 180,
    MOST_SECTORS = 2000
};

/* Okabe and Ito: told apart also by those who see fewer colours. */
static const char *const colour[] = {"#0072b2", "#e69f00", "#009e73",
                                     "#cc79a7", "#56b4e9", "#f0e442",
                                     "#999999", "#000000"};
#define COLOURS (sizeof colour / sizeof *colour)
#define EXCESS  "#d55e00"

/* A picture while it is drawn; user units are pixels. */
struct picture {
    struct orr_text t;
    const struct orr_plan *s;
    const struct orr_shared_link *m;
    const int64_t *shift;
    double x;    /* of the circle's middle */
    double full; /* how high a full link is */
};

static void put_point(struct picture *p, double turn, double radius)
{
    double angle = 2 * M_PI * turn;
    orr__text_add(&p->t, "%.2f %.2f", p->x + radius * sin(angle),
                  MIDDLE - radius * cos(angle));
}

/* A ring's sector; turns from 0 to 1, less than a half apart. */
static void sector(struct picture *p, double from, double to, double inner,
                   double outer, const char *fill)
{
    orr__text_add(&p->t, "<path fill=\"%s\" d=\"M", fill);
    put_point(p, from, inner);
    orr__text_add(&p->t, "A%.2f %.2f 0 0 1 ", inner, inner);
    put_point(p, to, inner);
    orr__text_add(&p->t, "L");
    put_point(p, to, outer);
    orr__text_add(&p->t, "A%.2f %.2f 0 0 0 ", outer, outer);
    put_point(p, from, outer);
    orr__text_add(&p->t, "Z\"/>\n");
}

/* Demands at a time, as rings of sectors from one turn to another. */
static void stack_demands(struct picture *p, double a, double b, int64_t at)
{
    double height = INNER, cap = (double)p->m->capacity_bps;
    for (uint32_t i = 0; i < p->m->n; i++) {
        const struct orr_turn *turn = &p->m->turn[i];
        double share =
            (double)orr__turn_rate(turn, p->s->circles.period_ps[turn->job],
                                   p->shift[turn->job], at)
            / cap;
        if (share <= 0)
            continue;
        sector(p, a, b, height, height + p->full * share, colour[i % COLOURS]);
        height += p->full * share;
    }
    if (height > INNER + p->full * 1.001)
        sector(p, a, b, INNER + p->full, height, "url(#above)");
}

/* A stretch in which no demand changes, in pieces of a quarter at most. */
static void stretch(struct picture *p, int64_t from, int64_t to)
{
    double all = (double)p->m->perimeter_ps;
    double a = (double)from / all, length = (double)(to - from) / all;
    int pieces = (int)ceil(length / 0.25);
    for (int i = 0; i < pieces; i++)
        stack_demands(p, a + length * i / pieces, a + length * (i + 1) / pieces,
                      from + (to - from) / 2);
}

static int by_time(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Where any demand changes; evenly spaced where that is too often. */
static int64_t *corners(const struct picture *p, size_t *n)
{
    const struct orr_circles *c = &p->s->circles;
    size_t all = 2, kept = 0;
    for (uint32_t i = 0; i < p->m->n; i++)
        all += 2 * (size_t)p->m->turn[i].n
               * (size_t)(p->m->perimeter_ps / c->period_ps[p->m->turn[i].job]);
    if (all > MOST_SECTORS) {
        int64_t *v = orr__alloc(MOST_SECTORS, sizeof *v);
        for (*n = 0; v && *n < MOST_SECTORS; ++*n)
            v[*n] = (int64_t)((__int128)p->m->perimeter_ps * (int64_t)*n
                              / (MOST_SECTORS - 1));
        return v;
    }
    int64_t *v = orr__alloc(all, sizeof *v);
    if (!v)
        return NULL;
    *n = 0;
    v[(*n)++] = 0;
    v[(*n)++] = p->m->perimeter_ps;
    for (uint32_t i = 0; i < p->m->n; i++) {
        const struct orr_turn *t = &p->m->turn[i];
        int64_t period = c->period_ps[t->job];
        for (int64_t lap = 0; lap < p->m->perimeter_ps; lap += period)
            for (uint32_t e = 0; e < 2 * t->n; e++)
                v[(*n)++] =
                    (t->edge[e] + p->shift[t->job] + lap) % p->m->perimeter_ps;
    }
    qsort(v, *n, sizeof *v, by_time);
    for (size_t i = 0; i < *n; i++)
        if (!kept || v[i] != v[kept - 1])
            v[kept++] = v[i];
    *n = kept;
    return v;
}

static void put_words(struct picture *p, double x, double y, const char *anchor,
                      const char *text)
{
    orr__text_add(&p->t, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x,
                  y, anchor);
    orr__escape_html(&p->t, text);
    orr__text_add(&p->t, "</text>\n");
}

/* One circle, with its score and perimeter in the middle. */
static void draw_circle(struct picture *p, double x, const int64_t *shift,
                        const char *what)
{
    char text[96], perimeter[32];
    size_t n = 0;
    p->x = x;
    p->shift = shift;
    int64_t *corner = corners(p, &n);
    p->t.failed |= !corner;
    orr__text_add(&p->t,
                  "<circle cx=\"%.1f\" cy=\"%d\" r=\"%d\" fill=\"#f4f4f4\" "
                  "stroke=\"#bbb\"/>\n",
                  x, MIDDLE, INNER);
    for (size_t i = 1; corner && i < n; i++)
        stretch(p, corner[i - 1], corner[i]);
    orr__text_add(&p->t,
                  "<circle cx=\"%.1f\" cy=\"%d\" r=\"%.1f\" fill=\"none\" "
                  "stroke=\"#333\" stroke-dasharray=\"4 3\"/>\n",
                  x, MIDDLE, INNER + p->full);
    orr__text_add(&p->t, "<path stroke=\"#333\" d=\"M%.1f %d v-8\"/>\n", x,
                  MIDDLE - INNER);
    orr__human_time(p->m->perimeter_ps, perimeter, sizeof perimeter);
    put_words(p, x, MIDDLE - 6, "middle", what);
    snprintf(text, sizeof text, "score %.4f",
             orr__circle_score(&p->s->circles, p->m, shift));
    put_words(p, x, MIDDLE + 12, "middle", text);
    put_words(p, x, MIDDLE + 30, "middle", perimeter);
    orr__free(corner);
}

/* Colours of jobs, below the circles. */
static void put_legend(struct picture *p)
{
    char text[160], period[32], shift[32];
    double y = MIDDLE + OUTER + 30;
    for (uint32_t i = 0; i < p->m->n; i++, y += 20) {
        uint32_t j = p->m->turn[i].job;
        orr__text_add(&p->t,
                      "<rect x=\"40\" y=\"%.1f\" width=\"12\" "
                      "height=\"12\" fill=\"%s\"/>\n",
                      y - 10, colour[i % COLOURS]);
        orr__human_time(p->s->circles.period_ps[j], period, sizeof period);
        orr__human_time(p->s->affinity.shift[j], shift, sizeof shift);
        snprintf(text, sizeof text, "%.60s: every %s, delayed by %s",
                 p->s->job[j].job->name, period, shift);
        put_words(p, 60, y, "start", text);
    }
    orr__text_add(&p->t,
                  "<rect x=\"40\" y=\"%.1f\" width=\"12\" height=\"12\" "
                  "fill=\"url(#above)\"/>\n",
                  y - 10);
    put_words(p, 60, y, "start", "above the rate of the link (dashed)");
}

char *orr__plan_svg(const struct orr_plan *s, uint32_t circle)
{
    const struct orr_shared_link *m = &s->circles.shared[circle];
    struct picture p = {.s = s, .m = m};
    char link[ORR_PLAN_LINK], rate[32], title[220];
    int64_t *zero = orr__alloc(s->n, sizeof *zero);
    if (!zero)
        return NULL;
    double height = MIDDLE + OUTER + 30 + 20.0 * (m->n + 1), most = 1;
    orr__text_add(&p.t,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
                  "height=\"%.0f\" viewBox=\"0 0 %d %.0f\" "
                  "font-family=\"sans-serif\" font-size=\"13\">\n"
                  "<pattern id=\"above\" width=\"6\" height=\"6\" "
                  "patternUnits=\"userSpaceOnUse\" "
                  "patternTransform=\"rotate(45)\"><rect width=\"3\" "
                  "height=\"6\" fill=\"" EXCESS "\"/></pattern>\n"
                  "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
                  WIDTH, height, WIDTH, height);
    for (uint32_t i = 0; i < m->n; i++)
        most += (double)orr__demand_peak(
                    orr__profile_link(&s->job[m->turn[i].job].profile, m->link))
                / (double)m->capacity_bps;
    p.full = FULL < (OUTER - INNER) / (most - 1) ? FULL
                                                 : (OUTER - INNER) / (most - 1);
    orr__human_rate((double)m->capacity_bps, rate, sizeof rate);
    snprintf(title, sizeof title, "%s, %s",
             orr__plan_link(s, m->link, link, sizeof link), rate);
    put_words(&p, WIDTH / 2.0, 22, "middle", title);
    draw_circle(&p, WIDTH * 0.26, zero, "at once");
    draw_circle(&p, WIDTH * 0.74, s->affinity.shift, "turned");
    put_legend(&p);
    orr__text_add(&p.t, "</svg>\n");
    orr__free(zero);
    return orr__text_done(&p.t);
}

static orr_err write_text(const char *path, const char *text,
                          struct orr_report *why)
{
    struct orr_file f = {0};
    orr_err err = orr__file_open(&f, path, why);
    if (err)
        return err;
    orr__file_put(&f, text, strlen(text));
    return orr__file_close(&f, ORR_OK, why);
}

orr_err orr__plan_pictures(const struct orr_plan *s, const char *folder,
                           struct orr_report *why)
{
    orr_err err = ORR_OK;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return orr__fail(why, ORR_EIO, "cannot make %s: %s", folder,
                         strerror(errno));
    for (uint32_t i = 0; i < s->circles.n && !err; i++) {
        char *svg = orr__plan_svg(s, i);
        char *path =
            orr__format("%s/link-%u.svg", folder, s->circles.shared[i].link);
        err = svg && path ? write_text(path, svg, why) : orr__no_memory(why);
        orr__free(svg);
        orr__free(path);
    }
    return err;
}
