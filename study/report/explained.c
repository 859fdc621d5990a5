/* What `orrery explain --json` found out about one of the runs. */
#include "study/report/report.h"

#include <errno.h>
#include <string.h>

#include "core/json_read.h"
#include "core/memory.h"
#include "core/read.h"
#include "study/report/view.h"

static orr_err refuse(const char *name, const char *what,
                      struct orr_report *why)
{
    return orr__fail_at(why, ORR_ECONFIG, name, 0, 0, "%s", what);
}

/* Of each subject all but the path and the parts, which are long. */
static orr_err shorten(json_t *list, json_t *to, struct orr_report *why)
{
    size_t i;
    json_t *one;
    json_array_foreach(list, i, one)
    {
        json_object_del(one, "path");
        json_object_del(one, "parts");
    }
    return orr__view_put(to, "subjects", json_incref(list), why);
}

/* To the run of the same fingerprint; ORR_ECONFIG: there is none, or this is no
 * explanation. */
static orr_err attach(const char *name, json_t *all, json_t *runs,
                      struct orr_report *why)
{
    json_t *list = json_object_get(all, "explained");
    json_t *blame = json_object_get(all, "blame"), *run;
    const char *of = json_string_value(json_object_get(all, "fingerprint"));
    size_t i;
    if (!json_is_array(list) || !json_is_array(blame) || !of)
        return refuse(name, "this is not what `orrery explain --json` writes",
                      why);
    json_array_foreach(runs, i, run)
    {
        const char *is = json_string_value(json_object_get(run, "fingerprint"));
        json_t *view;
        orr_err err;
        if (!is || strcmp(is, of) != 0)
            continue;
        view = json_object();
        err = orr__view_put(view, "blame", json_incref(blame), why);
        if (!err)
            err = shorten(list, view, why);
        if (err) {
            json_decref(view);
            return err;
        }
        return orr__view_put(run, "explained", view, why);
    }
    return refuse(name, "it explains a run of another fingerprint", why);
}

orr_err orr__view_explained(const char *name, json_t *runs,
                            struct orr_report *why)
{
    struct orr_json_text json = {.name = name};
    char *text;
    json_t *all = NULL;
    int wrong = orr__read_file(name, SIZE_MAX / 2, ORR_READ_REGULAR, &text,
                               &json.length);
    if (wrong == ENOMEM)
        return orr__no_memory(why);
    if (wrong)
        return refuse(name, strerror(wrong), why);
    json.text = text;
    orr_err err = orr__json_read(&json, 0, JSON_OBJECT,
                                 "this is not what `orrery explain --json` "
                                 "writes",
                                 &all, why);
    orr__free(text);
    if (err)
        return err;
    err = attach(name, all, runs, why);
    json_decref(all);
    return err;
}
