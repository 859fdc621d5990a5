/* Registries of families of interchangeable parts. A family's list.h has a line
 * for each member, X(MEMBER, of), and a registry is one line:
 *
 *   ORR_FAMILY(orr__queue_kinds, ORR_QUEUE_LIST, struct orr_queue_ops,
 *              orr__queue_)
 *
 * which is a function that returns all members in the order of the list, ended
 * by NULL: the objects orr__queue_MEMBER, of the files beside the list. */
#ifndef ORR_CORE_CONFIG_FAMILY_H
#define ORR_CORE_CONFIG_FAMILY_H

#include <string.h>

#include "core/config/module.h"

#define ORR_FAMILY_DECLARE(member, type, prefix)                               \
    extern const type prefix##member;
#define ORR_FAMILY_ENTRY(member, type, prefix) &prefix##member,
#define ORR_FAMILY(function, list, type, prefix)                               \
    list(ORR_FAMILY_DECLARE, type, prefix) const type *const *function(void)   \
    {                                                                          \
        static const type *const all[] = {list(ORR_FAMILY_ENTRY, type, prefix) \
                                              NULL};                           \
        return all;                                                            \
    }

/* The names of members that have no other name: for the choices of a key. */
#define ORR_FAMILY_NAME(member, ...) #member,

/* A static function: the member of `function` whose name a module has; an error
 * at the module's place if there is none. */
#define ORR_FAMILY_FIND(find, function, type)                                  \
    static orr_err find(const struct orr_module *m, const type **out)          \
    {                                                                          \
        const type *const *all = function();                                   \
        const char *names[ORR_MODULE_KINDS] = {NULL};                          \
        for (size_t i = 0; all[i] && i < ORR_MODULE_KINDS - 1; i++) {          \
            names[i] = all[i]->name;                                           \
            if (m->name && strcmp(m->name, names[i]) == 0) {                   \
                *out = all[i];                                                 \
                return ORR_OK;                                                 \
            }                                                                  \
        }                                                                      \
        return orr__module_unknown(m, names);                                  \
    }

#endif
