#include "workload/program/receives.h"
#include "core/none.h"

#include "core/array.h"
#include "core/memory.h"
#include "workload/rank/mailbox.h"

static uint32_t home_of(const struct orr_receives *p, uint64_t key)
{
    return orr__mail_hash(key, 0) & p->mask;
}

/* The slot of a key's first one, or the free slot where it would go. */
static uint32_t slot_of(const struct orr_receives *p, uint64_t key)
{
    uint32_t i = home_of(p, key);
    while (p->first[i] != ORR_NONE && p->item[p->first[i]].key != key)
        i = (i + 1) & p->mask;
    return i;
}

static bool grow_items(struct orr_receives *p)
{
    uint32_t had = p->room;
    if (!orr__array_more(p->item, p->room, had))
        return false;
    for (uint32_t i = had; i < p->room; i++)
        p->item[i].next = i + 1 < p->room ? i + 1 : ORR_NONE;
    p->free = had;
    return true;
}

/* Twice the slots; items stay where they are. false: no memory. */
static bool grow_slots(struct orr_receives *p)
{
    struct orr_receives n = *p;
    n.mask = p->first ? p->mask * 2 + 1 : 7;
    n.first = orr__alloc(n.mask + (size_t)1, sizeof *n.first);
    if (!n.first)
        return false;
    for (uint32_t i = 0; i <= n.mask; i++)
        n.first[i] = ORR_NONE;
    for (uint32_t i = 0; p->first && i <= p->mask; i++)
        if (p->first[i] != ORR_NONE)
            n.first[slot_of(&n, p->item[p->first[i]].key)] = p->first[i];
    orr__free(p->first);
    *p = n;
    return true;
}

bool orr__receives_add(struct orr_receives *p, uint64_t key, uint32_t op)
{
    if ((p->count == p->room && !grow_items(p))
        || ((!p->first || p->keys >= p->mask - p->mask / 4) && !grow_slots(p)))
        return false;
    uint32_t new = p->free, slot = slot_of(p, key);
    p->free = p->item[new].next;
    p->item[new] = (struct orr_receive){key, p->number++, op, ORR_NONE, new};
    p->count++;
    if (p->first[slot] == ORR_NONE) {
        p->first[slot] = new;
        p->keys++;
        return true;
    }
    struct orr_receive *first = &p->item[p->first[slot]];
    p->item[first->last].next = new;
    first->last = new;
    return true;
}

/* Frees a slot and moves back what had to go around it. */
static void free_slot(struct orr_receives *p, uint32_t i)
{
    for (uint32_t j = (i + 1) & p->mask; p->first[j] != ORR_NONE;
         j = (j + 1) & p->mask) {
        uint32_t home = home_of(p, p->item[p->first[j]].key);
        if (((j - home) & p->mask) >= ((j - i) & p->mask)) {
            p->first[i] = p->first[j];
            i = j;
        }
    }
    p->first[i] = ORR_NONE;
    p->keys--;
}

uint32_t orr__receives_take(struct orr_receives *p, uint64_t key)
{
    uint32_t slot = slot_of(p, key), at = p->first[slot];
    const struct orr_receive x = p->item[at];
    if (x.next == ORR_NONE) {
        free_slot(p, slot);
    } else {
        p->item[x.next].last = x.last;
        p->first[slot] = x.next;
    }
    p->item[at] = (struct orr_receive){.op = ORR_NONE, .next = p->free};
    p->free = at;
    p->count--;
    return x.op;
}

const struct orr_receive *orr__receives_oldest(const struct orr_receives *p)
{
    const struct orr_receive *oldest = NULL;
    for (uint32_t i = 0; p->first && i <= p->mask; i++) {
        uint32_t at = p->first[i];
        if (at != ORR_NONE && (!oldest || p->item[at].number < oldest->number))
            oldest = &p->item[at];
    }
    return oldest;
}

void orr__receives_fini(struct orr_receives *p)
{
    orr__free(p->item);
    orr__free(p->first);
}
