/* Networks from a text, for tests of the library's calls. */
#ifndef ORR_TESTS_STUDY_NETWORK_OPEN_H
#define ORR_TESTS_STUDY_NETWORK_OPEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "orrery/network.h"

#define TREE                                                                   \
    "topology: {kind: fat-tree, k: 4, link: {rate: 100Gbps, delay: 1us}}\n"
#define LINE                                                                   \
    "topology: {kind: switch, hosts: 4, link: {rate: 10Gbps, delay: 1us}}\n"

static inline orr_network *open_text(const char *text, unsigned threads)
{
    struct orr_options o = {.threads = threads};
    struct orr_report why = {.code = ORR_OK};
    orr_network *n = NULL;
    orr_err err = orr_network_open(text, &o, &n, &why);

    if (err != ORR_OK)
        fail_msg("%s", why.message);
    return n;
}

static inline void run(orr_network *n, int64_t until)
{
    struct orr_report why = {.code = ORR_OK};

    if (orr_network_run(n, until, &why) != ORR_OK)
        fail_msg("%s", why.message);
}

struct note { /* when something was called */
    orr_network *n;
    uint32_t host;
    int64_t at[8];
    int calls;
};

static inline void note(void *arg)
{
    struct note *x = arg;

    assert_in_range(x->calls, 0, 7);
    x->at[x->calls++] = orr_network_now_at(x->n, x->host);
}

#endif
