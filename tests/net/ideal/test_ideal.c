/* No flow is faster than its ideal time, in random networks under load; one
 * that is alone and keeps to one way takes exactly that. */
#include "tests/net/small_world.h"

#include "core/units.h"

#define FLOWS 8

struct drawing {
    uint64_t state;
    bool alone; /* flows come one at a time, and keep to one way */
    bool reliable, cut;
    char yaml[2048];
    size_t length;
};

static uint32_t below(struct drawing *d, uint32_t n)
{
    d->state = d->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(d->state >> 33) % n;
}

__attribute__((format(printf, 2, 3))) static void add(struct drawing *d,
                                                      const char *format, ...)
{
    va_list args;

    va_start(args, format);
    d->length += (size_t)vsnprintf(d->yaml + d->length,
                                   sizeof d->yaml - d->length, format, args);
    va_end(args);
    assert_true(d->length < sizeof d->yaml);
}

#define AMONG(d, list) ((list)[below(d, sizeof(list) / sizeof *(list))])

static const char *const rates[] = {"100Gbps", "40Gbps", "10Gbps", "333Mbps",
                                    "7Gbps"};

static void draw_topology(struct drawing *d)
{
    static const char *const kinds[] = {
        "ring, hosts: 4",
        "ring, hosts: 5",
        "torus, dims: [2, 3]",
        "torus, dims: [3, 3]",
        "fat-tree, k: 4",
        "switch, hosts: 4",
        "dumbbell, left: 2, right: 2",
        "fully-connected, hosts: 4",
        "leaf-spine, leaves: 2, spines: 3, hosts_per_leaf: 2"};
    static const char *const delays[] = {"500ns", "1us", "37ns", "12345ps"};

    add(d, "topology: {kind: %s", AMONG(d, kinds));
    add(d, ", links: %u", 1 + below(d, 3));
    add(d, ", link: {rate: %s", AMONG(d, rates));
    add(d, ", delay: %s", AMONG(d, delays));
    add(d, "%s}}\n", d->alone || below(d, 4) ? "" : ", loss: 0.02");
}

static void draw_network(struct drawing *d)
{
    static const char *const ways[] = {"ecmp",
                                       "first",
                                       "spray",
                                       "spray-random",
                                       "{kind: flowlet, gap: 1us}",
                                       "adaptive",
                                       "{kind: adaptive, per: packet}"};
    static const char *const recoveries[] = {"sack", "selective", "go-back-n"};
    static const char *const queues[] = {"1GiB}", "20KB}", "200KB}",
                                         "200KB}, cc: dctcp"};
    static const uint32_t mtus[] = {256, 1000, 4096};
    uint32_t way = below(d, d->alone ? 2 : 7), recovery;

    d->reliable = below(d, 5) > 0;
    d->cut = below(d, 4) == 0;
    add(d, "network: {mtu: %uB", AMONG(d, mtus));
    add(d, ", header: %uB", 20 * below(d, 3));
    add(d, ", ack: %uB", 1 + 63 * below(d, 3));
    add(d, ", ack_every: %u", 1 + below(d, 4));
    add(d, ", transport: %s", d->reliable ? "reliable" : "datagram");
    add(d, ", routing: %s", ways[way]);
    /* Where packets overtake one another or many are dropped, go-back-N may
     * never end. */
    recovery = below(d, way < 2 ? 3 : 2);
    add(d, ", recovery: %s", recoveries[recovery]);
    if (d->cut)
        add(d, ", switching: cut-through, cut_through_header: %uB",
            1 + 64 * below(d, 5));
    else
        add(d, ", ports: %s", below(d, 2) ? "explicit" : "computed");
    add(d, ", queue: {kind: droptail, capacity: %s",
        d->alone || recovery == 2 ? queues[0] : AMONG(d, queues));
    /* Alone, nothing is lost, nor given up for lost, nor held back. */
    add(d, d->alone ? ", ack_delay: 1s, rto: {initial: 99s, min: 9s, max: 99s}"
                    : ", ack_delay: 5us, rto: {initial: 2ms, min: 200us}");
    add(d, "}\n");
}

/* A link is away for a while, or gets another rate later on. */
static void draw_failure(struct drawing *d)
{
    if (d->alone || below(d, 2))
        return;
    add(d, "failures:\n");
    if (below(d, 2))
        add(d, "  - {link: %u, down: %uus, up: 3ms, detect: 2us}\n",
            below(d, 6), below(d, 20));
    if (!d->cut && below(d, 2))
        add(d, "  - {link: %u, at: %uus, rate: %s}\n", below(d, 6),
            below(d, 20), AMONG(d, rates));
    if (d->yaml[d->length - 2] == ':')
        add(d, "  - {link: 0, down: 1us, up: 1ms}\n");
}

static void draw_flows(struct drawing *d, uint32_t hosts, struct transfer *t)
{
    for (uint32_t i = 0; i < FLOWS; i++) {
        uint32_t most = AMONG(d, ((const uint32_t[]){10, 5000, 50000, 400000}));

        t[i] = (struct transfer){.src = below(d, hosts),
                                 .bytes = below(d, most),
                                 .start = below(d, 3) * 7 * ORR_US};
        t[i].dst = (t[i].src + 1 + below(d, hosts - 1)) % hosts;
    }
}

/* Each link may get another rate, so that ways which are as long differ. */
static void draw_rates(struct drawing *d, struct orr_graph *g)
{
    uint32_t unlike = below(d, 3);

    for (uint32_t l = 0; unlike && l < g->links; l++)
        g->rate_bps[l] >>= below(d, unlike == 1 ? 2 : 8);
}

static void check(struct small_world *w, const struct drawing *d,
                  const struct transfer *t, uint32_t i)
{
    const struct orr_connection_spec spec = {
        .src = t->src, .dst = t->dst, .identity = i + 1};
    int64_t end = d->reliable ? t->acked : t->received, took = end - t->start;
    int64_t ideal =
        orr__net_ideal_of(w->net, &spec, t->bytes, t->start, end, false);

    if (end < 0 && !d->reliable)
        return;
    if (took >= ideal && (!d->alone || took == ideal))
        return;
    fail_msg("%u to %u, %lu B: %ld ps, ideal %ld\n%s", t->src, t->dst,
             (unsigned long)t->bytes, (long)took, (long)ideal, d->yaml);
}

static void run(struct drawing *d, struct transfer *t, uint32_t n)
{
    struct drawing links = {.state = d->state};
    struct small_world w;

    small_read(&w, d->yaml, 1);
    draw_rates(&links, w.graph);
    small_make(&w, 1);
    small_run(&w, t, n);
    for (uint32_t i = 0; i < n; i++)
        check(&w, d, &t[i], i);
    small_free(&w);
}

static uint32_t hosts_of(const struct drawing *d)
{
    struct small_world w;
    uint32_t hosts;

    small_read(&w, d->yaml, 1);
    hosts = w.graph->hosts;
    small_free(&w);
    return hosts;
}

static void draw(struct drawing *d, struct transfer *t, uint64_t seed,
                 bool alone)
{
    *d = (struct drawing){.state = seed * 2 + alone, .alone = alone};
    draw_topology(d);
    draw_network(d);
    draw_failure(d);
    draw_flows(d, hosts_of(d), t);
}

static uint32_t count(const char *name, uint32_t fallback)
{
    const char *text = getenv(name);

    return text ? (uint32_t)strtoul(text, NULL, 10) : fallback;
}

static void nobody_is_faster(void **state)
{
    struct transfer t[FLOWS];
    struct drawing d;

    for (uint32_t seed = 1; seed <= count("NETWORKS", 300); seed++) {
        draw(&d, t, seed, false);
        run(&d, t, FLOWS);
    }
}

static void alone_it_takes_just_that(void **state)
{
    struct transfer t[FLOWS];
    struct drawing d;

    for (uint32_t seed = 1; seed <= count("NETWORKS", 300); seed++) {
        draw(&d, t, seed, true);
        for (uint32_t i = 0; i < 2; i++)
            run(&d, &t[i], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_faster),
        cmocka_unit_test(alone_it_takes_just_that),
    };

    return cmocka_run_group_tests_name("net/ideal", tests, NULL, NULL);
}
