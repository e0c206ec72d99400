/* Which parts of the prelude a text needs, and writing them.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/prelude/prelude.h"

#include <string.h>

/* The first in the order of names that is not before this one. */
static uint32_t find(const char *name, size_t length)
{
    uint32_t low = 0, high = emit_part_count;

    while (low < high) {
        uint32_t middle   = low + (high - low) / 2;
        const char *other = emit_parts[emit_part_order[middle]].name;
        int32_t order     = strncmp(other, name, length);
        if (order == 0 && other[length] != '\0')
            order = 1;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Marks the part of that name in the text's language. */
static int32_t need(struct emit *emit, const char *name, size_t length)
{
    for (uint32_t i = find(name, length); i < emit_part_count; i++) {
        uint32_t number              = emit_part_order[i];
        const struct emit_part *part = &emit_parts[number];
        if (strncmp(part->name, name, length) != 0 || part->name[length] != '\0')
            return 0;
        if (part->language == 0 || part->language == (uint32_t)emit->request->language) {
            emit_need(emit, number);
            return 1;
        }
    }
    return 0;
}

void emit_need(struct emit *emit, uint32_t feature)
{
    if (feature / 64 < sizeof(emit->features) / sizeof(emit->features[0]))
        emit->features[feature / 64] |= (uint64_t)1 << feature % 64;
}

void emit_need_part(struct emit *emit, const char *name)
{
    if (!need(emit, name, strlen(name)))
        text_line(&emit->prelude, "#error trm_%s is not known", name);
}

/* Marks what a part names. */
static void need_named(struct emit *emit, const char *text)
{
    for (const char *at = strstr(text, "trm_"); at != NULL; at = strstr(at, "trm_")) {
        at += sizeof("trm_") - 1;
        need(emit, at, strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789"));
    }
}

static int32_t is_needed(const struct emit *emit, uint32_t feature)
{
    return (emit->features[feature / 64] >> feature % 64 & 1) != 0;
}

void emit_prelude(struct emit *emit)
{
    need(emit, "begin", sizeof("begin") - 1);
    /* From the last to the first: a part uses only those before it. */
    for (uint32_t i = emit_part_count; i-- > 0;)
        if (is_needed(emit, i))
            need_named(emit, emit_parts[i].text);
    for (uint32_t i = 0; i < emit_part_count; i++)
        if (is_needed(emit, i))
            text_add(&emit->prelude, "%s\n", emit_parts[i].text);
}
