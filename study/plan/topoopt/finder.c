/* TopologyFinder: ports of a host go to rings in proportion to what all-reduces
 * send, and the rest to matchings of the pairs that send most. */
#include <math.h>
#include <string.h>

#include "core/assert.h"
#include "core/memory.h"
#include "study/plan/topoopt/search.h"
#include "topo/matching.h"

/* What a division sends, while its network is made; arrays are owned. */
struct finder {
    const struct orr_design *d;
    struct orr_direct *net;
    double *bytes;  /* per traffic */
    double *rings;  /* per divisor: between neighbours of its rings */
    double *demand; /* n * n, but for all-reduces */
    uint64_t *weight;
    double reduced, exchanged; /* of all hosts together; all-reduces, others */
    double all;                /* of these, over all hosts */
    struct orr_report *why;
};

/* Pairs of one traffic. */
static double pairs_of(const struct orr_design *d, const struct orr_traffic *t)
{
    if (t->kind == ORR_TRAFFIC_PAIRS)
        return (double)d->n * (t->parts - 1);
    if (t->kind == ORR_TRAFFIC_RINGS)
        return d->n;
    return (double)t->parts * (d->n - 1);
}

/* An orr_traffic_fn: rings by themselves, all else as demand. */
static void note_traffic(void *arg, const struct orr_traffic *t, double bytes)
{
    struct finder *f = arg;
    double sum = bytes * pairs_of(f->d, t);
    if (t->kind == ORR_TRAFFIC_RINGS) {
        f->reduced += sum;
        f->rings[orr__divisor_number(f->d, t->parts)] += bytes;
        return;
    }
    f->exchanged += sum;
    orr__traffic_add(t, f->d->n, bytes, f->demand);
}

/* ---- ports --------------------------------------------------------------- */

/* Of a host, for all-reduces. */
static uint32_t reduce_ports(const struct finder *f)
{
    uint32_t unit = f->d->both ? 2 : 1, degree = f->d->degree;
    double sum = f->reduced + f->exchanged;
    double share = sum > 0 ? degree * f->reduced / sum : degree;
    uint32_t ports = (uint32_t)ceil(share);
    ports = ports < unit ? unit : ports;
    ports += ports % unit;
    return ports > degree ? degree - degree % unit : ports;
}

/* One more, of no pairs yet: mate per host. NULL: no memory. */
static uint32_t *add_matching(struct finder *f)
{
    struct orr_direct *net = f->net;
    uint32_t n = f->d->n;
    void *more = orr__resize(net->mate, (size_t)(net->matchings + 1) * n,
                             sizeof *net->mate);
    if (!more)
        return NULL;
    net->mate = more;
    uint32_t *mate = net->mate + (size_t)net->matchings * n;
    for (uint32_t i = 0; i < n; i++)
        mate[i] = ORR_NONE;
    net->matchings++;
    return mate;
}

/* Rings of hosts `apart` from one another, of some stride among them, as two
 * matchings: every other edge each. Two hosts take one. */
static orr_err add_ring(struct finder *f, uint32_t apart, uint32_t stride)
{
    uint32_t n = f->d->n, members = n / apart;
    uint32_t by = apart * stride;
    for (uint32_t odd = 0; odd < (members > 2 ? 2 : 1); odd++) {
        uint32_t *mate = add_matching(f);
        if (!mate)
            return orr__no_memory(f->why);
        for (uint32_t i = 0; i < n; i++) {
            bool first = i / apart % 2 == odd; /* the stride is odd */
            mate[i] = (first ? i + by : i + n - by) % n;
        }
    }
    return ORR_OK;
}

/* As many of groups as there are strides for, from *ports. */
static orr_err add_rings(struct finder *f, uint32_t i, uint32_t rings,
                         uint32_t *ports)
{
    uint32_t stride[ORR_MOST_STRIDES], apart = f->d->divisor[i];
    uint32_t n = orr__group_strides(f->d->n / apart, rings, stride);
    orr_err err = ORR_OK;
    for (uint32_t r = 0; r < n && !err; r++)
        err = add_ring(f, apart, stride[r]);
    *ports -= n * (f->d->n / apart > 2 ? 2 : 1);
    f->net->group_rings[i] = n;
    return err;
}

/* Rings of groups, of even members, for as many ports as their share is; the
 * ring of all hosts keeps one. Returns what is left in *ports. */
static orr_err add_group_rings(struct finder *f, uint32_t *ports)
{
    const struct orr_design *d = f->d;
    uint32_t keep = d->both ? 2 : 1, given = *ports;
    orr_err err = ORR_OK;
    for (uint32_t i = 1; i + 1 < d->divisors && !err; i++) {
        uint32_t members = d->n / d->divisor[i], unit = members > 2 ? 2 : 1;
        if (f->rings[i] <= 0 || members % 2)
            continue;
        double share = given * (f->rings[i] * d->n / f->reduced);
        uint32_t most = (*ports - keep) / unit, rings = 0;
        while (share >= unit && rings < most) {
            share -= unit;
            rings++;
        }
        if (rings)
            err = add_rings(f, i, rings, ports);
    }
    return err;
}

/* ---- matchings ----------------------------------------------------------- */

/* How many links lead from one host to another so far. */
static uint32_t links_between(const struct orr_direct *net, uint32_t a,
                              uint32_t b)
{
    uint32_t n = net->n, count = 0;
    for (uint32_t s = 0; s < net->strides; s++)
        count += (a + net->stride[s]) % n == b
                 || (net->both && (b + net->stride[s]) % n == a);
    for (uint32_t m = 0; m < net->matchings; m++)
        count += net->mate[(size_t)m * n + a] == b;
    return count;
}

/* Whole numbers, up to the heaviest that may be; false: there is nothing. */
static bool set_weights(struct finder *f)
{
    uint32_t n = f->d->n;
    double most = 0;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++) {
            double x =
                f->demand[(size_t)a * n + b] + f->demand[(size_t)b * n + a];
            most = x > most ? x : most;
        }
    for (uint32_t a = 0; a < n && most > 0; a++)
        for (uint32_t b = 0; b < a; b++) {
            double x =
                f->demand[(size_t)a * n + b] + f->demand[(size_t)b * n + a];
            f->weight[(size_t)a * n + b] = f->weight[(size_t)b * n + a] =
                (uint64_t)(x / most * (double)ORR_MATCHING_WEIGHT);
        }
    return most > 0;
}

/* One port of each host where demand is highest; what a pair is given c links
 * for counts c / (c + 1) then. */
static orr_err match_hosts(struct finder *f)
{
    uint32_t n = f->d->n;
    uint32_t *mate = add_matching(f);
    if (!mate)
        return orr__no_memory(f->why);
    orr_err err = orr__matching_perfect(n, f->weight, mate, f->why);
    for (uint32_t i = 0; i < n && !err; i++) {
        if (mate[i] == ORR_NONE)
            continue;
        double c = links_between(f->net, i, mate[i]);
        f->demand[(size_t)i * n + mate[i]] *= c / (c + 1);
    }
    return err;
}

/* ---- the whole ----------------------------------------------------------- */

/* Rings, then matchings; all that f owns is freed by the caller. */
static orr_err make_network(struct finder *f, const struct orr_choice *c)
{
    const struct orr_design *d = f->d;
    double gradients;
    orr__choices_traffic(d, c, note_traffic, f, &gradients);
    f->all = gradients * 2 * (d->n - 1);
    f->reduced += f->all;
    uint32_t ports = reduce_ports(f), rest = d->degree - ports;
    orr_err err = add_group_rings(f, &ports);
    uint32_t strides = ports / (d->both ? 2 : 1);
    f->net->n = d->n;
    f->net->both = d->both;
    f->net->strides = strides < d->strides ? strides : d->strides;
    rest += ports - f->net->strides * (d->both ? 2 : 1);
    orr__strides_choose(d->n, f->net->strides, d->both, f->net->stride);
    for (; rest > 0 && !err && set_weights(f); rest--)
        err = match_hosts(f);
    return err ? err : orr__direct_finish(f->net, f->why);
}

orr_err orr__design_network(const struct orr_design *d,
                            const struct orr_choice *c, struct orr_direct *net,
                            struct orr_report *why)
{
    struct finder f = {.d = d, .net = net, .why = why};
    size_t pairs = (size_t)d->n * d->n;
    f.rings = orr__alloc(d->divisors, sizeof *f.rings);
    f.demand = orr__alloc(pairs, sizeof *f.demand);
    f.weight = orr__alloc(pairs, sizeof *f.weight);
    orr_err err = f.rings && f.demand && f.weight ? make_network(&f, c)
                                                  : orr__no_memory(why);
    orr__free(f.rings);
    orr__free(f.demand);
    orr__free(f.weight);
    return err;
}
