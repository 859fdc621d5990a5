#include "experiment/replayed.h"

#include "core/units.h"
#include "workload/memo/memo.h"

void orr__replayed_json(struct orr_json *j, const struct orr_world *w)
{
    const struct orr_memo_result *r = w->result.replayed;
    if (!r)
        return;
    orr__json_object(j, "replayed");
    orr__json_text(j, "full", r->full);
    orr__json_count(j, "islands", r->islands);
    orr__json_count(j, "alike", r->classes);
    orr__json_count(j, "collectives", r->calls);
    orr__json_count(j, "simulated", r->simulated);
    orr__json_count(j, "by_lot", r->by_lot);
    orr__json_count(j, "packet_hops", r->hops);
    orr__json_count(j, "packet_hops_simulated", r->hops_simulated);
    orr__json_list(j, "obstacles");
    for (uint32_t i = 0; i < r->obstacles; i++) {
        orr__json_flat_object(j, NULL);
        orr__json_text(j, "why", r->obstacle[i].why);
        orr__json_count(j, "groups", r->obstacle[i].groups);
        orr__json_end(j);
    }
    orr__json_end(j);
    orr__json_end(j);
}

/* Groups of ranks whose collectives were simulated, and why. */
static void add_obstacles(struct orr_text *t, const struct orr_memo_result *r)
{
    char n[32];
    for (uint32_t i = 0; i < r->obstacles; i++) {
        orr__group_digits(r->obstacle[i].groups, n, sizeof n);
        orr__text_add(t, "  not of %s %s of ranks: %s\n", n,
                      r->obstacle[i].groups == 1 ? "group" : "groups",
                      r->obstacle[i].why);
    }
}

void orr__replayed_plan(struct orr_text *t, const struct orr_world *w)
{
    const struct orr_memo_result *r = w->result.replayed;
    char a[32], b[32];
    if (!r)
        return;
    if (r->full) {
        orr__text_add(t, "no collectives: %s\n", r->full);
        return;
    }
    orr__group_digits(r->calls_planned, a, sizeof a);
    orr__group_digits(r->islands, b, sizeof b);
    orr__text_add(t,
                  "%s collectives of %s groups of ranks, about %.3g "
                  "packet-hops: simulated once for each way they are entered\n",
                  a, b, (double)r->hops_planned);
    add_obstacles(t, r);
}

void orr__replayed_text(struct orr_text *t, const struct orr_world *w)
{
    const struct orr_memo_result *r = w->result.replayed;
    char a[32], b[32], c[32];
    if (!r)
        return;
    if (r->full) {
        orr__text_add(t, "no collectives: %s\n", r->full);
        return;
    }
    orr__group_digits(r->calls - r->simulated, a, sizeof a);
    orr__group_digits(r->calls, b, sizeof b);
    /* a run that ends early has simulated more than it counts */
    uint64_t saved =
        r->hops > r->hops_simulated ? r->hops - r->hops_simulated : 0;
    orr__group_digits(saved, c, sizeof c);
    if (r->islands)
        orr__text_add(t,
                      "%s of %s collectives on links of their own, exactly: %s "
                      "packet-hops saved\n",
                      a, b, c);
    else
        orr__text_add(t, "no collectives: none is on links of its own\n");
    if (r->by_lot) {
        orr__group_digits(r->by_lot, a, sizeof a);
        orr__text_add(t,
                      "  %s of them only once each, as lots decided "
                      "(network.ties, marks at random)\n",
                      a);
    }
    add_obstacles(t, r);
}
