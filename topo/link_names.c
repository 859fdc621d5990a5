#include "topo/link_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/config/config.h"
#include "core/units.h"

/* A piece of a text without the spaces around it, into to; false: it is empty
 * or longer than any name. */
static bool trim_piece(const char *s, size_t n, char to[ORR_NODE_NAME])
{
    while (n && *s == ' ')
        s++, n--;
    while (n && s[n - 1] == ' ')
        n--;
    if (n == 0 || n >= ORR_NODE_NAME)
        return false;
    memcpy(to, s, n);
    to[n] = '\0';
    return true;
}

/* Each way to read the text as "a SIGN b". */
static void read_by(struct orr_link_search *s, const char *text,
                    const char *sign)
{
    char a[ORR_NODE_NAME], b[ORR_NODE_NAME];
    for (const char *at = strstr(text, sign); at; at = strstr(at + 1, sign)) {
        const char *behind = at + strlen(sign);
        if (trim_piece(text, (size_t)(at - text), a)
            && trim_piece(behind, strlen(behind), b))
            s->between(s, a, b);
    }
}

void orr__link_search(struct orr_link_search *s, const char *text)
{
    int64_t id;
    s->found = 0;
    if (!orr__parse_int(text, &id)) {
        if (id >= 0 && (uint64_t)id < s->links)
            orr__link_found(s, (uint64_t)id);
        return;
    }
    read_by(s, text, " > ");
    read_by(s, text, " -> ");
    if (s->found)
        return;
    read_by(s, text, ">");
    read_by(s, text, "->");
    read_by(s, text, "-");
}

void orr__link_found(struct orr_link_search *s, uint64_t link)
{
    uint32_t shown = s->found < ORR_LINK_SHOWN ? s->found : ORR_LINK_SHOWN;
    for (uint32_t i = 0; i < shown; i++)
        if (s->link[i] == link)
            return;
    if (s->found < ORR_LINK_SHOWN)
        s->link[s->found] = link;
    s->found++;
}

bool orr__link_is_between(const char *name, const char *a, const char *b)
{
    static const char *const sign[] = {" > ", " -> "};
    size_t n = strlen(a);
    if (strncmp(name, a, n) != 0)
        return false;
    for (size_t i = 0; i < sizeof sign / sizeof *sign; i++) {
        size_t k = strlen(sign[i]);
        if (strncmp(name + n, sign[i], k) == 0 && strcmp(name + n + k, b) == 0)
            return true;
    }
    return false;
}

/* ---- of a graph ---------------------------------------------------------- */

static bool find_node(struct orr_link_search *s, const char *text, uint32_t *v)
{
    if (orr__node_parse(s->arg, text, v))
        return true;
    if (!*s->unknown)
        snprintf(s->unknown, sizeof s->unknown, "%s", text);
    return false;
}

static void between(struct orr_link_search *s, const char *a, const char *b)
{
    const struct orr_graph *g = s->arg;
    uint32_t from, to;
    if (!find_node(s, a, &from) || !find_node(s, b, &to))
        return;
    for (uint32_t i = g->out_off[from]; i < g->out_off[from + 1]; i++)
        if (g->to[g->out_link[i]] == to)
            orr__link_found(s, g->out_link[i]);
}

/* What is wrong with a name that is not that of one link. */
struct wrong {
    char message[800], hint[200];
};

/* Adds the links found to the message, ORR_LINK_SHOWN at most. */
static void list_links(const struct orr_graph *g,
                       const struct orr_link_search *s, struct wrong *w)
{
    char from[ORR_NODE_NAME], to[ORR_NODE_NAME];
    size_t n = strlen(w->message);
    for (uint32_t i = 0; i < s->found && i < ORR_LINK_SHOWN; i++) {
        uint32_t l = (uint32_t)s->link[i];
        n += (size_t)snprintf(w->message + n, sizeof w->message - n,
                              "%s %" PRIu32 " (%s > %s)", i ? "," : "", l,
                              orr__node_name(g, g->from[l], from, sizeof from),
                              orr__node_name(g, g->to[l], to, sizeof to));
    }
    if (s->found > ORR_LINK_SHOWN)
        snprintf(w->message + n, sizeof w->message - n, " and %" PRIu32 " more",
                 s->found - ORR_LINK_SHOWN);
    snprintf(w->hint, sizeof w->hint, "name it by its id");
}

/* Why a text names no link, or several: message and hint. */
static void explain(const struct orr_graph *g, const struct orr_link_search *s,
                    const char *what, const char *text, struct wrong *w)
{
    const char *near = *s->unknown ? orr__node_nearest(g, s->unknown) : NULL;
    int64_t id;
    if (s->found) {
        snprintf(w->message, sizeof w->message,
                 "%s: \"%.*s\" names %" PRIu32 " links:", what,
                 2 * ORR_NODE_NAME, text, s->found);
        list_links(g, s, w);
    } else if (!orr__parse_int(text, &id) && id >= 0 && id < g->links) {
        snprintf(w->message, sizeof w->message,
                 "%s: link %" PRId64 " does not exist: its cable is one-way",
                 what, id);
    } else if (!orr__parse_int(text, &id)) {
        snprintf(w->message, sizeof w->message,
                 "%s: there is no link %" PRId64 ": they are 0 to %" PRIu32,
                 what, id, g->links - 1);
    } else {
        snprintf(w->message, sizeof w->message, "%s: there is no link \"%.*s\"",
                 what, 2 * ORR_NODE_NAME, text);
        if (near)
            snprintf(w->hint, sizeof w->hint, "did you mean \"%s\"?", near);
        else
            snprintf(w->hint, sizeof w->hint,
                     "a link is an id or a name as in \"host 0 > host 1\"; "
                     "`orrery topo CONFIG --links` prints all");
    }
}

/* *link is set only if the text names one link that exists; else *w says why
 * not. The second direction of a simplex cable has an id but does not exist. */
static bool find_link(const struct orr_graph *g, const char *what,
                      const char *text, uint32_t *link, struct wrong *w)
{
    struct orr_link_search s = {between, g, .links = g->links};
    *w = (struct wrong){.message = ""};
    orr__link_search(&s, text);
    if (s.found == 1 && orr__link_absent(g, (uint32_t)s.link[0]))
        s.found = 0;
    if (s.found == 1)
        *link = (uint32_t)s.link[0];
    else
        explain(g, &s, what, text, w);
    return s.found == 1;
}

orr_err orr__link_find(const struct orr_graph *g, const char *what,
                       const char *text, uint32_t *link, struct orr_report *why)
{
    struct wrong w;
    if (find_link(g, what, text, link, &w))
        return ORR_OK;
    orr_err err = orr__fail(why, ORR_ECONFIG, "%s", w.message);
    if (*w.hint)
        orr__hint(why, "%s", w.hint);
    return err;
}

orr_err orr__link_read(const struct orr_graph *g, struct orr_config *c,
                       const struct orr_yaml *at, const char *what,
                       uint32_t *link, struct orr_report *why)
{
    const char *text = orr__yaml_text(c, at);
    struct wrong w;
    if (!text)
        return orr__yaml_fail(c, at, why, "%s: a link is expected here", what);
    if (find_link(g, what, text, link, &w))
        return ORR_OK;
    orr_err err = orr__yaml_fail(c, at, why, "%s", w.message);
    if (*w.hint)
        orr__hint(why, "%s", w.hint);
    return err;
}
