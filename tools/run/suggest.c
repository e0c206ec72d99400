/* Trireme: suggestions for misspelled kernel names.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/suggest.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <trireme/trireme.h>

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

struct search {
    const char *name;
    unsigned nearest;
    char names[160];
};

static int32_t visit(void *user, const struct trm_shader_place *place)
{
    struct search *search = user;
    unsigned distance     = suggest_distance(search->name, place->name);
    size_t length;

    if (distance > search->nearest || distance >= FAR || distance >= strlen(search->name))
        return TRM_OK;
    if (distance < search->nearest)
        search->names[0] = '\0';
    search->nearest = distance;
    length          = strlen(search->names);
    snprintf(search->names + length, sizeof(search->names) - length, "%s%s", length > 0 ? " or " : "",
             place->name);
    return TRM_OK;
}

void suggest_kernels(struct trm_context *context, const char *name, char *text, size_t capacity)
{
    struct search search = {.name = name, .nearest = FAR};

    trm_shader_list(context, visit, &search);
    snprintf(text, capacity, "%s%s%s", *search.names ? ", did you mean " : "", search.names,
             *search.names ? "?" : "");
}
