/* libxml2, loaded when the first GraphML file is read. With Unicode's tables it
 * takes longer to load than all else that the command needs. These are the
 * functions that igraph calls, under their own names; each calls the one in the
 * library. The Makefile links this into a command that has igraph in itself,
 * and nowhere else. Without the library there is no parser, and igraph says so.
 */
#include <dlfcn.h>
#include <libxml/entities.h>
#include <libxml/globals.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xmlerror.h>
#include <libxml/xmlstring.h>
#include <pthread.h>
#include <stdbool.h>

/* X(name): all of them but xmlFree, which is a variable. */
#define NAMES(X)                                                               \
    X(__xmlGenericError)                                                       \
    X(__xmlGenericErrorContext)                                                \
    X(__xmlStructuredError)                                                    \
    X(__xmlStructuredErrorContext)                                             \
    X(xmlCreatePushParserCtxt)                                                 \
    X(xmlCtxtUseOptions)                                                       \
    X(xmlFreeDoc)                                                              \
    X(xmlFreeParserCtxt)                                                       \
    X(xmlGetPredefinedEntity)                                                  \
    X(xmlInitParser)                                                           \
    X(xmlParseChunk)                                                           \
    X(xmlSetGenericErrorFunc)                                                  \
    X(xmlSetStructuredErrorFunc)                                               \
    X(xmlStrEqual)                                                             \
    X(xmlStrncmp)                                                              \
    X(xmlStrndup)

#ifndef ORR_LIBXML2 /* for who only reads this: the Makefile knows the name */
#define ORR_LIBXML2 "libxml2.so"
#endif

/* Written once, by `load_library`; the library stays until the command ends. */
static struct {
    bool there;
    xmlFreeFunc *free;
#define MEMBER(name) __typeof__(name) *name;
    NAMES(MEMBER)
} real;

/* Sets `real`; not there if the library, or one of the names, is not. */
static void load_library(void)
{
    void *library = dlopen(ORR_LIBXML2, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    real.free = dlsym(library, "xmlFree");
    real.there = real.free != NULL;
#define FIND(name)                                                             \
    *(void **)&real.name = dlsym(library, #name);                              \
    real.there = real.there && real.name;
    NAMES(FIND)
}

static bool is_loaded(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, load_library);
    return real.there;
}

/* What igraph gets from xmlStrndup, and nothing else. */
static void free_text(void *p)
{
    if (is_loaded())
        (*real.free)(p);
}
xmlFreeFunc xmlFree = free_text;

/* Where the library keeps how errors are told; igraph reads and restores it. */
xmlGenericErrorFunc *__xmlGenericError(void)
{
    static xmlGenericErrorFunc none;
    return is_loaded() ? real.__xmlGenericError() : &none;
}

void **__xmlGenericErrorContext(void)
{
    static void *none;
    return is_loaded() ? real.__xmlGenericErrorContext() : &none;
}

xmlStructuredErrorFunc *__xmlStructuredError(void)
{
    static xmlStructuredErrorFunc none;
    return is_loaded() ? real.__xmlStructuredError() : &none;
}

void **__xmlStructuredErrorContext(void)
{
    static void *none;
    return is_loaded() ? real.__xmlStructuredErrorContext() : &none;
}

void xmlInitParser(void)
{
    if (is_loaded())
        real.xmlInitParser();
}

void xmlSetGenericErrorFunc(void *context, xmlGenericErrorFunc f)
{
    if (is_loaded())
        real.xmlSetGenericErrorFunc(context, f);
}

void xmlSetStructuredErrorFunc(void *context, xmlStructuredErrorFunc f)
{
    if (is_loaded())
        real.xmlSetStructuredErrorFunc(context, f);
}

xmlParserCtxtPtr xmlCreatePushParserCtxt(xmlSAXHandlerPtr sax, void *user,
                                         const char *chunk, int size,
                                         const char *file)
{
    if (!is_loaded())
        return NULL;
    return real.xmlCreatePushParserCtxt(sax, user, chunk, size, file);
}

/* From here on there is a parser, so the library is there. */

int xmlCtxtUseOptions(xmlParserCtxtPtr parser, int options)
{
    return real.xmlCtxtUseOptions(parser, options);
}

int xmlParseChunk(xmlParserCtxtPtr parser, const char *chunk, int size, int end)
{
    return real.xmlParseChunk(parser, chunk, size, end);
}

void xmlFreeDoc(xmlDocPtr document)
{
    real.xmlFreeDoc(document);
}

void xmlFreeParserCtxt(xmlParserCtxtPtr parser)
{
    real.xmlFreeParserCtxt(parser);
}

xmlEntityPtr xmlGetPredefinedEntity(const xmlChar *name)
{
    return real.xmlGetPredefinedEntity(name);
}

int xmlStrEqual(const xmlChar *a, const xmlChar *b)
{
    return real.xmlStrEqual(a, b);
}

int xmlStrncmp(const xmlChar *a, const xmlChar *b, int length)
{
    return real.xmlStrncmp(a, b, length);
}

xmlChar *xmlStrndup(const xmlChar *text, int length)
{
    return real.xmlStrndup(text, length);
}
