#include "cli/foreign.h"

#include <string.h>

#include "core/error.h"
#include "core/memory.h"
#include "formats/convert.h"

void orr__foreign_cli_fini(struct orr_foreign_cli *f)
{
    orr__words_fini(&f->inputs);
    orr__free(f->text);
    orr__origins_fini(&f->blame);
}

bool orr__foreign_take(struct orr_foreign_cli *f, int c, int *status)
{
    static const char *const formats[] = {"simai", "hpcc", "htsim"};
    *status = -1;
    if (c == 'w' || c == 'n' || c == 'c') {
        if (!orr__words_add(&f->inputs, optarg))
            *status = orr__no_memory_for_words();
        return true;
    }
    if (c < ORR_FOREIGN_FIRST_OPTION)
        return false;
    const char *format = formats[c - ORR_FOREIGN_FIRST_OPTION];
    if (f->format && f->format != format)
        *status = orr__usage_error("run", "--%s and --%s: one of them",
                                   f->format, format);
    f->format = format;
    return true;
}

static const struct orr_convert_ops *find_format(const char *name)
{
    const struct orr_convert_ops *const *k = orr__converters();
    while (*k && strcmp((*k)->name, name) != 0)
        k++;
    return *k;
}

int orr__foreign_make(struct orr_foreign_cli *f, int argc, char **argv)
{
    struct orr_report why = {0};
    for (int i = 0; i < argc; i++)
        if (!orr__words_add(&f->inputs, argv[i]))
            return orr__no_memory_for_words();
    if (f->inputs.count == 0)
        return orr__usage_error("run", "which files of %s?", f->format);
    struct orr_convert c = {.input = f->inputs.word,
                            .inputs = f->inputs.count,
                            .folder = ".",
                            .blame = &f->blame};
    orr_err err = find_format(f->format)->from(&c, &why);
    if (err == ORR_OK && (c.notes.failed || f->blame.failed))
        err = orr__no_memory(&why);
    if (err == ORR_OK) {
        f->text = orr__text_done(&c.yaml);
        err = f->text ? ORR_OK : orr__no_memory(&why);
    }
    if (err == ORR_OK)
        orr__print_notes(&c.notes);
    else
        orr__print_report(&why);
    orr__free(c.yaml.s);
    orr__free(c.notes.s);
    return err == ORR_OK ? -1 : orr__exit_status(err, false);
}
