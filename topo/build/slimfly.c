/* Slim Fly (Besta, Hoefler, SC 2014): the graphs of McKay, Miller and Siran,
 * 2 q^2 routers two hops apart at most, for a prime power q = 4 w + delta with
 * delta of -1, 0 or 1. Routers (0, x, y) and (1, m, c) for x, y, m, c in the
 * field of q elements, z its primitive element:
 *   (0, x, y) - (0, x, y')  if y - y' is in X
 *   (1, m, c) - (1, m, c')  if c - c' is in X'
 *   (0, x, y) - (1, m, c)   if y = m x + c
 * The exponents of z in X and X' are those of Hafner ("Geometric realisation of
 * the graphs of McKay-Miller-Siran", JCTB 90(2), 2004). Ids: hosts by router;
 * routers (0, x, y), then (1, m, c), in order of the numbers that stand for
 * elements. Cables: hosts', then by the lower router. */
#include <inttypes.h>
#include <math.h>

#include "core/assert.h"
#include "core/memory.h"
#include "topo/build/build.h"

/* Elements are polynomials over the integers modulo p, written as numbers in
 * base p. */
struct field {
    uint32_t q, p, n; /* q = p^n */
    uint32_t *exp;    /* z^i, i < q - 1 */
    uint32_t *log;    /* of an element other than 0 */
};

/* q is a prime power; field and sets are made by build() and freed by the
 * kind's `free`. */
struct slimfly {
    int64_t q, hosts_per_switch;
    struct field field;
    bool *in[2]; /* per element: in X, in X' */
};

static const struct orr_param params[] = {
    {.key = "q",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct slimfly, q),
     .min = "3",
     .max = "1021",
     .help = "a prime power, not 2 more than a multiple of 4: 2 q^2 routers"},
    {.key = "hosts_per_switch",
     .type = ORR_PARAM_INT,
     .offset = offsetof(struct slimfly, hosts_per_switch),
     .fallback = "",
     .min = "1",
     .help = "hosts on each router; by default half of its other ports, "
             "rounded up, which balances the network"},
    ORR_PARAM_END};

static uint32_t add_elements(const struct field *f, uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t step = 1; step < f->q; step *= f->p) {
        sum += (a % f->p + b % f->p) % f->p * step;
        a /= f->p;
        b /= f->p;
    }
    return sum;
}

/* a - b */
static uint32_t difference(const struct field *f, uint32_t a, uint32_t b)
{
    uint32_t sum = 0;
    for (uint32_t step = 1; step < f->q; step *= f->p) {
        sum += (a % f->p + f->p - b % f->p) % f->p * step;
        a /= f->p;
        b /= f->p;
    }
    return sum;
}

static uint32_t multiply(const struct field *f, uint32_t a, uint32_t b)
{
    return a && b ? f->exp[(f->log[a] + f->log[b]) % (f->q - 1)] : 0;
}

/* times the polynomial x, where x^n is `rest` */
static uint32_t times_x(const struct field *f, uint32_t a, uint32_t rest)
{
    uint32_t top = a / (f->q / f->p), low = a % (f->q / f->p) * f->p;
    for (uint32_t i = 0; i < top; i++)
        low = add_elements(f, low, rest);
    return low;
}

/* Powers of x, or for n = 1 of a number, until one comes again; true if that
 * is after all of them. */
static bool try_element(struct field *f, uint32_t rest)
{
    uint32_t a = 1;
    for (uint32_t i = 0; i < f->q - 1; i++) {
        if (i && a <= 1)
            return false;
        f->exp[i] = a;
        f->log[a] = i;
        a = f->n == 1 ? (uint32_t)((uint64_t)a * rest % f->p)
                      : times_x(f, a, rest);
    }
    return a == 1;
}

/* q = p^n for a prime p? */
static bool factor(struct field *f)
{
    uint32_t q = f->q, p = 2;
    while (p * p <= q && q % p)
        p++;
    f->p = p * p <= q ? p : q;
    for (f->n = 0; q % f->p == 0; f->n++)
        q /= f->p;
    return q == 1;
}

/* Tables of the field's multiplication, by powers of a primitive element.
 * ORR_ENOMEM; ORR_EINTERNAL cannot be, as such an element exists for each prime
 * power. */
static orr_err make_field(struct field *f, struct orr_report *why)
{
    f->exp = orr__alloc(f->q, sizeof *f->exp);
    f->log = orr__alloc(f->q, sizeof *f->log);
    if (!f->exp || !f->log)
        return orr__no_memory(why);
    for (uint32_t rest = 1; rest < f->q; rest++)
        if (try_element(f, rest))
            return ORR_OK;
    return orr__fail(why, ORR_EINTERNAL, "no field of %" PRIu32 " elements",
                     f->q);
}

static int delta_of(uint32_t q)
{
    return q % 4 == 3 ? -1 : (int)(q % 4);
}

/* Exponents of X are even up to 2 w - 2 and odd from 2 w - 1 on where delta is
 * -1, all the even ones else; those of X' are one more. */
static void choose_sets(const struct slimfly *p)
{
    const struct field *f = &p->field;
    uint32_t q = f->q, w = (q + 1) / 4;
    ORR_ASSERT(q > 1);
    for (uint32_t i = 0; i < (q - (uint32_t)delta_of(q)) / 2; i++) {
        uint32_t e = 2 * i;
        if (delta_of(q) < 0 && i >= w)
            e = 2 * i - 1;
        p->in[0][f->exp[e % (q - 1)]] = true;
        p->in[1][f->exp[(e + 1) % (q - 1)]] = true;
    }
}

/* The degree in the network is (3 q - delta) / 2; hosts are half of it, rounded
 * up, unless given. */
static orr_err plan(struct orr_draft *d, struct orr_size *size,
                    struct orr_report *why)
{
    struct slimfly *p = d->params;
    uint64_t q = (uint64_t)p->q;
    p->field.q = (uint32_t)q;
    if (!factor(&p->field) || q % 4 == 2) {
        orr_err err = orr__yaml_fail(d->config, orr__yaml_get(d->map, "q"), why,
                                     "topology.q must be a prime or a "
                                     "power of one, and not 2, not %" PRIu64,
                                     q);
        orr__hint(why, "3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, ...");
        return err;
    }
    uint64_t degree = (uint64_t)(3 * (int64_t)q - delta_of((uint32_t)q)) / 2;
    if (!p->hosts_per_switch)
        p->hosts_per_switch = (int64_t)(degree + 1) / 2;
    size->switches = 2 * q * q;
    size->hosts = orr__size_mul(size->switches, (uint64_t)p->hosts_per_switch);
    size->cables = orr__size_add(size->hosts, q * q * degree);
    return ORR_OK;
}

/* From router r, of either kind, to those with higher ids. */
static void draw_from(struct orr_draft *d, uint32_t r)
{
    const struct slimfly *p = d->params;
    const struct field *f = &p->field;
    uint32_t q = f->q, n = d->graph->hosts, half = q * q;
    ORR_ASSERT(q > 1 && half / q == q);
    uint32_t kind = r >= half, x = r % half / q, y = r % q;
    for (uint32_t other = y + 1; other < q; other++)
        if (p->in[kind][difference(f, other, y)])
            orr__draft_cable(d, n + r, n + r - y + other, 1, &d->link);
    for (uint32_t m = 0; m < q && !kind; m++)
        orr__draft_cable(d, n + r,
                         n + half + m * q + difference(f, y, multiply(f, m, x)),
                         2, &d->link);
}

/* Columns of both kinds around a circle, each a ray of q routers. */
static void place_router(struct orr_draft *d, uint32_t r)
{
    const struct slimfly *p = d->params;
    uint32_t q = p->field.q, hosts = (uint32_t)p->hosts_per_switch;
    ORR_ASSERT(q > 1);
    uint32_t column = r / q;
    double turn = 2 * M_PI * column / (2 * q), out = 1 + (r % q) * 2.0 / q;
    double apart = 2 * M_PI / (2 * q) / (hosts + 1);
    orr__draft_place(d, d->graph->hosts + r, out * sin(turn), out * cos(turn),
                     0);
    for (uint32_t i = 0; i < hosts; i++) {
        double fan = turn + (i + 1) * apart;
        orr__draft_place(d, r * hosts + i, out * sin(fan), out * cos(fan), 0);
    }
}

/* Each router draws the cables to routers after it. */
static orr_err build(struct orr_draft *d, struct orr_report *why)
{
    static const char *const tiers[] = {"host", "column", "cross", NULL};
    struct slimfly *p = d->params;
    uint32_t n = d->graph->hosts, routers = d->graph->nodes - n;
    uint32_t q = p->field.q;
    ORR_ASSERT(routers == 2 * q * q);
    for (int i = 0; i < 2; i++)
        if (!(p->in[i] = orr__alloc(q, sizeof *p->in[i])))
            return orr__no_memory(why);
    orr_err err = make_field(&p->field, why);
    if (err)
        return err;
    choose_sets(p);
    for (uint32_t h = 0; h < n; h++)
        orr__draft_cable(d, h, n + h / (uint32_t)p->hosts_per_switch, 0,
                         &d->link);
    orr__draft_nodes(d, 0, n, 0, false);
    orr__draft_nodes(d, n, routers, 1, true);
    for (uint32_t r = 0; r < routers; r++) {
        draw_from(d, r);
        place_router(d, r);
        orr__draft_name(d, n + r, "part%u/router%u.%u", r / (q * q),
                        r % (q * q) / q, r % q);
    }
    d->graph->tier_names = tiers;
    return ORR_OK;
}

static void fini(struct orr_draft *d)
{
    struct slimfly *p = d->params;
    orr__free(p->field.exp);
    orr__free(p->field.log);
    orr__free(p->in[0]);
    orr__free(p->in[1]);
}

extern const struct orr_topology_ops orr__topology_slimfly;
const struct orr_topology_ops orr__topology_slimfly = {
    .name = "slimfly",
    .doc = "Routers two hops apart at most: the graphs of McKay, Miller and "
           "Siran.",
    .params = params,
    .params_size = sizeof(struct slimfly),
    .size_key = "q",
    .plan = plan,
    .build = build,
    .fini = fini,
};
