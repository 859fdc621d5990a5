/* GraphML, read by igraph: topo/file/igraph_file.h. */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "topo/file/igraph_file.h"

/* Behind lines of comments, as some programs put before anything: XML knows no
 * such. How many lines those were. */
static int skip_comments(FILE *f)
{
    int lines = 0, c;
    for (;;) {
        long at = ftell(f);
        if ((c = getc(f)) != '#') {
            (void)fseek(f, at, SEEK_SET);
            return lines;
        }
        while (c != '\n' && c != EOF)
            c = getc(f);
        lines++;
    }
}

/* The name of the outermost element, as far as the first bytes tell: behind a
 * declaration and comments; "" if none begins there. */
static void find_outermost(FILE *f, char *name, size_t size)
{
    char text[4096];
    long start = ftell(f);
    size_t n = fread(text, 1, sizeof text - 1, f);
    (void)fseek(f, start, SEEK_SET);
    text[n] = '\0';
    const char *at = strchr(text, '<');
    while (at && (at[1] == '?' || at[1] == '!')) {
        const char *end = strstr(at, strncmp(at, "<!--", 4) ? ">" : "-->");
        at = end ? strchr(end, '<') : NULL;
    }
    n = at ? strcspn(at + 1, " \t\r\n/>") : 0;
    n = n < size ? n : size - 1;
    memcpy(name, at ? at + 1 : "", n);
    name[n] = '\0';
}

/* Is the next thing in it, from where it is, what XML begins with? It stays
 * where it is. */
static bool is_xml(FILE *f)
{
    long start = ftell(f);
    int c = getc(f);
    while (isspace(c) || c == 0xef || c == 0xbb || c == 0xbf) /* UTF-8's mark */
        c = getc(f);
    (void)fseek(f, start, SEEK_SET);
    return c == '<';
}

/* It is XML, and igraph found no graph in it. */
static orr_err no_graph(const struct orr_sketch *s, const char *outermost,
                        struct orr_report *why)
{
    if (outermost[0] == '\0' || strcmp(outermost, "graphml") == 0)
        return orr__sketch_fail(s, why, "there is no <graph> in it");
    orr_err err =
        orr__sketch_fail(s, why,
                         "this is no GraphML: it begins with <%s>, not "
                         "with <graphml>",
                         outermost);
    if (strcmp(outermost, "system") == 0)
        orr__hint(why, "<system> is how NCCL writes the topology of a server; "
                       "no format here reads it as a network");
    return err;
}

/* Comments before the XML are skipped, and their lines added to the line in
 * libxml2's message. A file without a graph is told from a wrong one by its
 * outermost element. */
static orr_err read_graph(const struct orr_sketch *s, igraph_t *g,
                          struct orr_report *why)
{
    static const char prefix[] = "reading: igraph: ";
    struct orr_report reason = {.code = ORR_OK};
    char outermost[64];
    FILE *f;
    orr_err err = orr__igraph_open(s, &f, why);
    if (err)
        return err;
    int skipped = skip_comments(f), line = 0, used = 0;
    find_outermost(f, outermost, sizeof outermost);
    bool xml = is_xml(f);
    errno = 0;
    err = orr__igraph(&reason, igraph_read_graph_graphml(g, f, 0), "reading");
    /* libxml2 tells of it as of a wrong file */
    bool no_memory = err && errno == ENOMEM;
    fclose(f);
    if (err == ORR_ENOMEM || no_memory)
        return orr__no_memory(why);
    if (err == ORR_OK)
        return ORR_OK;
    const char *text = reason.message;
    if (strncmp(text, prefix, sizeof prefix - 1) == 0)
        text += sizeof prefix - 1;
    if (strncmp(text, "Graph index", 11) == 0)
        return no_graph(s, outermost, why);
    if (!xml) {
        err = orr__sketch_fail(s, why, "this is no GraphML: it is no XML");
        orr__hint(why, "topology.format says what else it is (`orrery list "
                       "formats`)");
        return err;
    }
    if (skipped && sscanf(text, "Line %d: %n", &line, &used) == 1 && used)
        err = orr__sketch_fail(s, why, "Line %d: %s", line + skipped,
                               text + used);
    else
        err = orr__sketch_fail(s, why, "%s", text);
    if (strncmp(text, "Line ", 5) == 0) /* libxml2's */
        orr__hint(why, "a GraphML file was expected");
    return err;
}

static orr_err read_graphml(struct orr_sketch *s, struct orr_report *why)
{
    return orr__igraph_file(s, "edgedefault=\"undirected\"", read_graph, why);
}

extern const struct orr_topology_format_ops orr__topology_format_graphml;
const struct orr_topology_format_ops orr__topology_format_graphml = {
    .name = "graphml",
    .doc = "GraphML; edges: rate (or LinkSpeedRaw), delay, loss, tier, "
           "simplex; "
           "vertices: type (host, switch), forward, server, level, x, y, z, "
           "Latitude, Longitude.",
    .open = true,
    .read = read_graphml,
};
