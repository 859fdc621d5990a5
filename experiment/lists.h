/* Lists of the JSON summary that grow with the experiment. They end early
 * unless they are wanted whole, `cut` of the summary says which did and by how
 * much (core/json.h), and no measure is taken of one that did. */
#ifndef ORR_EXPERIMENT_LISTS_H
#define ORR_EXPERIMENT_LISTS_H

#include <stdbool.h>

#define ORR_LIST_MOST 1000 /* members, unless a writer says otherwise */

/* Their paths, as measures have them; NULL ends. */
enum { ORR_LISTS = 8 };
extern const char *const orr__list_paths[ORR_LISTS + 1];

/* Does a path of a measure (study/compare/measure.h) go through the list? *all:
 * it means all members, by `*`. */
bool orr__list_on_path(const char *list, const char *path, bool *all);

#endif
