/* Configurations without what is refused in them: the key or the item that a
 * refusal names is taken out, and so on with what is said of the rest. So keys
 * that are drawn one by one need no rules about one another, and a new one none
 * at all. */
#include <stdlib.h>
#include <string.h>

#include "core/config/config.h"
#include "study/run/entry.h"
#include "tests/attack/draw.h"
#include "tests/attack/guard.h"
#include "tests/attack/trial.h"

#define NAME "attack.yaml"
enum { MOST_MENDS = 12 };

/* The entry at a place of the text: in which map or list, and where there. */
struct entry {
    json_t *in;
    char key[64]; /* of a map */
    size_t at;    /* of a list */
};

struct search {
    struct orr_config *c;
    int line, column;
    struct entry found;
};

static bool is_there(const struct search *s, const struct orr_yaml *n)
{
    struct orr_report place = {0};

    (void)orr__yaml_fail(s->c, n, &place, "here");
    return place.line == s->line && place.col == s->column;
}

/* The tree has the text's shape. Inner entries count before outer ones. */
static bool find(struct search *s, const struct orr_yaml *n, json_t *tree)
{
    bool map = orr__yaml_is_map(n);
    size_t count = map || orr__yaml_is_list(n) ? orr__yaml_count(n) : 0;

    for (size_t i = 0; i < count; i++) {
        const struct orr_yaml *v =
            map ? orr__yaml_value(n, i) : orr__yaml_item(n, i);
        const char *key = map ? orr__yaml_text(s->c, orr__yaml_key(n, i)) : "";
        json_t *inner =
            map ? json_object_get(tree, key) : json_array_get(tree, i);

        if (find(s, v, inner))
            return true;
        if (!is_there(s, v) && !(map && is_there(s, orr__yaml_key(n, i))))
            continue;
        s->found = (struct entry){.in = tree, .at = i};
        snprintf(s->found.key, sizeof s->found.key, "%s", key);
        return true;
    }
    return false;
}

/* What asks for another kind of network than the rest does. */
static bool take_network(json_t *config)
{
    static const char *const keys[] = {"transport", "preset", "as", "switching",
                                       "processes"};
    json_t *network = json_object_get(config, "network");

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (json_object_del(network, keys[i]) == 0)
            return true;
    return false;
}

static bool take_out(json_t *config, const struct entry *e)
{
    if (e->in == config
        && (!strcmp(e->key, "topology") || !strcmp(e->key, "network")))
        return take_network(config);
    if (json_is_array(e->in))
        return json_array_remove(e->in, e->at) == 0;
    return json_object_del(e->in, e->key) == 0;
}

static bool mend_at(json_t *config, const char *text,
                    const struct orr_report *why)
{
    struct orr_report none = {0};
    struct search s = {.line = why->line, .column = why->col};
    bool found;

    if (strcmp(why->file, NAME)) /* a preset's, or a sample's */
        return take_network(config);
    if (orr__config_parse(NAME, text, strlen(text), &s.c, &none) != ORR_OK)
        return false;
    found = find(&s, orr__config_root(s.c), config);
    orr__config_free(s.c);
    return found && take_out(config, &s.found);
}

void orr__mend(json_t *config)
{
    struct orr_options options = {.no_output = true};

    for (int i = 0; i < MOST_MENDS; i++) {
        char *text = orr__yaml_of(config);
        struct orr_report why = {0};
        orr_experiment *x = NULL;
        bool again;

        orr__guard_draft(text);
        again = text
                && orr__experiment_load_text(NAME, text, &options, &x, &why)
                && why.code == ORR_ECONFIG && mend_at(config, text, &why);
        orr_experiment_free(x);
        orr__guard_draft(NULL);
        free(text);
        if (!again)
            return;
    }
}
