/* Random configurations with groups of ranks inside servers, most of which have
 * links of their own: collectives that may be replayed
 * (workload/memo/memo.h). */
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/attack/draw.h"
#include "tests/attack/trial.h"

struct text {
    char bytes[8192];
    size_t used;
};

static void say(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    t->used += (size_t)vsnprintf(t->bytes + t->used, sizeof t->bytes - t->used,
                                 format, args);
    va_end(args);
}

#define ONE_OF(d, list)                                                        \
    ((list)[orr__draw_below((d), sizeof(list) / sizeof *(list))])

/* Servers on rails or on a fabric. Returns how many there are. */
static uint32_t say_topology(struct text *t, struct draw *d, uint32_t gpus)
{
    static const char *const rates[] = {"100Gbps", "400Gbps", "937Gbps",
                                        "3600Gbps"};
    static const char *const delays[] = {"100ns", "500ns", "1us", "333ns"};
    uint32_t servers = 1 + orr__draw_below(d, 4);

    say(t, "topology:\n");
    if (orr__draw_chance(d, 0.7))
        say(t,
            "  kind: rail-optimised\n  hosts: %u\n  servers_per_leaf: %u\n"
            "  spines: 2\n",
            servers, 1 + servers / 3);
    else
        say(t, "  kind: switch\n  hosts: %u\n", servers);
    say(t, "  link: {rate: 100Gbps, delay: %s}\n", ONE_OF(d, delays));
    say(t, "  servers: {gpus: %u, link: {rate: %s, delay: %s}}\n", gpus,
        ONE_OF(d, rates), ONE_OF(d, delays));
    return servers;
}

static void say_network(struct text *t, struct draw *d)
{
    static const char *const mtus[] = {"1500B", "4096B", "9000B", "64KiB"};
    static const char *const controls[] = {"none",  "dcqcn", "dctcp", "cubic",
                                           "swift", "hpcc",  "reno",  "nscc"};
    static const char *const queues[] = {
        "{capacity: 1MB}", "{kind: ecn, threshold: 30KB}",
        "{kind: red, capacity: 8MiB, kmin: 5KB, kmax: 200KB, pmax: 0.5}",
        "{capacity: 30KB}"};
    static const char *const recoveries[] = {"rack", "sack", "go-back-n",
                                             "selective"};

    say(t, "network:\n  mtu: %s\n  cc: %s\n  queue: %s\n", ONE_OF(d, mtus),
        ONE_OF(d, controls), ONE_OF(d, queues));
    say(t, "  recovery: %s\n  ties: %s\n", ONE_OF(d, recoveries),
        orr__draw_chance(d, 0.4) ? "index" : "shuffled");
    if (orr__draw_chance(d, 0.4))
        say(t, "  pfc: {enabled: true}\n  buffer: {size: 16MiB}\n");
    else if (orr__draw_chance(d, 0.3))
        say(t, "  buffer: {kind: shared, size: 2MB}\n");
}

static void say_group(struct text *t, uint32_t first, uint32_t n, bool turned)
{
    say(t, "group: [");
    for (uint32_t i = 0; i < n; i++)
        say(t, "%s%u", i ? ", " : "", first + (turned ? (i + 1) % n : i));
    say(t, "]");
}

/* Computations, each followed by a collective of every server. */
static void say_program(struct text *t, struct draw *d, uint32_t servers,
                        uint32_t gpus)
{
    static const char *const kinds[] = {"all-reduce", "all-reduce",
                                        "all-gather", "reduce-scatter",
                                        "all-to-all", "broadcast"};
    uint32_t rounds = 1 + orr__draw_below(d, 3), before = 0;

    say(t, "    program:\n");
    for (uint32_t r = 0; r < rounds; r++) {
        const char *kind = ONE_OF(d, kinds);
        uint32_t size = 1u << (4 + orr__draw_below(d, 5));
        bool turned = orr__draw_chance(d, 0.2);

        say(t, "      - {compute: %uus, id: c%u, after: [",
            10 + orr__draw_below(d, 500), r);
        for (uint32_t s = 0; r && s < servers; s++)
            say(t, "%sg%u_%u", s ? ", " : "", before, s);
        say(t, "]}\n");
        for (uint32_t s = 0; s < servers; s++) {
            say(t, "      - {%s: {size: %uKiB, chunks: %u, ", kind, size,
                1 + orr__draw_below(d, 10) / 9);
            say_group(t, s * gpus, gpus, turned);
            say(t, "}, id: g%u_%u, after: [c%u]}\n", r, s, r);
        }
        before = r;
    }
}

static void say_job(struct text *t, struct draw *d, uint32_t servers,
                    uint32_t gpus)
{
    static const char *const jitters[] = {"{kind: normal, spread: 0.01}",
                                          "{kind: uniform, spread: 2us}",
                                          "{kind: exponential, spread: 1us}"};

    say(t, "jobs:\n  - name: a\n    ranks: %u\n    iterations: %u\n",
        servers * gpus, 1 + orr__draw_below(d, 6));
    if (orr__draw_chance(d, 0.3))
        say(t, "    jitter: %s\n", ONE_OF(d, jitters));
    if (orr__draw_chance(d, 0.3))
        say(t, "    stragglers: {%u: 1.%02u}\n",
            orr__draw_below(d, servers * gpus), orr__draw_below(d, 20));
    if (orr__draw_chance(d, 0.15))
        say(t, "    complete: acked\n");
    say_program(t, d, servers, gpus);
    if (servers < 2 || !orr__draw_chance(d, 0.3))
        return;
    say(t, "  - name: b\n    ranks: %u\n    placement: [0", servers);
    for (uint32_t s = 1; s < servers; s++)
        say(t, ", %u", s * gpus);
    say(t, "]\n    program: [{compute: 77us}, {all-reduce: {size: 64KiB}}]\n");
}

char *orr__draw_islands(uint64_t seed, uint64_t n)
{
    struct draw d = {.plain = false};
    struct text t = {.used = 0};
    uint32_t gpus, servers;

    orr__random_init(&d.random, seed, n, ORR_PURPOSE_TEST);
    gpus = 2 + orr__draw_below(&d, 7);
    say(&t, "seed: %u\n", orr__draw_below(&d, 1000));
    servers = say_topology(&t, &d, gpus);
    say_network(&t, &d);
    say_job(&t, &d, servers, gpus);
    if (servers > 1 && orr__draw_chance(&d, 0.3))
        say(&t, "flows: [{src: 0, dst: %u, size: 1MB}]\n", servers * gpus - 1);
    return t.used < sizeof t.bytes ? strdup(t.bytes) : NULL;
}
