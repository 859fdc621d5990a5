/* An entry of `flows` with a file. */
#include "workload/flow/file/flow_file.h"

#include <string.h>

#include "core/config/family.h"
#include "core/memory.h"
#include "core/units.h"
#include "topo/node_names.h"
#include "workload/flow/file/list.h"

/* The keys of an entry with a file. */
struct params {
    const char *file;
    int format, unit;
    int64_t start, origin;
};

static const char *const names[] = {ORR_FLOW_FORMAT_LIST(ORR_FAMILY_NAME) NULL};

ORR_FAMILY(orr__flow_formats, ORR_FLOW_FORMAT_LIST, struct orr_flow_format_ops,
           orr__flow_format_)

static const char *const units[] = {"auto", "ps", "ns", "us", "ms", "s", NULL};

static const struct orr_param params[] = {
    {"file", ORR_PARAM_TEXT, offsetof(struct params, file), NULL, NULL, NULL,
     NULL, "the file's name, relative to the configuration"},
    {"format", ORR_PARAM_CHOICE, offsetof(struct params, format), "list", NULL,
     NULL, names, "what it is: `orrery list flow-formats`"},
    {"start", ORR_PARAM_TIME, offsetof(struct params, start), "0s", NULL, NULL,
     NULL, "added to the start of each flow"},
    {"origin", ORR_PARAM_TIME, offsetof(struct params, origin), "0s", NULL,
     NULL, NULL, "time of the file that is 0 here: 2s for HPCC's generator"},
    {"unit", ORR_PARAM_CHOICE, offsetof(struct params, unit), "auto", NULL,
     NULL, units,
     "what a start without a unit counts: auto is s for hpcc, "
     "ps for htsim"},
    ORR_PARAM_END,
};

const struct orr_param *orr__flow_file_params(void)
{
    return params;
}

/* ---- the entry --------------------------------------------------------- */

/* Relative to the configuration; a file that cannot be opened is reported at
 * the key. */
static orr_err open_file(struct orr_flow_reader *r, const char *file,
                         const struct orr_yaml *entry, struct orr_report *why)
{
    struct orr_config *c = r->list->world->config;
    struct orr_report reason = {.code = ORR_OK};
    const char *folder = orr__config_folder(c);
    char *path = file[0] == '/' || strcmp(folder, ".") == 0
                     ? orr__strdup(file)
                     : orr__format("%s/%s", folder, file);
    if (!path)
        return orr__no_memory(why);
    orr_err err = orr__scan_open(&r->scan, path, path, &reason);
    r->scan.why = why;
    orr__free(path);
    if (err == ORR_ECONFIG && !reason.line)
        return orr__yaml_fail(c, orr__yaml_get(entry, "file"), why, "%s",
                              reason.message);
    if (err != ORR_OK && why && why->code == ORR_OK)
        *why = reason;
    return err;
}

orr_err orr__flows_file(struct orr_flow_list *l, const struct orr_yaml *entry,
                        struct orr_report *why)
{
    struct orr_flow_reader r = {.list = l, .service = {.weight = 1}};
    struct orr_flow_window_keys window = {NULL, NULL};
    struct params p;
    struct orr_param_set sets[] = {
        {params, &p},
        {orr__service_keys, &r.service, l->world->net_config},
        {orr__flow_window_params(), &window},
    };
    uint32_t from = l->count;
    orr_err err =
        orr__param_read(l->world->config, entry, "flows", sets, 3, why);
    if (err == ORR_OK)
        err = orr__flow_list_serve(l, &r.service, why);
    if (err == ORR_OK)
        err = open_file(&r, p.file, entry, why);
    if (err != ORR_OK)
        return err;
    r.start = p.start;
    r.origin = p.origin;
    r.unit = p.unit ? units[p.unit] : NULL;
    r.fixed_class = orr__yaml_get(entry, "class") != NULL;
    err = orr__flow_formats()[p.format]->read(&r);
    orr__scan_fini(&r.scan);
    return err ? err : orr__flow_window_apply(l, from, &window, entry, why);
}
