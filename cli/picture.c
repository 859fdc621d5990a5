#include "cli/picture.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "core/assert.h"
#include "core/file.h"

static const struct {
    const char *ending, *terminal;
    double scale; /* of a cm; 0: it knows cm itself */
    double font;  /* of a point */
} terminals[] = {
    {".svg", "svg background rgb 'white'", 37.8, 4. / 3},
    {".pdf", "pdfcairo", 0, 1},
    {".png", "pngcairo", 78.7, 16. / 9}, /* 200 dpi */
};
enum { TERMINALS = sizeof terminals / sizeof *terminals };

static size_t terminal_of(const char *name)
{
    size_t n = strlen(name), i = 0;
    while (i < TERMINALS
           && (n < 5 || strcmp(name + n - 4, terminals[i].ending) != 0))
        i++;
    return i;
}

bool orr__picture_is_known(const char *command, const char *name)
{
    if (terminal_of(name) < TERMINALS)
        return true;
    (void)orr__usage_error(
        command, "%s: its name says what it is: .svg, .pdf or .png", name);
    return false;
}

/* The terminal and, unless that is stdout, what it writes to. */
void orr__picture_begin(struct orr_text *t, const struct orr_picture *p)
{
    size_t i = terminal_of(p->name);
    ORR_ASSERT(i < TERMINALS);
    double scale = terminals[i].scale;
    orr__text_add(t, "set terminal %s font '%s,%.3g' ", terminals[i].terminal,
                  p->font, p->points * terminals[i].font);
    if (scale > 0)
        orr__text_add(t, "size %.0f,%.0f\n", p->width * scale,
                      p->height * scale);
    else
        orr__text_add(t, "size %gcm,%gcm\n", p->width, p->height);
}

/* Has gnuplot draw a script into a file that is there already. */
static orr_err draw_picture(const struct orr_text *script, int out,
                            struct orr_report *why)
{
    int pipes[2], state = 0;
    if (pipe(pipes) != 0)
        return orr__fail(why, ORR_EIO, "a pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child == 0) {
        dup2(pipes[0], STDIN_FILENO);
        dup2(out, STDOUT_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        execlp("gnuplot", "gnuplot", "-", (char *)NULL);
        _exit(127);
    }
    close(pipes[0]);
    bool ok = child > 0;
    for (size_t at = 0; ok && at < script->length;) {
        ssize_t n = write(pipes[1], script->s + at, script->length - at);
        ok = n > 0 || (n < 0 && errno == EINTR);
        at += n > 0 ? (size_t)n : 0;
    }
    close(pipes[1]);
    while (child > 0 && waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    if (child > 0 && WIFEXITED(state) && WEXITSTATUS(state) == 127)
        return orr__fail(why, ORR_ECONFIG,
                         "gnuplot is not there: it draws the "
                         "pictures; its package is gnuplot-nox");
    if (!ok || !WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return orr__fail(why, ORR_EIO, "gnuplot did not draw it");
    return ORR_OK;
}

orr_err orr__picture_draw(const struct orr_text *script, const char *name,
                          struct orr_report *why)
{
    struct orr_file f = {.out = NULL};
    orr_err err = orr__file_open(&f, name, why);
    if (err)
        return err;
    err = draw_picture(script, fileno(f.out), why);
    return orr__file_close(&f, err, why);
}
