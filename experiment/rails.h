/* Collectives that cross rails: where GPU i of every server is on the leaf of
 * rail i, bytes from one server to another that end on another rail than they
 * began on go up to a spine and down again, though a leaf would do. */
#ifndef ORR_EXPERIMENT_RAILS_H
#define ORR_EXPERIMENT_RAILS_H

#include "workload/world.h"

/* The sentence, without a full stop, on the collective that sends most bytes
 * across rails; empty: none does, there are no rails, or GPUs pass bytes on
 * inside their server. ORR_ENOMEM at worst. */
ORR_CHECK_RESULT orr_err orr__note_rails(const struct orr_world *w, char *text,
                                         size_t size);

#endif
