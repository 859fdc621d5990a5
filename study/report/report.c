#include "study/report/report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/escape.h"
#include "core/memory.h"
#include "formats/trace.h"
#include "study/report/page.h"
#include "study/report/view.h"

/* ---- the data ----------------------------------------------------------- */

/* All parts of a run, each into its keys. */
static orr_err view_run(struct orr_reader *r, json_t *to,
                        struct orr_report *why)
{
    static orr_err (*const part[])(struct orr_reader *, json_t *,
                                   struct orr_report *) = {
        orr__view_about,   orr__view_topology, orr__view_links,
        orr__view_split,   orr__view_jobs,     orr__view_gantt,
        orr__view_flows,   orr__view_samples,  orr__view_circles,
        orr__view_cluster, orr__view_adders,
    };
    orr_err err = ORR_OK;
    for (size_t i = 0; i < sizeof part / sizeof *part && !err; i++)
        err = part[i](r, to, why);
    return err;
}

/* A run has a topology, a study a dimension of seeds. */
static orr_err view_file(const char *name, json_t *to, struct orr_report *why)
{
    struct orr_reader *r;
    orr_err err = orr__reader_open(name, &r, why);
    if (err)
        return err;
    bool run = orr__reader_has(r, "topology/node");
    bool known = run || orr__reader_has(r, "seed");
    err = orr__reader_sound(r, why);
    if (!err && !known)
        err = orr__fail(why, ORR_ECONFIG,
                        "%s holds neither a run nor a study "
                        "of orrery",
                        name);
    if (!err)
        err = orr__view_put(to, "file", orr__view_text(name), why);
    if (!err)
        err = orr__view_put(to, "run", json_boolean(run), why);
    if (!err)
        err = run ? view_run(r, to, why) : orr__view_study(r, to, why);
    if (!err)
        err = orr__reader_sound(r, why);
    orr__reader_close(r);
    return err;
}

/* A folder of a study stands for its study.h5. */
orr_err orr__view_named(const char *name, json_t *list, struct orr_report *why)
{
    struct stat s;
    char *inside = NULL;
    if (stat(name, &s) == 0 && S_ISDIR(s.st_mode)) {
        inside = orr__format("%s/study.h5", name);
        if (!inside)
            return orr__no_memory(why);
    }
    json_t *one = json_object();
    orr_err err =
        one ? view_file(inside ? inside : name, one, why) : orr__no_memory(why);
    orr__free(inside);
    if (json_array_append_new(list, one) != 0 && !err)
        err = orr__no_memory(why);
    return err;
}

/* ---- the page ----------------------------------------------------------- */

/* A piece of JSON, where a `<` cannot end the script that it stands in. */
static int add_json(const char *piece, size_t n, void *to)
{
    struct orr_text *page = to;
    orr__escape_script(page, piece, n);
    return page->failed ? -1 : 0;
}

/* ORR_ECONFIG: not installed, or it would end its own element. */
static orr_err add_library(struct orr_text *page, const char *folder,
                           const struct orr_page_library *l,
                           struct orr_report *why)
{
    char *path = orr__format("%s/%s", folder, l->file);
    char *text = NULL;
    size_t n = 0;
    if (!path)
        return orr__no_memory(why);
    struct orr_report reason = {.code = ORR_OK};
    orr_err err = orr__trace_slurp(path, &text, &n, &reason);
    if (err == ORR_ENOMEM)
        err = orr__no_memory(why);
    else if (err)
        err = orr__fail(
            why, ORR_ECONFIG,
            "%s is missing: the charts of the page need the package %s", path,
            l->package);
    if (!err && strstr(text, l->style ? "</style" : "</script"))
        err = orr__fail(why, ORR_ECONFIG, "%s cannot be put into a page", path);
    if (!err) {
        const char *tag = l->style ? "style" : "script";
        orr__text_add(page, "<%s>\n", tag);
        orr__text_piece(page, text, n);
        orr__text_add(page, "\n</%s>\n", tag);
    }
    orr__free(text);
    orr__free(path);
    return err;
}

/* The template, with libraries and data where it names them. */
static orr_err add_page(struct orr_text *page, const char *javascript,
                        const json_t *list, struct orr_report *why)
{
    static const char libraries[] = "<!-- libraries -->\n";
    static const char data[] = "<!-- data -->";
    const char *at = strstr(orr__page_html, libraries), *end;
    orr_err err = ORR_OK;
    orr__text_piece(page, orr__page_html, (size_t)(at - orr__page_html));
    for (const struct orr_page_library *l = orr__page_libraries;
         l->file && !err; l++)
        err = add_library(page, javascript, l, why);
    at += strlen(libraries);
    end = strstr(at, data);
    orr__text_add(page, "<style>\n%s</style>\n", orr__page_css);
    orr__text_piece(page, at, (size_t)(end - at));
    orr__text_add(page, "<script type=\"application/json\" id=\"data\">");
    if (json_dump_callback(list, add_json, page,
                           JSON_COMPACT | JSON_REAL_PRECISION(9))
            != 0
        && !err)
        err = orr__no_memory(why);
    orr__text_add(page, "</script>\n<script>\n");
    for (const char *const *part = orr__page_js; *part; part++)
        orr__text_piece(page, *part, strlen(*part));
    orr__text_add(page, "</script>");
    orr__text_add(page, "%s", end + strlen(data));
    return err;
}

/* The page shows means: what each run of a study says is left out. */
static void drop_runs(json_t *list)
{
    json_t *one, *m;
    size_t i, k;
    json_array_foreach(list, i, one)
    {
        json_array_foreach(json_object_get(one, "measures"), k, m)
        {
            json_object_del(m, "runs");
        }
    }
}

orr_err orr__report(const char *const *file, size_t files,
                    const char *explained, const char *javascript,
                    struct orr_text *page, struct orr_report *why)
{
    json_t *list = json_array();
    orr_err err = list ? ORR_OK : orr__no_memory(why);
    for (size_t i = 0; i < files && !err; i++)
        err = orr__view_named(file[i], list, why);
    drop_runs(list);
    if (!err && explained)
        err = orr__view_explained(explained, list, why);
    if (!err)
        err = add_page(page, javascript, list, why);
    json_decref(list);
    return err;
}
