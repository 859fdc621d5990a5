#include "core/snapshot.h"

#include "core/array.h"

void orr__counts_add(struct orr_counts *c, uint64_t value)
{
    c->failed |= !orr__array_more(c->value, c->room, c->n);
    if (c->failed)
        return;
    c->value[c->n++] = value;
}

void orr__counts_fini(struct orr_counts *c)
{
    orr__free(c->value);
    *c = (struct orr_counts){0};
}

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* The two halves of a wide counter, as they were noted. */
static unsigned __int128 wide_at(const struct orr_counts *c, size_t i)
{
    return (unsigned __int128)c->value[i + 1] << 64 | c->value[i];
}

void orr__snapshot_wide(struct orr_snapshot *w, unsigned __int128 *sum)
{
    size_t i = w->at;

    orr__snapshot_more(w, (uint64_t)*sum);
    orr__snapshot_more(w, (uint64_t)(*sum >> 64));
    if (w->mode == ORR_SNAPSHOT_MOVE && !w->differs)
        *sum += w->times * (wide_at(w->second, i) - wide_at(w->first, i));
}

void orr__snapshot_idle(struct orr_snapshot *w, double value, uint64_t uses)
{
    size_t i = w->at;

    orr__snapshot_more(w, bits_of(value));
    orr__snapshot_more(w, uses);
    if (w->mode == ORR_SNAPSHOT_CHECK && !w->differs
        && w->first->value[i + 1] != w->second->value[i + 1]
        && w->first->value[i] != w->second->value[i])
        w->differs = true;
}
