#include "core/linear_program.h"

#include <setjmp.h>

#include "core/memory.h"

#if __has_include(<glpk.h>)
#include <glpk.h>

bool orr__linear_program_there(void)
{
    return true;
}

/* GLPK's own way to fail: it does not come back from here. */
static void escape(void *to)
{
    longjmp(*(jmp_buf *)to, 1);
}

/* Whatever it would print. */
static int keep_silent(void *unused, const char *text)
{
    return 1;
}

/* Entries as GLPK counts them, from 1 on. */
struct matrix {
    int *row, *column;
    double *value;
};

/* Into GLPK, whose indices begin at 1: maximise gain x under rows x <= limit,
 * x >= 0. `m` has room for entries + 1. */
static void load_problem(glp_prob *lp, const struct orr_linear_program *p,
                         const struct matrix *m)
{
    glp_set_obj_dir(lp, GLP_MAX);
    glp_add_rows(lp, (int)p->rows);
    glp_add_cols(lp, (int)p->variables);
    for (uint32_t r = 0; r < p->rows; r++)
        glp_set_row_bnds(lp, (int)r + 1, GLP_UP, 0, p->limit[r]);
    for (uint32_t v = 0; v < p->variables; v++) {
        glp_set_col_bnds(lp, (int)v + 1, GLP_LO, 0, 0);
        glp_set_obj_coef(lp, (int)v + 1, p->gain[v]);
    }
    for (uint32_t i = 0; i < p->entries; i++) {
        m->row[i + 1] = (int)p->row[i] + 1;
        m->column[i + 1] = (int)p->variable[i] + 1;
        m->value[i + 1] = p->value[i];
    }
    glp_load_matrix(lp, (int)p->entries, m->row, m->column, m->value);
}

/* False: there is no best one. */
static bool solve_problem(const struct orr_linear_program *p,
                          const struct matrix *m, double *x)
{
    glp_smcp how;
    glp_prob *lp = glp_create_prob();
    glp_init_smcp(&how);
    how.msg_lev = GLP_MSG_OFF;
    load_problem(lp, p, m);
    bool ok = glp_simplex(lp, &how) == 0 && glp_get_status(lp) == GLP_OPT;
    for (uint32_t v = 0; ok && v < p->variables; v++)
        x[v] = glp_get_col_prim(lp, (int)v + 1);
    glp_delete_prob(lp);
    return ok;
}

orr_err orr__linear_program_solve(const struct orr_linear_program *p, double *x,
                                  struct orr_report *why)
{
    size_t n = p->entries + (size_t)1;
    struct matrix m = {orr__alloc(n, sizeof *m.row),
                       orr__alloc(n, sizeof *m.column),
                       orr__alloc(n, sizeof *m.value)};
    volatile bool solved = false, failed = !m.row || !m.column || !m.value;
    jmp_buf back;
    if (!failed && setjmp(back) == 0) {
        glp_term_out(GLP_OFF);
        glp_term_hook(keep_silent, NULL);
        glp_error_hook(escape, &back);
        solved = solve_problem(p, &m, x);
        glp_error_hook(NULL, NULL);
    } else if (!failed) {
        failed = true; /* it had no memory, and left what it had */
    }
    glp_free_env();
    orr__free(m.row);
    orr__free(m.column);
    orr__free(m.value);
    if (failed)
        return orr__no_memory(why);
    return solved ? ORR_OK
                  : orr__fail(why, ORR_ERUN,
                              "a linear program has no best solution");
}

#else

bool orr__linear_program_there(void)
{
    return false;
}

orr_err orr__linear_program_solve(const struct orr_linear_program *p, double *x,
                                  struct orr_report *why)
{
    return orr__fail(why, ORR_ERUN,
                     "this build has no GLPK (libglpk-dev), which solves "
                     "linear programs");
}

#endif
