#include "core/json_skip.h"

#include "core/assert.h"

char orr__json_skip_blanks(struct orr_json_cursor *c)
{
    ORR_ASSERT(c->at <= c->end);
    while (c->at < c->end
           && (*c->at == ' ' || *c->at == '\n' || *c->at == '\t'
               || *c->at == '\r'))
        c->at++;
    return c->at < c->end ? *c->at : '\0';
}

bool orr__json_skip_string(struct orr_json_cursor *c)
{
    ORR_ASSERT(c->at < c->end && *c->at == '"');
    for (c->at++; c->at < c->end; c->at++) {
        if (*c->at == '"') {
            c->at++;
            return true;
        }
        c->at += *c->at == '\\' && c->end - c->at > 1;
    }
    return false;
}

bool orr__json_skip_scalar(struct orr_json_cursor *c)
{
    orr__json_skip_blanks(c);
    const char *from = c->at;
    while (c->at < c->end && *c->at != ',' && *c->at != '}' && *c->at != ']'
           && (unsigned char)*c->at > ' ')
        c->at++;
    return c->at > from;
}

bool orr__json_skip_value(struct orr_json_cursor *c)
{
    char first = orr__json_skip_blanks(c);
    int open = 0;
    if (first == '"')
        return orr__json_skip_string(c);
    if (first != '{' && first != '[')
        return orr__json_skip_scalar(c);
    while (c->at < c->end) {
        if (*c->at == '"') {
            if (!orr__json_skip_string(c))
                return false;
            continue;
        }
        open +=
            (*c->at == '{' || *c->at == '[') - (*c->at == '}' || *c->at == ']');
        c->at++;
        if (open == 0)
            return true;
    }
    return false;
}

long orr__json_skip_key(struct orr_json_cursor *c, const char **key)
{
    if (orr__json_skip_blanks(c) != '"')
        return -1;
    *key = c->at + 1;
    if (!orr__json_skip_string(c))
        return -1;
    long length = c->at - *key - 1;
    if (orr__json_skip_blanks(c) != ':')
        return -1;
    c->at++;
    return length;
}
