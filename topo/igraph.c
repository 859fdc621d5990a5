#include "topo/igraph.h"

#include <stdio.h>
#include <string.h>

#include "core/memory.h"

/* igraph gives its reason to the handler only, and a handler gets no argument
 * of ours: the reason waits here for the orr__igraph that follows the failed
 * call in the same thread. */
static _Thread_local char last_reason[512];

static void keep_reason(const char *reason, const char *file, int line,
                        igraph_error_t status)
{
    /* The innermost function knows best: those that pass an error on give no
     * reason, or say what they were about. */
    if (reason && reason[0] && !last_reason[0])
        snprintf(last_reason, sizeof last_reason, "%s", reason);
    IGRAPH_FINALLY_FREE();
}

void orr__igraph_init(void)
{
    last_reason[0] = '\0';
    igraph_set_error_handler(keep_reason);
    igraph_set_warning_handler(igraph_warning_handler_ignore);
}

static orr_err code_of(igraph_error_t status)
{
    switch (status) {
    case IGRAPH_PARSEERROR: return ORR_ECONFIG;
    case IGRAPH_EFILE: return ORR_EIO;
    default: return ORR_EINTERNAL;
    }
}

orr_err orr__igraph(struct orr_report *why, igraph_error_t status,
                    const char *doing)
{
    char reason[sizeof last_reason];
    memcpy(reason, last_reason, sizeof reason);
    last_reason[0] = '\0';
    if (status == IGRAPH_SUCCESS)
        return ORR_OK;
    if (status == IGRAPH_ENOMEM)
        return orr__no_memory(why);
    orr__fail(why, code_of(status), "%s: igraph: %s", doing,
              reason[0] ? reason : igraph_strerror(status));
    return code_of(status);
}

orr_err orr__graph_room(uint64_t vertices, uint64_t edges,
                        struct orr_report *why)
{
    const uint64_t least = UINT64_C(1) << 20, each = 128; /* bytes */
    return orr__memory_spare(least + each * (vertices + edges))
               ? ORR_OK
               : orr__no_memory(why);
}
