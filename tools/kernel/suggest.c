/* Trireme: suggestions for misspelled names.
 * SPDX-License-Identifier: MIT
 */
#include "tools/kernel/suggest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_MOST = 63,
    FAR       = 3, /* too different to suggest */
};

static unsigned least(unsigned one, unsigned other)
{
    return one < other ? one : other;
}

unsigned suggest_distance(const char *one, const char *other)
{
    size_t length = strlen(one), width = strlen(other);
    unsigned row[NAME_MOST + 1];

    if (length > NAME_MOST || width > NAME_MOST)
        return UINT_MAX;
    for (size_t j = 0; j <= width; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; i < length; i++) {
        unsigned corner = row[0];

        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < width; j++) {
            unsigned changed = corner + (one[i] != other[j]);

            corner     = row[j + 1];
            row[j + 1] = least(changed, 1 + least(row[j], row[j + 1]));
        }
    }
    return row[width];
}

void suggestion_init(struct suggestion *suggestion, const char *name)
{
    *suggestion = (struct suggestion){.name = name, .nearest = FAR};
}

void suggestion_try(struct suggestion *suggestion, const char *name)
{
    unsigned distance = suggest_distance(suggestion->name, name);
    size_t length;

    if (distance > suggestion->nearest || distance >= FAR || distance >= strlen(suggestion->name))
        return;
    if (distance < suggestion->nearest)
        suggestion->names[0] = '\0';
    suggestion->nearest = distance;
    length              = strlen(suggestion->names);
    snprintf(suggestion->names + length, sizeof(suggestion->names) - length, "%s%s", length > 0 ? " or " : "",
             name);
}

void suggestion_text(const struct suggestion *suggestion, char *text, size_t capacity)
{
    const char *names = suggestion->names;

    snprintf(text, capacity, "%s%s%s", *names ? " (did you mean " : "", names, *names ? "?)" : "");
}
