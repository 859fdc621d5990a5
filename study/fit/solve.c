/* Least squares of relative errors by Levenberg and Marquardt (GSL), and where
 * that comes no further by a simplex. Keys vary
 * within their bounds by y = middle + half * sin(u), where y is the value's
 * logarithm, or the value itself where the lower bound is 0: u is free. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_math.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <gsl/gsl_multimin.h>

#include "core/array.h"
#include "core/assert.h"
#include "core/libraries.h"
#include "core/memory.h"
#include "study/fit/state.h"

#define STEP      1e-3  /* of y, for a derivative; of its range if linear */
#define NO_EFFECT 1e-6  /* change of a time for such a change of y */
#define SAME      1e-4  /* of the largest singular value: no information */
#define IN_TANGLE 0.1   /* of a unit vector: a key belongs to it */
#define BROAD     10.0  /* steps: for intervals, as runs jump */
#define LEG       200.0 /* steps: a side of the simplex at first */
#define EXACT     1e-14 /* mean of the squares: nothing is left */
#define SMALL     1e-3  /* of u: a simplex that is done */
enum { MOST_STEPS = 60, MOST_SHRINKS = 60 };

/* A vector of values that was tried, and the times that it came to. */
struct tried {
    double *value, *ns; /* by key; by fitted point */
};

/* A fit while it is made. */
struct solver {
    struct orr_fit *f;
    const struct orr_fit_point **point; /* that are fitted */
    uint32_t n, p;
    struct tried *tried;
    size_t n_tried, room;
    double *value; /* room for a vector of values, and one more */
    orr_err err;   /* of a run: GSL is told to stop */
    struct orr_report *why;
};

/* ---- y and u ------------------------------------------------------------ */

static double y_of_value(const struct orr_fit_key *k, double value)
{
    return k->linear ? value : log(value);
}

static double from_y(const struct orr_fit_key *k, double y)
{
    return orr__fit_round(k, k->linear ? y : exp(y));
}

static double half_of(const struct orr_fit_key *k)
{
    return (y_of_value(k, k->high) - y_of_value(k, k->low)) / 2;
}

static double middle_of(const struct orr_fit_key *k)
{
    return (y_of_value(k, k->high) + y_of_value(k, k->low)) / 2;
}

static double value_of(const struct orr_fit_key *k, double u)
{
    return from_y(k, middle_of(k) + half_of(k) * sin(u));
}

/* Off the bounds, where the sine is flat. */
static double u_of_value(const struct orr_fit_key *k, double value)
{
    double s = (y_of_value(k, value) - middle_of(k)) / half_of(k);
    ORR_ASSERT(half_of(k) > 0); /* bounds differ */
    return asin(fmin(fmax(s, -0.99), 0.99));
}

/* What y changes by for a derivative. */
static double step_of(const struct orr_fit_key *k)
{
    return k->linear ? STEP * fmax(k->value, STEP * k->high) : STEP;
}

/* ---- runs --------------------------------------------------------------- */

static const double *find_tried(const struct solver *s, const double *value)
{
    for (size_t i = s->n_tried; i-- > 0;)
        if (memcmp(s->tried[i].value, value, s->p * sizeof *value) == 0)
            return s->tried[i].ns;
    return NULL;
}

/* Keeps what so many runs came to; their doubt is not wanted here. */
static orr_err keep_tried(struct solver *s, const double *value,
                          const struct orr_fit_run *run)
{
    struct tried t = {orr__alloc(s->p, sizeof *t.value),
                      orr__alloc(s->n, sizeof *t.ns)};
    if (t.value && t.ns && orr__array_more(s->tried, s->room, s->n_tried)) {
        memcpy(t.value, value, s->p * sizeof *value);
        for (uint32_t i = 0; i < s->n; i++)
            t.ns[i] = run[i].ns;
        s->tried[s->n_tried++] = t;
        return ORR_OK;
    }
    orr__free(t.value);
    orr__free(t.ns);
    return orr__no_memory(s->why);
}

/* The times of all points for each of `vectors` vectors of values, one behind
 * another: those that were not tried before are run, all at once. */
static orr_err try_values(struct solver *s, const double *value,
                          uint32_t vectors)
{
    struct orr_fit_run *run = orr__alloc((size_t)vectors * s->n, sizeof *run);
    uint32_t n = 0;
    if (!run)
        return orr__no_memory(s->why);
    ORR_ASSERT(s->n > 0);
    for (uint32_t v = 0; v < vectors; v++)
        for (uint32_t i = 0; i < s->n && !find_tried(s, value + v * s->p); i++)
            run[n++] = (struct orr_fit_run){.point = s->point[i],
                                            .value = value + v * s->p};
    orr_err err = orr__fit_run(s->f, run, n, s->why);
    ORR_ASSERT(n % s->n == 0); /* whole vectors: all points of each */
    for (uint32_t at = 0; at < n && !err; at += s->n)
        err = keep_tried(s, run[at].value, &run[at]);
    for (uint32_t i = 0; i < n; i++)
        orr__doubt_fini(&run[i].doubt);
    orr__free(run);
    return err;
}

static double relative_error(const struct solver *s, uint32_t i, double ns)
{
    return ns / s->point[i]->row->time_ns - 1;
}

static void show_progress(const struct solver *s, double sum)
{
    char text[80];
    if (!s->f->o->progress)
        return;
    snprintf(text, sizeof text, "fitting: %llu runs, %.3g %% off",
             (unsigned long long)s->f->runs, 100 * sqrt(sum / s->n));
    s->f->o->progress(s->f->o->progress_arg, text);
}

/* ---- what GSL calls ----------------------------------------------------- */

/* GSL_EFAILED: a run failed, or no memory; s->err says. */
static int residuals(const gsl_vector *u, void *arg, gsl_vector *out)
{
    struct solver *s = arg;
    double sum = 0;
    for (uint32_t k = 0; k < s->p; k++)
        s->value[k] = value_of(&s->f->key[k], gsl_vector_get(u, k));
    if (!s->err)
        s->err = try_values(s, s->value, 1);
    const double *ns = s->err ? NULL : find_tried(s, s->value);
    if (!ns)
        return GSL_EFAILED;
    for (uint32_t i = 0; i < s->n; i++) {
        double r = relative_error(s, i, ns[i]);
        gsl_vector_set(out, i, r);
        sum += r * r;
    }
    show_progress(s, sum);
    return GSL_SUCCESS;
}

/* Vectors of values: `at`, then one for each key with y moved by so many steps.
 * Returns how far y moved for real, by key. */
static void move_values(const struct solver *s, const double *at, double steps,
                        double *vectors, double *moved)
{
    for (uint32_t k = 0; k < s->p; k++) {
        const struct orr_fit_key *key = &s->f->key[k];
        double *v = vectors + k * s->p;
        memcpy(v, at, s->p * sizeof *v);
        v[k] = from_y(key, y_of_value(key, at[k]) + steps * step_of(key));
        if (v[k] == at[k]) /* at a bound: the other side */
            v[k] = from_y(key, y_of_value(key, at[k]) - steps * step_of(key));
        moved[k] = y_of_value(key, v[k]) - y_of_value(key, at[k]);
    }
}

/* Derivatives by y of the relative errors at `at`, over so many steps; J: n by
 * p. */
static orr_err differentiate(struct solver *s, const double *at, double steps,
                             gsl_matrix *J)
{
    double moved[ORR_FIT_KEYS] = {0};
    double *vectors = orr__alloc((size_t)s->p * s->p, sizeof *vectors);
    if (!vectors)
        return orr__no_memory(s->why);
    move_values(s, at, steps, vectors, moved);
    orr_err err = try_values(s, at, 1);
    if (!err)
        err = try_values(s, vectors, s->p);
    const double *ns = err ? NULL : find_tried(s, at);
    for (uint32_t k = 0; k < s->p && ns; k++) {
        const double *other = find_tried(s, vectors + k * s->p);
        for (uint32_t i = 0; i < s->n; i++)
            gsl_matrix_set(J, i, k,
                           moved[k] != 0 && other
                               ? (other[i] - ns[i]) / s->point[i]->row->time_ns
                                     / moved[k]
                               : 0);
    }
    orr__free(vectors);
    return err;
}

/* By u: by y, times its derivative. */
static int jacobian(const gsl_vector *u, void *arg, gsl_matrix *J)
{
    struct solver *s = arg;
    double *at = s->value + s->p;
    for (uint32_t k = 0; k < s->p; k++) {
        at[k] = value_of(&s->f->key[k], gsl_vector_get(u, k));
        s->f->key[k].value = at[k];
    }
    if (!s->err)
        s->err = differentiate(s, at, 1, J);
    if (s->err)
        return GSL_EFAILED;
    for (uint32_t k = 0; k < s->p; k++) {
        double dy = half_of(&s->f->key[k]) * cos(gsl_vector_get(u, k));
        for (uint32_t i = 0; i < s->n; i++)
            gsl_matrix_set(J, i, k, gsl_matrix_get(J, i, k) * dy);
    }
    return GSL_SUCCESS;
}

/* ---- the search --------------------------------------------------------- */

static double sum_of(const struct solver *s, const double *ns)
{
    double sum = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        double r = relative_error(s, i, ns[i]);
        sum += r * r;
    }
    return sum;
}

/* The best of all that was tried becomes the values of the keys. Returns the
 * mean of its squares. */
static double take_best(struct solver *s)
{
    size_t best = 0;
    double least = INFINITY;
    for (size_t i = 0; i < s->n_tried; i++) {
        double sum = sum_of(s, s->tried[i].ns);
        if (sum < least) {
            least = sum;
            best = i;
        }
    }
    for (uint32_t k = 0; k < s->p && s->n_tried; k++)
        s->f->key[k].value = s->tried[best].value[k];
    return least / s->n;
}

/* The keys' values as u. NULL: no memory. */
static gsl_vector *begin_at(const struct solver *s)
{
    gsl_vector *u = gsl_vector_alloc(s->p);
    for (uint32_t k = 0; u && k < s->p; k++)
        gsl_vector_set(u, k, u_of_value(&s->f->key[k], s->f->key[k].value));
    return u;
}

/* Levenberg and Marquardt; returns GSL's status. */
static int descend(struct solver *s)
{
    gsl_multifit_nlinear_parameters how =
        gsl_multifit_nlinear_default_parameters();
    how.solver = gsl_multifit_nlinear_solver_svd;
    gsl_multifit_nlinear_fdf fdf = {
        .f = residuals, .df = jacobian, .n = s->n, .p = s->p, .params = s};
    gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(
        gsl_multifit_nlinear_trust, &how, s->n, s->p);
    gsl_vector *u = begin_at(s);
    int info = 0, status = GSL_ENOMEM;
    if (w && u)
        status = gsl_multifit_nlinear_init(u, &fdf, w);
    if (w && u && status == GSL_SUCCESS)
        status = gsl_multifit_nlinear_driver(MOST_STEPS, 1e-9, 1e-9, 0, NULL,
                                             NULL, &info, w);
    if (w)
        gsl_multifit_nlinear_free(w);
    if (u)
        gsl_vector_free(u);
    return status;
}

/* What the simplex makes small. */
static double sum_at(const gsl_vector *u, void *arg)
{
    struct solver *s = arg;
    gsl_vector *r = gsl_vector_alloc(s->n);
    double sum = GSL_NAN;
    if (r && residuals(u, s, r) == GSL_SUCCESS)
        gsl_blas_ddot(r, r, &sum);
    if (!r && !s->err)
        s->err = orr__no_memory(s->why);
    if (r)
        gsl_vector_free(r);
    return sum;
}

/* Nelder and Mead's simplex, which needs no derivatives: where runs jump, as
 * one does that takes another protocol. *done: it became small enough. Returns
 * GSL's status. */
static int shrink(struct solver *s, bool *done)
{
    gsl_multimin_function f = {.f = sum_at, .n = s->p, .params = s};
    gsl_multimin_fminimizer *m =
        gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, s->p);
    gsl_vector *u = begin_at(s), *step = gsl_vector_alloc(s->p);
    int status = GSL_ENOMEM;
    if (m && u && step) {
        for (uint32_t k = 0; k < s->p; k++) {
            const struct orr_fit_key *key = &s->f->key[k];
            double flat = half_of(key) * cos(gsl_vector_get(u, k));
            gsl_vector_set(step, k, fmin(LEG * step_of(key) / flat, 0.5));
        }
        status = gsl_multimin_fminimizer_set(m, &f, u, step);
        for (int i = 0; i < MOST_SHRINKS * (int)s->p && !status && !*done;
             i++) {
            status = gsl_multimin_fminimizer_iterate(m);
            *done =
                gsl_multimin_test_size(gsl_multimin_fminimizer_size(m), SMALL)
                == GSL_SUCCESS;
        }
    }
    if (m)
        gsl_multimin_fminimizer_free(m);
    if (u)
        gsl_vector_free(u);
    if (step)
        gsl_vector_free(step);
    return status;
}

/* Leaves the best values that were tried in the keys. */
static orr_err search(struct solver *s)
{
    for (uint32_t k = 0; k < s->p; k++)
        s->f->key[k].value = orr__fit_round(&s->f->key[k], s->f->key[k].begin);
    int status = descend(s);
    bool exact = take_best(s) < EXACT; /* runs are whole picoseconds */
    s->f->converged = status == GSL_SUCCESS || exact;
    if (!s->err && !s->f->converged && status != GSL_ENOMEM) {
        status = shrink(s, &s->f->converged);
        (void)take_best(s);
    }
    if (s->err)
        return s->err;
    return status == GSL_ENOMEM ? orr__no_memory(s->why) : ORR_OK;
}

/* ---- how well ----------------------------------------------------------- */

static bool is_at_bound(const struct orr_fit_key *k)
{
    double y = y_of_value(k, k->value), near = 1e-3 * half_of(k);
    return y - y_of_value(k, k->low) < near
           || y_of_value(k, k->high) - y < near;
}

/* Keys that can be told something about: `map` has their numbers. Returns how
 * many. */
static uint32_t sort_fates(struct solver *s, const gsl_matrix *J, uint32_t *map)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->p; k++) {
        struct orr_fit_key *key = &s->f->key[k];
        double most = 0, scale = key->linear ? key->high : 1;
        for (uint32_t i = 0; i < s->n; i++)
            most = fmax(most, fabs(gsl_matrix_get(J, i, k)) * scale);
        key->fate = most < NO_EFFECT   ? ORR_FIT_NO_EFFECT
                    : is_at_bound(key) ? ORR_FIT_AT_BOUND
                                       : ORR_FIT_FOUND;
        if (key->fate == ORR_FIT_FOUND)
            map[n++] = k;
    }
    return n;
}

/* A direction in which nothing changes: the keys that make it up. */
static void take_tangle(struct solver *s, const gsl_matrix *V, uint32_t column,
                        const uint32_t *map, uint32_t n)
{
    struct orr_fit_tangle *t = &s->f->tangle[s->f->tangles++];
    *t = (struct orr_fit_tangle){.share = {0}};
    for (uint32_t k = 0; k < n; k++) {
        double share = gsl_matrix_get(V, k, column);
        if (fabs(share) < IN_TANGLE)
            continue;
        t->share[map[k]] = share;
        s->f->key[map[k]].fate = ORR_FIT_TANGLED;
    }
}

/* Half of the 95 % interval of y of a key: its variance from the singular
 * values that count. */
static double half_interval(const struct solver *s, const gsl_matrix *V,
                            const gsl_vector *S, uint32_t k, uint32_t n)
{
    double sum = 0, variance = 0, most = gsl_vector_get(S, 0);
    const double *ns = find_tried(s, s->value);
    if (s->n <= s->p || !ns)
        return NAN;
    sum = sum_of(s, ns) / (s->n - s->p);
    for (uint32_t i = 0; i < n; i++) {
        double sigma = gsl_vector_get(S, i), v = gsl_matrix_get(V, k, i);
        if (sigma > SAME * most)
            variance += v * v / (sigma * sigma);
    }
    return gsl_cdf_tdist_Pinv(0.975, s->n - s->p) * sqrt(sum * variance);
}

/* S is in descending order, as GSL has it. */
static void take_intervals(struct solver *s, const gsl_matrix *V,
                           const gsl_vector *S, const uint32_t *map, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (gsl_vector_get(S, i) <= SAME * gsl_vector_get(S, 0))
            take_tangle(s, V, i, map, n);
    for (uint32_t i = 0; i < n; i++) {
        struct orr_fit_key *key = &s->f->key[map[i]];
        double half = half_interval(s, V, S, i, n);
        if (key->fate != ORR_FIT_FOUND || isnan(half))
            continue;
        double y = y_of_value(key, key->value);
        key->from = key->linear ? y - half : exp(y - half);
        key->to = key->linear ? y + half : exp(y + half);
    }
}

/* The part of J of n keys, each in its own scale, decomposed. */
static orr_err decompose(struct solver *s, const gsl_matrix *J,
                         const uint32_t *map, uint32_t n)
{
    gsl_matrix *A = gsl_matrix_alloc(s->n, n), *V = gsl_matrix_alloc(n, n);
    gsl_vector *S = gsl_vector_alloc(n);
    bool there = A && V && S;
    for (uint32_t i = 0; there && i < s->n; i++)
        for (uint32_t k = 0; k < n; k++)
            gsl_matrix_set(A, i, k, gsl_matrix_get(J, i, map[k]));
    if (there && gsl_linalg_SV_decomp_jacobi(A, V, S) == GSL_SUCCESS)
        take_intervals(s, V, S, map, n);
    if (A)
        gsl_matrix_free(A);
    if (V)
        gsl_matrix_free(V);
    if (S)
        gsl_vector_free(S);
    return there ? ORR_OK : orr__no_memory(s->why);
}

/* Derivatives at the values found, and what they say about each key. */
static orr_err judge_solution(struct solver *s)
{
    uint32_t map[ORR_FIT_KEYS], n = 0;
    gsl_matrix *J = gsl_matrix_calloc(s->n, s->p);
    orr_err err = J ? ORR_OK : orr__no_memory(s->why);
    for (uint32_t k = 0; k < s->p; k++)
        s->value[k] = s->f->key[k].value;
    if (!err)
        err = differentiate(s, s->value, BROAD, J);
    if (!err)
        n = sort_fates(s, J, map);
    if (!err && n > 0)
        err = decompose(s, J, map, n);
    if (J)
        gsl_matrix_free(J);
    return err;
}

/* ---- all ---------------------------------------------------------------- */

/* The fitted points as a list, and room for values. */
static orr_err make_room(struct solver *s)
{
    struct orr_fit *f = s->f;
    s->point = orr__alloc(f->fitted, sizeof *s->point);
    s->value = orr__alloc(2 * (size_t)f->keys, sizeof *s->value);
    if (!s->point || !s->value)
        return orr__no_memory(s->why);
    for (uint32_t i = 0; i < f->points; i++)
        if (!f->point[i].held_out)
            s->point[s->n++] = &f->point[i];
    s->p = f->keys;
    return ORR_OK;
}

orr_err orr__fit_solve(struct orr_fit *f, struct orr_report *why)
{
    struct solver s = {.f = f, .why = why};
    if (f->keys > f->fitted)
        return orr__fail(why, ORR_ECONFIG,
                         "%u keys cannot be fitted to %u point%s", f->keys,
                         f->fitted, f->fitted == 1 ? "" : "s");
    orr__libraries_init();
    orr_err err = make_room(&s);
    if (!err)
        err = search(&s);
    if (!err)
        err = judge_solution(&s);
    for (size_t i = 0; i < s.n_tried; i++) {
        orr__free(s.tried[i].value);
        orr__free(s.tried[i].ns);
    }
    orr__free(s.tried);
    orr__free(s.value);
    orr__free(s.point);
    return err;
}
