#include "net/fabric/fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/memory.h"
#include "net/fabric/fabric.h"

bool orr__faults_init(struct orr_net *n)
{
    n->fault = orr__alloc_lines(n->workers, sizeof *n->fault);
    return n->fault != NULL;
}

void orr__faults_free(struct orr_net *n)
{
    orr__free(n->fault);
    n->fault = NULL;
}

void orr__fabric_out_of_memory(struct orr_net *n)
{
    orr__windows_fail(n->windows, ORR_ENOMEM);
}

static bool is_before(const struct orr_fault *f, int64_t at, uint32_t host)
{
    return f->code != ORR_OK
           && (f->at < at || (f->at == at && f->host <= host));
}

void orr__net_fail_at(struct orr_net *n, uint32_t host, int64_t now,
                      const char *fmt, ...)
{
    struct orr_fault *f = &n->fault[n->node[host].worker];
    va_list ap;

    orr__windows_fail(n->windows, ORR_ERUN);
    if (is_before(f, now, host))
        return;
    f->at = now;
    f->host = host;
    f->code = ORR_ERUN;
    va_start(ap, fmt);
    vsnprintf(f->text, sizeof f->text, fmt, ap);
    va_end(ap);
}

orr_err orr__faults_tell(const struct orr_net *n,
                         const struct orr_report *windows,
                         struct orr_report *why)
{
    const struct orr_fault *first = NULL;
    char at[32];

    for (unsigned w = 0; w < n->workers; w++) {
        const struct orr_fault *f = &n->fault[w];

        if (f->code != ORR_OK && (!first || !is_before(first, f->at, f->host)))
            first = f;
    }
    if (first && windows->code != ORR_ENOMEM) {
        orr__human_time(first->at, at, sizeof at);
        return orr__fail(why, first->code, "at %s: %s", at, first->text);
    }
    orr__human_time(orr__windows_now(n->windows), at, sizeof at);
    return orr__fail(why, windows->code, "%s at %s of simulated time",
                     windows->message, at);
}
