/* Which parts of the prelude a translation needs, and writing them.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/prelude/prelude.h"

#include <string.h>

/* The position in the order of names of the first part that is not less than the name. */
static uint32_t find(const char *name, size_t length)
{
    uint32_t low = 0, high = prelude_part_count;

    while (low < high) {
        uint32_t middle   = low + (high - low) / 2;
        const char *other = prelude_parts[prelude_part_order[middle]].name;
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

static void mark(struct prelude *prelude, uint32_t index)
{
    if (index / 64 < sizeof(prelude->needed) / sizeof(prelude->needed[0]))
        prelude->needed[index / 64] |= (uint64_t)1 << index % 64;
}

static bool is_marked(const struct prelude *prelude, uint32_t index)
{
    return (prelude->needed[index / 64] >> index % 64 & 1) != 0;
}

static bool need(struct prelude *prelude, const char *name, size_t length)
{
    for (uint32_t i = find(name, length); i < prelude_part_count; i++) {
        uint32_t index                  = prelude_part_order[i];
        const struct prelude_part *part = &prelude_parts[index];
        if (strncmp(part->name, name, length) != 0 || part->name[length] != '\0')
            return false;
        if (part->language == 0 || part->language == prelude->language) {
            mark(prelude, index);
            return true;
        }
    }
    return false;
}

bool prelude_need(struct prelude *prelude, const char *name)
{
    return need(prelude, name, strlen(name));
}

/* Marks the parts that the text of a part names. */
static void need_named(struct prelude *prelude, const char *text)
{
    for (const char *at = strstr(text, "trm_"); at != NULL; at = strstr(at, "trm_")) {
        at += sizeof("trm_") - 1;
        need(prelude, at, strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789"));
    }
}

void prelude_write(struct prelude *prelude, struct text *text)
{
    prelude_need(prelude, "begin");
    /* Backwards: a part uses only parts before it. */
    for (uint32_t i = prelude_part_count; i-- > 0;)
        if (is_marked(prelude, i))
            need_named(prelude, prelude_parts[i].text);
    for (uint32_t i = 0; i < prelude_part_count; i++)
        if (is_marked(prelude, i))
            text_add(text, "%s\n", prelude_parts[i].text);
}
