/* Two columns of help: names, and what they are. */
#include <stdarg.h>
#include <string.h>

#include "cli/help.h"
#include "core/config/param.h"

#define HELP_COLUMN 26
#define WIDTH       80

void orr__help_wrapped(const char *text, int at)
{
    int column = at;
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column > at && column + 1 + n >= WIDTH) {
            printf("\n%*s", at, "");
            column = at;
        }
        column += printf("%s%.*s", column > at ? " " : "", n, text);
        text += n + (text[n] == ' ');
    }
    putchar('\n');
}

void orr__help_left(const char *text)
{
    int n = printf("  %s", text);
    if (n >= HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    else
        printf("%*s", HELP_COLUMN - n, "");
}

void orr__help_right(const char *text)
{
    orr__help_wrapped(text, HELP_COLUMN);
}

__attribute__((format(printf, 3, 4))) static void append(char *text,
                                                         size_t size,
                                                         const char *fmt, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    vsnprintf(text + used, size - used, fmt, args);
    va_end(args);
}

/* "(size; default 1MiB; at least 1B)" */
static void print_type(const struct orr_param *p)
{
    char text[1024] = "(";
    append(text, sizeof text, "%s", orr__param_type_name(p->type));
    for (size_t i = 0; p->choices && p->choices[i]; i++)
        append(text, sizeof text, "%s%s", i ? " | " : ": ", p->choices[i]);
    if (!p->fallback)
        append(text, sizeof text, "; required");
    else if (p->fallback[0])
        append(text, sizeof text, "; default %s", p->fallback);
    if (p->min)
        append(text, sizeof text, "; at least %s", p->min);
    if (p->max)
        append(text, sizeof text, "; at most %s", p->max);
    append(text, sizeof text, ")");
    printf("%*s", HELP_COLUMN, "");
    orr__help_right(text);
}

void orr__help_params(const struct orr_param *p)
{
    for (; p && p->key; p++) {
        orr__help_left(p->key);
        orr__help_right(p->help ? p->help : "");
        print_type(p);
    }
}
