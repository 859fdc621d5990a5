/* `topology.size`: a number of hosts in place of the keys that each kind has
 * for that. Where several combinations of keys give the number, the one that is
 * nearest to a network of balanced switches is taken. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/units.h"
#include "topo/build/build.h"

enum { KEYS_TEXT = 128, NEAREST_TRIES = 4096, MOST_SIZE = 16777216 };

/* What is asked for. */
struct ask {
    struct orr_config *c;
    const struct orr_yaml *map;
    uint64_t hosts;       /* servers, where there are some */
    char keys[KEYS_TEXT]; /* the answer: pairs of a map */
};

/* A number that the user gave beside the size; 0: none. */
static uint64_t given_number(const struct ask *a, const char *key)
{
    const struct orr_yaml *n = orr__yaml_get(a->map, key);
    const char *text = n ? orr__yaml_text(a->c, n) : NULL;
    int64_t v;

    return text && !orr__parse_int(text, &v) && v > 0 ? (uint64_t)v : 0;
}

/* ---- the kinds: false, if no keys give so many hosts --------------------- */

static bool by_hosts(struct ask *a)
{
    snprintf(a->keys, sizeof a->keys, "{hosts: %" PRIu64 "}", a->hosts);
    return true;
}

/* With hosts_per_leaf beside it: as many leaves as that takes. */
static bool leaf_spine(struct ask *a)
{
    uint64_t per = given_number(a, "hosts_per_leaf");

    if (!per)
        return by_hosts(a);
    snprintf(a->keys, sizeof a->keys, "{leaves: %" PRIu64 "}", a->hosts / per);
    return a->hosts % per == 0 && !given_number(a, "leaves");
}

/* n = a * b * c with a >= b >= c and the least sum. */
static void split_in_three(uint64_t n, uint64_t side[3])
{
    uint64_t least = UINT64_MAX;

    for (uint64_t c = 1; c <= n / c / c; c++)
        for (uint64_t b = c; n % c == 0 && b <= n / c / b; b++) {
            uint64_t a = n / c / b;

            if (n / c % b || a + b + c >= least)
                continue;
            least = a + b + c;
            side[0] = a;
            side[1] = b;
            side[2] = c;
        }
}

/* A grid as near to a cube as can be; of as many dimensions as `dimensions`
 * has, if that is one or two. A ring of more than three hosts is none. */
static bool size_torus(struct ask *a)
{
    const struct orr_yaml *lines = orr__yaml_get(a->map, "dimensions");
    size_t dims = orr__yaml_is_list(lines) ? orr__yaml_count(lines) : 3;
    uint64_t side[3] = {1, 1, 1}, b = 1;

    split_in_three(a->hosts, side);
    for (uint64_t i = 1; i <= a->hosts / i; i++)
        b = a->hosts % i == 0 ? i : b;
    if (dims == 1)
        snprintf(a->keys, sizeof a->keys, "{dims: [%" PRIu64 "]}", a->hosts);
    else if (dims == 2 || side[2] == 1)
        snprintf(a->keys, sizeof a->keys, "{dims: [%" PRIu64 ", %" PRIu64 "]}",
                 a->hosts / b, b);
    else
        snprintf(a->keys, sizeof a->keys,
                 "{dims: [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]}", side[0],
                 side[1], side[2]);
    if (dims == 3 && side[2] == 1 && orr__yaml_is_list(lines))
        return false;
    return dims == 1 || (dims <= 3 && (b > 1 || a->hosts <= 3));
}

/* Two dimensions of switches with about as many hosts on each as those have
 * switches, or as many as are given. */
static bool hyperx(struct ask *a)
{
    uint64_t per = given_number(a, "hosts_per_switch"), side[3] = {1, 1, 1},
             b = 1;

    if (!per) {
        split_in_three(a->hosts, side);
        snprintf(a->keys, sizeof a->keys,
                 "{dims: [%" PRIu64 ", %" PRIu64 "], hosts_per_switch: %" PRIu64
                 "}",
                 side[0], side[1], side[2]);
        return side[1] > 1;
    }
    for (uint64_t i = 1; i <= a->hosts / per / i; i++)
        b = a->hosts / per % i == 0 ? i : b;
    snprintf(a->keys, sizeof a->keys, "{dims: [%" PRIu64 ", %" PRIu64 "]}",
             a->hosts / per / b, b);
    return a->hosts % per == 0 && a->hosts >= per;
}

/* Balanced groups, a = 2 h = 2 p, of the smallest routers that have two groups
 * or more of them; what is given stays. */
static bool dragonfly(struct ask *a)
{
    uint64_t own = given_number(a, "h"), p = given_number(a, "p"),
             group = given_number(a, "a");

    if (given_number(a, "groups"))
        return false;
    for (uint64_t h = own ? own : 1; h <= (own ? own : 4096); h++) {
        uint64_t routers = group ? group : 2 * h;
        uint64_t each = routers * (p ? p : h), groups = a->hosts / each;

        snprintf(a->keys, sizeof a->keys,
                 own ? "{groups: %" PRIu64 "}"
                     : "{groups: %" PRIu64 ", h: %" PRIu64 "}",
                 groups, h);
        if (a->hosts % each == 0 && groups >= 2 && groups <= routers * h + 1)
            return true;
        if (each > a->hosts)
            break;
    }
    return false;
}

/* Is it the power of a prime, and no 2 more than a multiple of 4? */
static bool is_field(uint64_t q)
{
    uint64_t p = 2;

    while (p * p <= q && q % p)
        p++;
    p = p * p <= q ? p : q;
    if (q < 3 || q % 4 == 2)
        return false;
    while (q % p == 0)
        q /= p;
    return q == 1;
}

/* Routers have (3 q - d) / 2 cables to others, d of -1, 0 or 1, and about half
 * as many hosts: no less than half of that, no more than twice. */
static bool slimfly(struct ask *a)
{
    uint64_t own = given_number(a, "hosts_per_switch"), nearest = UINT64_MAX;
    uint64_t fixed = given_number(a, "q");

    for (uint64_t q = fixed ? fixed : 3; q <= 1021; q++) {
        uint64_t routers = 2 * q * q, per = a->hosts / routers;
        uint64_t half = (3 * q + 2) / 4;
        uint64_t off = per > half ? per - half : half - per;

        if (is_field(q) && a->hosts % routers == 0
            && (own ? per == own : 2 * per >= half && per <= 2 * half)
            && off < nearest) {
            nearest = off;
            snprintf(a->keys, sizeof a->keys,
                     fixed ? "{hosts_per_switch: %" PRIu64 "}"
                     : own ? "{q: %" PRIu64 "}"
                           : "{q: %" PRIu64 ", hosts_per_switch: %" PRIu64 "}",
                     fixed ? per : q, per);
        }
        if (fixed || routers > a->hosts)
            break;
    }
    return nearest < UINT64_MAX;
}

/* Switches as in a fat-tree of so many hosts (the paper's comparison): of k =
 * (4 hosts)^(1/3) ports a fifth is for hosts. */
static bool jellyfish(struct ask *a)
{
    uint64_t own = given_number(a, "hosts_per_switch"),
             degree = given_number(a, "degree");
    uint64_t k = 1, per = own, switches;

    while (k * k * k < 4 * a->hosts && k < 4096)
        k++;
    for (uint64_t i = 1; !own && i <= (k + 4) / 5; i++)
        per = a->hosts % i == 0 ? i : per;
    switches = per ? a->hosts / per : 0;
    if (!degree && switches > 1)
        degree = 4 * per < switches ? 4 * per : switches - 1;
    degree -= !given_number(a, "degree") && degree % 2 && switches % 2;
    snprintf(a->keys, sizeof a->keys,
             "{switches: %" PRIu64 ", degree: %" PRIu64
             ", hosts_per_switch: %" PRIu64 "}",
             switches, degree, per);
    return !given_number(a, "switches") && degree > 0 && a->hosts % per == 0
           && degree < switches && (degree % 2 == 0 || switches % 2 == 0);
}

/* Two levels of switches or more, as few as can be: a power of their ports. */
static bool size_bcube(struct ask *a)
{
    for (uint64_t k = 1; k <= 7; k++)
        for (uint64_t n = 2; n <= 65535; n++) {
            uint64_t hosts = n;

            for (uint64_t i = 0; i < k; i++)
                hosts = orr__size_mul(hosts, n);
            snprintf(a->keys, sizeof a->keys,
                     given_number(a, "n") ? "{k: %" PRIu64 "}"
                                          : "{k: %" PRIu64 ", n: %" PRIu64 "}",
                     k, n);
            if (hosts == a->hosts
                && (!given_number(a, "n") || given_number(a, "n") == n))
                return true;
            if (hosts >= a->hosts)
                break;
        }
    return false;
}

/* All that are no parameter servers. */
static bool parameter_server(struct ask *a)
{
    uint64_t servers = given_number(a, "servers");

    snprintf(a->keys, sizeof a->keys, "{workers: %" PRIu64 "}",
             a->hosts - servers);
    return a->hosts > servers && !given_number(a, "workers");
}

/* Half of all on each side, or what is left of one. */
static bool dumbbell(struct ask *a)
{
    uint64_t left = given_number(a, "left"), right = given_number(a, "right");

    if (left && right)
        return false;
    if (!left)
        left = right ? a->hosts - right : a->hosts - a->hosts / 2;
    snprintf(a->keys, sizeof a->keys, "{left: %" PRIu64 ", right: %" PRIu64 "}",
             left, a->hosts - left);
    return left > 0 && left < a->hosts && right < a->hosts;
}

static const struct {
    const char *kind;
    bool (*fit)(struct ask *a);
    const char *instead; /* what `size` replaces; NULL: none beside hosts, k and
                          * dims */
} kinds[] = {
    {"ring", by_hosts, NULL},
    {"fully-connected", by_hosts, NULL},
    {"switch", by_hosts, NULL},
    {"fat-tree", by_hosts, NULL},
    {"clos", by_hosts, NULL},
    {"strides", by_hosts, NULL},
    {"rail-optimised", by_hosts, NULL},
    {"rail-only", by_hosts, NULL},
    {"leaf-spine", leaf_spine, NULL},
    {"torus", size_torus, NULL},
    {"hyperx", hyperx, NULL},
    {"dragonfly", dragonfly, "groups"},
    {"slimfly", slimfly, NULL},
    {"jellyfish", jellyfish, "switches"},
    {"bcube", size_bcube, NULL},
    {"parameter-server", parameter_server, "workers"},
    {"dumbbell", dumbbell, NULL},
};

/* ---- what is not exact --------------------------------------------------- */

/* The nearest size below or above that a kind has; 0: none near. */
static uint64_t nearest(struct ask a, bool (*fit)(struct ask *a), bool above)
{
    uint64_t from = a.hosts;

    for (uint64_t i = 1; i <= NEAREST_TRIES && (above || i < from); i++) {
        a.hosts = above ? from + i : from - i;
        if (fit(&a))
            return a.hosts;
    }
    return 0;
}

/* ECONFIG at the size, with those of the kind around it; 0: there is none. */
static orr_err fail_exact(const struct ask *a, const char *kind,
                          const struct orr_yaml *at, uint64_t below,
                          uint64_t above, struct orr_report *why)
{
    orr_err err = orr__yaml_fail(a->c, at, why,
                                 "topology.size: no %s has %s hosts, with what "
                                 "else is given",
                                 kind, orr__yaml_text(a->c, at));

    if (below && above)
        orr__hint(why, "the nearest have %" PRIu64 " and %" PRIu64, below,
                  above);
    else if (below || above)
        orr__hint(why, "the nearest has %" PRIu64, below ? below : above);
    return err;
}

/* A key beside the size that it replaces. */
static orr_err check_beside(const struct ask *a, const char *instead,
                            struct orr_report *why)
{
    const char *const keys[] = {"hosts", "k", "dims", instead, NULL};

    for (size_t i = 0; keys[i]; i++) {
        const struct orr_yaml *at = orr__yaml_get(a->map, keys[i]);

        if (at)
            return orr__yaml_fail(a->c, at, why,
                                  "topology.%s: `size` replaces it: give one "
                                  "of them",
                                  keys[i]);
    }
    return ORR_OK;
}

/* GPUs of a server; 1: there are none, or what is said of them is refused
 * later. */
static uint64_t gpus_of(const struct ask *a)
{
    const struct orr_yaml *servers = orr__yaml_get(a->map, "servers");
    struct ask inner = {.c = a->c, .map = servers};
    uint64_t gpus =
        orr__yaml_is_map(servers) ? given_number(&inner, "gpus") : 0;

    return gpus ? gpus : 1;
}

/* So many hosts by the kind's own keys, or the nearest sizes. */
static orr_err settle(struct ask *a, const char *kind, size_t i, uint64_t size,
                      const struct orr_yaml *at, struct orr_report *why)
{
    uint64_t gpus = gpus_of(a), below, above;
    orr_err err = check_beside(a, kinds[i].instead, why);

    if (err)
        return err;
    a->hosts = size / gpus;
    if (size % gpus == 0 && kinds[i].fit(a))
        return orr__config_replace(a->c, a->map, "size", a->keys, why);
    below = size % gpus && a->hosts && kinds[i].fit(a)
                ? a->hosts
                : nearest(*a, kinds[i].fit, false);
    above = nearest(*a, kinds[i].fit, true);
    return fail_exact(a, kind, at, below * gpus, above * gpus, why);
}

orr_err orr__size_settle(struct orr_config *c, const struct orr_yaml *map,
                         const char *kind, struct orr_report *why)
{
    const struct orr_yaml *at = orr__yaml_get(map, "size");
    struct ask a = {.c = c, .map = map};
    const char *text = at ? orr__yaml_text(c, at) : NULL;
    int64_t size;

    if (!at || !text || orr__parse_int(text, &size) || size < 1)
        return ORR_OK; /* what is wrong with it is told with the others */
    if (size > MOST_SIZE)
        return orr__yaml_fail(c, at, why,
                              "topology.size: more than %d hosts are not "
                              "supported",
                              MOST_SIZE);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return settle(&a, kind, i, (uint64_t)size, at, why);
    return orr__yaml_fail(c, at, why,
                          "topology.size: a %s topology is not known by its "
                          "size",
                          kind);
}
