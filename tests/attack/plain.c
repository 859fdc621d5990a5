/* Configurations without lots: for the slow reference simulator, and such that
 * iterations repeat. */
#include <string.h>

#include "tests/attack/draw.h"

/* Some keys of a network, through queues that hold all. */
static json_t *draw_network(struct draw *d, const char *const *keys)
{
    json_t *all = orr__draw_section(d, "network", 0.5);
    json_t *network = json_object();

    for (size_t i = 0; keys[i]; i++)
        if (json_object_get(all, keys[i]))
            json_object_set(network, keys[i], json_object_get(all, keys[i]));
    json_decref(all);
    json_object_set_new(
        network, "queue",
        json_pack("{s:s,s:s}", "kind", "droptail", "capacity", "1TB"));
    return network;
}

/* One job on all hosts whose all-reduces switches add up, for the reference
 * simulator of sums: on one tree, without losses and timeouts. */
static void draw_sums(struct draw *d, json_t *config)
{
    static const char *const keys[] = {"mtu",   "header",    "latency",
                                       "ports", "processes", NULL};
    json_t *network = draw_network(d, keys), *in, *call;

    in = json_pack("{s:s,s:i,s:s,s:i}", "kind",
                   orr__draw_chance(d, 0.5) ? "switchml" : "sharp", "window",
                   (int)(1 + orr__draw_below(d, 40)), "timeout", "10s",
                   "children", 64);
    if (orr__draw_chance(d, 0.5))
        json_object_set_new(in, "latency", orr__draw_time(d, 1000, 5000000));
    json_object_set_new(in, "payload", orr__draw_size(d, 1, 1000));
    json_object_set_new(network, "mtu", orr__draw_size(d, 1000, 9000));
    json_object_set_new(network, "in_network", in);
    json_object_set_new(config, "network", network);
    call = json_pack("{s:o,s:s}", "size", orr__draw_size(d, 1, 20000),
                     "algorithm", "in-network");
    json_object_set_new(config, "title", json_string("sums"));
    json_object_set_new(config, "jobs",
                        json_pack("[{s:i,s:i,s:[{s:o}]}]", "ranks",
                                  (int)(2 + orr__draw_below(d, d->hosts - 1)),
                                  "iterations",
                                  (int)(1 + orr__draw_below(d, 3)), "program",
                                  "all-reduce", call));
}

/* Flows between fixed paths, without losses and timeouts. */
void orr__draw_plain(struct draw *d, json_t *config)
{
    if (orr__draw_chance(d, 0.3)) {
        draw_sums(d, config);
        return;
    }
    static const char *const keys[] = {
        "mtu",     "local_mtu", "header",    "ack",    "ack_every", "ack_delay",
        "latency", "ports",     "processes", "window", NULL};
    json_t *network = draw_network(d, keys);

    json_object_set_new(
        network, "transport",
        json_string(orr__draw_chance(d, 0.7) ? "reliable" : "datagram"));
    json_object_set_new(
        network, "routing",
        json_string(orr__draw_chance(d, 0.7) ? "ecmp" : "first"));
    json_object_set_new(network, "rto",
                        json_pack("{s:s,s:s,s:s}", "initial", "1000s", "min",
                                  "1000s", "max", "1000s"));
    json_object_set_new(config, "network", network);
    json_object_set_new(config, "flows", orr__draw_flows(d, "configuration"));
}

/* Takes keys out of all maps of a tree. */
static void strip(json_t *tree, const char *const *keys)
{
    const char *key;
    json_t *value;
    size_t i;

    for (i = 0; json_is_object(tree) && keys[i]; i++)
        json_object_del(tree, keys[i]);
    json_object_foreach(tree, key, value) strip(value, keys);
    json_array_foreach(tree, i, value) strip(value, keys);
}

/* Jobs whose iterations may come to be alike: ports are computed, packets of a
 * connection take one way, and nothing draws lots or changes with time. */
void orr__draw_calm(struct draw *d, json_t *config)
{
    static const char *const keys[] = {
        "mtu",       "local_mtu", "header",         "ack",
        "ack_every", "ack_delay", "latency",        "cc",
        "processes", "window",    "initial_window", "recovery",
        "rto",       NULL};
    static const char *const lots[] = {"jitter", "changes", "class", "weight",
                                       "paths",  "gate",    NULL};
    json_t *network = draw_network(d, keys), *jobs;

    if (orr__draw_chance(d, 0.5))
        json_object_set_new(
            network, "queue",
            json_pack("{s:s,s:o,s:o}", "kind", "ecn", "capacity",
                      orr__draw_size(d, 100000, 2000000), "threshold",
                      orr__draw_size(d, 1000, 90000)));
    json_object_set_new(config, "network", network);
    jobs = orr__draw_jobs(d, "configuration");
    strip(jobs, lots);
    json_object_set_new(config, "jobs", jobs);
}

/* Some of it in another class and with a weight of its own, as keys. */
void orr__draw_busy(json_t *config)
{
    static const char flows[] =
        "[{'generate': 'incast', 'dst': 0, 'size': '200KB'},"
        " {'generate': 'permutation', 'size': '150KB', 'class': 1},"
        " {'generate': 'permutation', 'size': '150KB', 'start': '5us',"
        "  'weight': 3}]";
    char text[sizeof flows];

    for (size_t i = 0; i < sizeof flows; i++)
        text[i] = flows[i] == '\'' ? '"' : flows[i];
    /* rates beyond what a picosecond tells apart */
    json_object_del(json_object_get(config, "topology"), "scale");
    json_object_del(config, "jobs");
    json_object_del(config, "schedule");
    json_object_del(config, "failures");
    json_object_del(config, "record");
    json_object_del(config, "stop");
    json_object_set_new(config, "flows", json_loads(text, 0, NULL));
}
