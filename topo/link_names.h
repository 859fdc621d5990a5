/* Links by name, as users write them: "a > b" as they are printed, "a -> b" as
 * records have it, and "a-b" where exactly one link answers. Spaces around the
 * sign may be left out. A number is a link's id. */
#ifndef ORR_TOPO_LINK_NAMES_H
#define ORR_TOPO_LINK_NAMES_H

#include "topo/node_names.h"

enum {
    ORR_LINK_SHOWN = 4, /* links that an ambiguous name is printed with */
};

/* A search for the links that a text names, by whoever knows links. */
struct orr_link_search {
    /* Calls orr__link_found for each link from a to b, which are texts. */
    void (*between)(struct orr_link_search *s, const char *a, const char *b);
    const void *arg;               /* its own */
    uint64_t links;                /* ids are below */
    uint32_t found;                /* links that answer */
    uint64_t link[ORR_LINK_SHOWN]; /* the first of them */
    char unknown[ORR_NODE_NAME];   /* of a graph: the first that is no node */
};

/* Searches; found is 1 if the text names a link. A name with signs that have
 * spaces around them goes before other ways to read the text. */
void orr__link_search(struct orr_link_search *s, const char *text);
void orr__link_found(struct orr_link_search *s, uint64_t link);
/* Whether a name, "a > b" or "a -> b", is that of a link from a to b. */
bool orr__link_is_between(const char *name, const char *a, const char *b);

/* The link of a graph that a text names. ECONFIG: none, or several, which are
 * listed; `what` begins the message, a key for example. */
ORR_CHECK_RESULT orr_err orr__link_find(const struct orr_graph *g,
                                        const char *what, const char *text,
                                        uint32_t *link, struct orr_report *why);
/* The same of a scalar of a configuration, blamed at its place. */
ORR_CHECK_RESULT orr_err orr__link_read(const struct orr_graph *g,
                                        struct orr_config *c,
                                        const struct orr_yaml *at,
                                        const char *what, uint32_t *link,
                                        struct orr_report *why);

#endif
