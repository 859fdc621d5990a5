/* From the public contract of a congestion control to ours. The two are apart,
 * so that ours may change and the public one stays: each call copies. */
#include "net/cc/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/assert.h"
#include "core/memory.h"
#include "orrery/cc.h"

/* What objects that exist were compiled with: a change is a new ORR_CC_ABI. */
_Static_assert(ORR_CC_ABI == 1, "the sizes below are those of 1");
_Static_assert(sizeof(void *) != 8
                   || (sizeof(struct orr_cc_plugin) == 128
                       && sizeof(struct orr_cc_event) == 72
                       && sizeof(struct orr_cc_start) == 40
                       && sizeof(struct orr_cc_limits) == 24
                       && sizeof(struct orr_cc_hop_seen) == 32
                       && sizeof(struct orr_cc_param) == 56),
               "the layout of ABI 1");
_Static_assert(sizeof(struct orr_cc_hop) == sizeof(struct orr_cc_hop_seen),
               "hops are copied as they are");

/* Params and state begin with a pointer to the plug-in; its own follow, aligned
 * for any type. */
#define HEAD        16
#define MOST_PARAMS 256
#define MOST_BYTES  ((size_t)1 << 20) /* of params, and of a state */

/* Objects that one document loaded; kept by it, and closed with it. */
struct plugins {
    size_t n;
    struct {
        void *object; /* of dlopen */
        struct orr_cc_ops ops;
    } one[ORR_CC_MOST_PLUGINS];
};
static const char key_of_plugins;

/* ---- calls ---- */

static const struct orr_cc_plugin *plugin_of(const void *head)
{
    return *(const struct orr_cc_plugin *const *)head;
}

static void *own_state(void *head)
{
    return (char *)head + HEAD;
}

static const void *own_const(const void *head)
{
    return (const char *)head + HEAD;
}

static struct orr_cc_limits limits_of(const struct orr_cc_window *w)
{
    return (struct orr_cc_limits){w->cwnd, w->rate, w->gain};
}

/* What is no number fails every comparison. */
static void take_limits(struct orr_cc_window *w, const struct orr_cc_limits *l)
{
    w->cwnd = l->cwnd >= 1 ? l->cwnd : 1;
    if (w->cwnd > ORR_CC_UNLIMITED)
        w->cwnd = ORR_CC_UNLIMITED;
    w->rate = l->rate > 0 ? l->rate : 0;
    if (w->rate > 0 && w->rate < 1)
        w->rate = 1;
}

static orr_err check_params(struct orr_config *c, const struct orr_yaml *at,
                            void *p, struct orr_report *why)
{
    const char *sentence = plugin_of(p)->check(own_state(p));

    if (!sentence)
        return ORR_OK;
    return orr__yaml_fail(c, at, why, "%s: %s", plugin_of(p)->name, sentence);
}

static int64_t cnp_interval(const void *p)
{
    int64_t ps = plugin_of(p)->cnp_interval(own_const(p));

    return ps > 0 ? ps : 0;
}

/* The object's state begins behind a pointer to it (HEAD), because `estimate`
 * is given the state alone. */
static void init(void *state, const void *p, struct orr_cc_window *w,
                 const struct orr_cc_path *path)
{
    const struct orr_cc_plugin *plugin = plugin_of(p);
    struct orr_cc_limits l = limits_of(w);
    const struct orr_cc_start s = {
        .now_ps = path->now_ps,
        .base_rtt_ps = path->base_rtt_ps,
        .line_bps = path->line_bps,
        .packet_bytes = path->packet_bytes,
        .payload_bytes = path->payload_bytes,
        .hops = path->hops,
        .trims = path->trims,
        .goes_back = path->goes_back,
    };

    memcpy(state, &plugin, sizeof plugin); /* for estimate */
    if (!plugin->init)
        return;
    plugin->init(own_state(state), own_const(p), &l, &s);
    take_limits(w, &l);
}

static void on_send(void *state, const void *p, struct orr_cc_window *w,
                    int64_t now_ps, uint32_t bytes)
{
    struct orr_cc_limits l = limits_of(w);

    plugin_of(p)->on_send(own_state(state), own_const(p), &l, now_ps, bytes);
    take_limits(w, &l);
}

static void on_cnp(void *state, const void *p, struct orr_cc_window *w,
                   int64_t now_ps)
{
    struct orr_cc_limits l = limits_of(w);

    plugin_of(p)->on_cnp(own_state(state), own_const(p), &l, now_ps);
    take_limits(w, &l);
}

typedef void event_call(void *state, const void *params,
                        struct orr_cc_limits *w, const struct orr_cc_event *e);

/* Calls one of the plug-in's functions with a copy of the event, and takes over
 * the limits that it set. */
static void call_plugin(event_call *call, void *state, const void *p,
                        struct orr_cc_window *w, const struct orr_cc_ack *a)
{
    struct orr_cc_limits l = limits_of(w);
    struct orr_cc_hop_seen hop[ORR_CC_MOST_HOPS];
    struct orr_cc_event e = {
        .now_ps = a->now_ps,
        .rtt_ps = a->rtt_ps,
        .sent = a->sent,
        .acked = a->acked,
        .delivered = a->delivered,
        .una = a->una,
        .next = a->next,
        .in_flight = a->in_flight,
        .peak = a->peak,
        .timeouts = a->timeouts,
        .echo = a->echo,
        .recovering = a->recovering,
        .lost = a->lost,
        .trimmed = a->trimmed,
    };

    if (a->telemetry) {
        e.hops = a->telemetry->hops;
        e.path = a->telemetry->path;
        memcpy(hop, a->telemetry->hop, e.hops * sizeof *hop);
        e.hop = hop;
    }
    call(own_state(state), own_const(p), &l, &e);
    take_limits(w, &l);
}

static void on_ack(void *state, const void *p, struct orr_cc_window *w,
                   const struct orr_cc_ack *a)
{
    call_plugin(plugin_of(p)->on_ack, state, p, w, a);
}

static void on_loss(void *state, const void *p, struct orr_cc_window *w,
                    const struct orr_cc_ack *a)
{
    call_plugin(plugin_of(p)->on_loss, state, p, w, a);
}

static void on_timeout(void *state, const void *p, struct orr_cc_window *w,
                       const struct orr_cc_ack *a)
{
    call_plugin(plugin_of(p)->on_timeout, state, p, w, a);
}

static double estimate(const void *state)
{
    return plugin_of(state)->estimate(own_const(state));
}

/* Our ops for a plug-in. What it leaves out is NULL here too, except for the
 * three that it must have. */
static struct orr_cc_ops make_ops(const struct orr_cc_plugin *p,
                                  const struct orr_param *params)
{
    return (struct orr_cc_ops){
        .name = p->name,
        .doc = p->doc,
        .plugin = p,
        .state_size = HEAD + p->state_size,
        .params_size = HEAD + p->params_size,
        .params = params,
        .telemetry = p->telemetry,
        .check = p->check ? check_params : NULL,
        .cnp_interval = p->cnp_interval ? cnp_interval : NULL,
        .init = init,
        .on_send = p->on_send ? on_send : NULL,
        .on_ack = on_ack,
        .on_loss = on_loss,
        .on_timeout = on_timeout,
        .on_cnp = p->on_cnp ? on_cnp : NULL,
        .estimate = p->estimate ? estimate : NULL,
    };
}

/* ---- what an object says of itself ---- */

/* Where messages about one object point. */
struct loading {
    struct orr_config *c;
    const struct orr_yaml *at; /* where the object is named */
    const char *text;          /* as the user wrote it */
    struct orr_report *why;
};

#define FAIL(l, ...) orr__yaml_fail((l)->c, (l)->at, (l)->why, __VA_ARGS__)

static bool is_word(const char *s, const char *more)
{
    size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_");

    while (s[n] && strchr(more, s[n]))
        n++, n += strspn(s + n, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n > 0 && n <= 40 && !s[n];
}

/* What is wrong with the i-th entry of its table, or NULL; fills out. */
static const char *param_fault(const struct orr_cc_plugin *p, size_t i,
                               struct orr_param *out)
{
    static const enum orr_param_type types[] = {
        [ORR_CC_BOOL] = ORR_PARAM_BOOL,     [ORR_CC_INT] = ORR_PARAM_INT,
        [ORR_CC_REAL] = ORR_PARAM_REAL,     [ORR_CC_TIME] = ORR_PARAM_TIME,
        [ORR_CC_SIZE] = ORR_PARAM_SIZE,     [ORR_CC_RATE] = ORR_PARAM_RATE,
        [ORR_CC_CHOICE] = ORR_PARAM_CHOICE,
    };
    const struct orr_cc_param *q = &p->params[i];
    size_t size;

    if (!is_word(q->key, "") || strcmp(q->key, "kind") == 0)
        return "a key has small letters, digits and _, and is not `kind`";
    for (size_t k = 0; k < i; k++)
        if (strcmp(p->params[k].key, q->key) == 0)
            return "there are two of it";
    if (q->type >= sizeof types / sizeof *types)
        return "its type is none of enum orr_cc_type";
    if (!q->help)
        return "its help is NULL";
    if (q->fallback && !q->fallback[0])
        return "its fallback is empty";
    *out = (struct orr_param){
        .key = q->key,
        .type = types[q->type],
        .offset = HEAD + q->offset,
        .fallback = q->fallback,
        .min = q->min,
        .max = q->max,
        .choices = q->choices,
        .help = q->help,
    };
    size = orr__param_size(out->type);
    if (q->offset > p->params_size || size > p->params_size - q->offset)
        return "its field lies outside of params_size";
    if (q->offset % size)
        return "its field is not aligned";
    return orr__param_fault(out);
}

/* A table of ours in the document's arena; its texts stay the plug-in's. At
 * most MOST_PARAMS, as a table without an end would be read beyond it. */
static orr_err convert_params(const struct loading *l,
                              const struct orr_cc_plugin *p,
                              const struct orr_param **out)
{
    struct orr_param *table;
    size_t n = 0;

    while (p->params && n <= MOST_PARAMS && p->params[n].key)
        n++;
    if (n > MOST_PARAMS)
        return FAIL(l, "%s: more than %d parameters, or no end to them",
                    l->text, MOST_PARAMS);
    table = orr__arena_alloc(orr__config_arena(l->c), n + 1, sizeof *table);
    if (!table)
        return orr__no_memory(l->why);
    for (size_t i = 0; i < n; i++) {
        const char *fault = param_fault(p, i, &table[i]);

        if (fault)
            return FAIL(l, "%s: parameter \"%s\": %s", l->text,
                        p->params[i].key, fault);
    }
    *out = table;
    return ORR_OK;
}

/* `bytes`: the size of the symbol in the object. ABI and size stand first in
 * every version of the contract, so they can be read before anything else is
 * believed. */
static orr_err check_layout(const struct loading *l,
                            const struct orr_cc_plugin *p, size_t bytes)
{
    orr_err err = ORR_OK;

    if (bytes < sizeof p->abi + sizeof p->size)
        return FAIL(l, "%s: its orr_cc_plugin is no struct orr_cc_plugin",
                    l->text);
    if (p->abi != ORR_CC_ABI)
        err = FAIL(l,
                   "%s: made for ABI %u of orrery/cc.h; this orrery has "
                   "ABI %d",
                   l->text, (unsigned)p->abi, ORR_CC_ABI);
    else if (p->size != sizeof *p || bytes < sizeof *p)
        err = FAIL(l,
                   "%s: its struct orr_cc_plugin has %u bytes; here it has "
                   "%zu",
                   l->text,
                   p->size != sizeof *p ? (unsigned)p->size : (unsigned)bytes,
                   sizeof *p);
    if (err)
        orr__hint(l->why, "compile it anew with the orrery/cc.h of this "
                          "orrery");
    return err;
}

/* The members that must be there, a name that fits into messages and keys, and
 * sizes that an allocation can have. */
static orr_err check_contents(const struct loading *l,
                              const struct orr_cc_plugin *p)
{
    const struct {
        const char *name;
        bool there;
    } needed[] = {
        {"name", p->name},
        {"doc", p->doc},
        {"on_ack", p->on_ack},
        {"on_loss", p->on_loss},
        {"on_timeout", p->on_timeout},
    };

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!needed[i].there)
            return FAIL(l, "%s: %s is NULL", l->text, needed[i].name);
    if (!is_word(p->name, "-"))
        return FAIL(l,
                    "%s: \"%s\" is no name: small letters, digits, _ and -, "
                    "at most 40",
                    l->text, p->name);
    if (p->state_size > MOST_BYTES || p->params_size > MOST_BYTES)
        return FAIL(l,
                    "%s: %zu bytes of state and %zu of parameters; at most "
                    "%zu each",
                    l->text, p->state_size, p->params_size, MOST_BYTES);
    return ORR_OK;
}

/* ORR_ECONFIG if a built-in control or an object loaded before has this
 * name. */
static orr_err check_name(const struct loading *l, const struct plugins *have,
                          const char *name)
{
    const struct orr_cc_ops *const *ours = orr__cc_kinds();
    bool taken = false;

    ORR_ASSERT(name != NULL); /* check_contents saw to it */
    for (size_t i = 0; ours[i]; i++)
        taken |= strcmp(ours[i]->name, name) == 0;
    for (size_t i = 0; i < have->n; i++)
        taken |= strcmp(have->one[i].ops.name, name) == 0;
    return taken ? FAIL(l, "%s: a congestion control \"%s\" exists already",
                        l->text, name)
                 : ORR_OK;
}

/* ---- loading ---- */

/* Where the object is; it has a slash, so that the loader does not search.
 * NULL: no memory. */
static const char *path_of(const struct loading *l)
{
    const char *folder = orr__config_folder(l->c);
    size_t size = strlen(folder) + strlen(l->text) + 2;
    char *path;

    if (l->text[0] == '/' || (strcmp(folder, ".") == 0 && strchr(l->text, '/')))
        return l->text;
    path = orr__arena_alloc(orr__config_arena(l->c), size, 1);
    if (path)
        snprintf(path, size, "%s/%s", folder, l->text);
    return path;
}

/* Dlopen, with the loader's message shortened by the path that it repeats. The
 * caller closes *out. */
static orr_err open_object(const struct loading *l, void **out)
{
    const char *path = path_of(l), *says, *dot;
    struct stat st;

    if (!path)
        return orr__no_memory(l->why);
    if (stat(path, &st) != 0)
        return FAIL(l, "cannot load %s: %s", l->text, strerror(errno));
    if (!S_ISREG(st.st_mode))
        return FAIL(l, "cannot load %s: it is no file", l->text);
    *out = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*out)
        return ORR_OK;
    says = dlerror();
    if (!says)
        says = "the loader does not say why";
    dot = strncmp(says, path, strlen(path)) == 0 ? says + strlen(path) : says;
    return FAIL(l, "cannot load %s: %s", l->text,
                strncmp(dot, ": ", 2) == 0 ? dot + 2 : says);
}

/* bytes: that the object has for it; 0: it is no data at all. */
static const struct orr_cc_plugin *symbol_of(void *object, size_t *bytes)
{
    void *at = dlsym(object, "orr_cc_plugin"), *more = NULL;
    const ElfW(Sym) * symbol;
    Dl_info info;

    *bytes = 0;
    if (at && dladdr1(at, &info, &more, RTLD_DL_SYMENT) && more) {
        symbol = more;
        if ((symbol->st_info & 0xf) == STT_OBJECT && info.dli_saddr == at)
            *bytes = symbol->st_size;
    }
    return at;
}

/* All checks, then the control joins `into`, which closes the object from then
 * on. On an error it is still the caller's. */
static orr_err take_object(const struct loading *l, struct plugins *into,
                           void *object)
{
    size_t bytes;
    const struct orr_cc_plugin *p = symbol_of(object, &bytes);
    const struct orr_param *params = NULL;
    orr_err err;

    if (!p) {
        FAIL(l, "%s: it has no symbol orr_cc_plugin", l->text);
        orr__hint(l->why, "orrery/cc.h says what a plug-in exports");
        return ORR_ECONFIG;
    }
    err = check_layout(l, p, bytes);
    if (err == ORR_OK)
        err = check_contents(l, p);
    if (err == ORR_OK)
        err = check_name(l, into, p->name);
    if (err == ORR_OK)
        err = convert_params(l, p, &params);
    if (err == ORR_OK) {
        into->one[into->n].object = object;
        into->one[into->n++].ops = make_ops(p, params);
    }
    return err;
}

static void close_all(void *what)
{
    struct plugins *all = what;

    while (all->n > 0)
        dlclose(all->one[--all->n].object);
}

/* One entry of `plugins`. */
static orr_err load_object(const struct loading *l, struct plugins *into)
{
    void *object = NULL;
    orr_err err = open_object(l, &object);

    if (err != ORR_OK)
        return err;
    ORR_ASSERT(object != NULL);
    err = take_object(l, into, object);
    if (err != ORR_OK)
        dlclose(object);
    return err;
}

orr_err orr__cc_plugins_read(struct orr_config *c, const struct orr_yaml *list,
                             struct orr_report *why)
{
    struct loading l = {.c = c, .why = why};
    struct plugins *all;
    size_t n = orr__yaml_count(list);
    orr_err err;

    if (!list)
        return ORR_OK;
    if (!orr__yaml_is_list(list))
        return orr__yaml_fail(c, list, why,
                              "plugins: a list of paths is "
                              "expected here, like [./mycc.so]");
    if (n > ORR_CC_MOST_PLUGINS)
        return orr__yaml_fail(c, list, why, "plugins: %zu are more than %d", n,
                              ORR_CC_MOST_PLUGINS);
    all = orr__arena_alloc(orr__config_arena(c), 1, sizeof *all);
    if (!all)
        return orr__no_memory(why);
    err = orr__config_keep(c, &key_of_plugins, all, close_all, why);
    for (size_t i = 0; i < n && err == ORR_OK; i++) {
        l.at = orr__yaml_item(list, i);
        l.text = orr__yaml_text(c, l.at);
        err = l.text && l.text[0] && !orr__yaml_is_null(l.at)
                  ? load_object(&l, all)
                  : FAIL(&l, "plugins: the path of a shared object is expected "
                             "here");
    }
    return err;
}

const struct orr_cc_ops *orr__cc_plugged(const struct orr_config *c, size_t i)
{
    const struct plugins *all = orr__config_kept(c, &key_of_plugins);

    return all && i < all->n ? &all->one[i].ops : NULL;
}

/* ---- the command line ---- */

/* plugins[index]='path', absolute; NULL: no memory. */
static char *assignment(size_t index, const char *path)
{
    char folder[4096] = "";
    size_t n = 0, room;
    char *text;

    if (path[0] != '/' && !getcwd(folder, sizeof folder))
        snprintf(folder, sizeof folder, ".");
    room = strlen(folder) + 2 * strlen(path) + 40;
    text = orr__alloc(room, 1);
    if (!text)
        return NULL;
    n = (size_t)snprintf(text, room, "plugins[%zu]='", index);
    for (int part = 0; part < 2; part++) {
        for (const char *s = part ? path : folder; *s; s++) {
            text[n++] = *s;
            if (*s == '\'')
                text[n++] = *s;
        }
        if (part == 0 && folder[0])
            text[n++] = '/';
    }
    text[n] = '\'';
    return text;
}

orr_err orr__cc_plugins_add(struct orr_config *c, const char *const *paths,
                            size_t n, struct orr_report *why)
{
    size_t have =
        orr__yaml_count(orr__yaml_get(orr__config_root(c), "plugins"));
    orr_err err = ORR_OK;

    for (size_t i = 0; i < n && err == ORR_OK; i++) {
        char *text = assignment(have + i, paths[i]);
        char *name = orr__format("--plugin %s", paths[i]);

        err = text && name ? orr__config_set_named(c, text, name, why)
                           : orr__no_memory(why);
        orr__free(name);
        orr__free(text);
    }
    return err;
}
