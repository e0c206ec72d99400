/* Identifiers: every word of a shader becomes an identifier that no header, no compiler and no other part of
 * the text uses, whatever the word is (M_PI, NULL, TRM_ITEMS, int, first).
 *
 *     s_sum       the word alone, if it is free and does not look like one of the next lines
 *     s_sum_12    the word with the id
 *     v12         an id without a word
 *     sum_kernel  the function of an entry point; sum_kernel_2 where two have that name
 *
 * Behind an identifier the text puts a component (_x), _size or _new; behind that of a function _item,
 * _arguments and the like. A word that ends like that, or contains _kernel, gets its id, so that it cannot be
 * mistaken for one.
 * SPDX-License-Identifier: MIT
 */
#include "compiler/translate/text/names.h"

#include <string.h>

#define LONGEST 48u /* of a shader's word; the rest is cut off */

static uint32_t hash(const char *text)
{
    uint32_t value = 2166136261u;

    for (; *text != '\0'; text++)
        value = (value ^ (unsigned char)*text) * 16777619u;
    return value;
}

static const char **slot_of(const char **set, uint32_t size, const char *identifier)
{
    uint32_t at = hash(identifier) & (size - 1);

    while (set[at] != NULL && strcmp(set[at], identifier) != 0)
        at = (at + 1) & (size - 1);
    return &set[at];
}

static bool grow(struct names *names)
{
    uint32_t size    = names->set_size == 0 ? 1024 : names->set_size * 2;
    const char **set = base_arena_allocate(names->arena, size, sizeof(*set));

    if (set == NULL)
        return false;
    for (uint32_t i = 0; i < names->set_size; i++)
        if (names->set[i] != NULL)
            *slot_of(set, size, names->set[i]) = names->set[i];
    names->set      = set;
    names->set_size = size;
    return true;
}

bool names_take(struct names *names, const char *identifier)
{
    if (names->set_count * 2 >= names->set_size && !grow(names))
        return true;
    const char **slot = slot_of(names->set, names->set_size, identifier);
    if (*slot != NULL)
        return false;
    *slot = identifier;
    names->set_count++;
    return true;
}

struct names *names_create(struct base_arena *arena)
{
    struct names *names = base_arena_allocate(arena, 1, sizeof(*names));

    if (names == NULL)
        return NULL;
    names->arena = arena;
    return names;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

const char *names_clean(struct base_arena *arena, const char *text)
{
    char word[LONGEST + 1];
    uint32_t length = 0;

    /* The front end names functions like "blend(vf4;f1;": the word ends at the parenthesis. */
    for (; *text != '\0' && *text != '(' && length < LONGEST; text++) {
        char c = is_letter(*text) || is_digit(*text) ? *text : '_';
        if (length == 0 && !is_letter(c))
            continue;
        word[length++] = c;
    }
    while (length != 0 && word[length - 1] == '_')
        length--;
    const char *clean = base_arena_text(arena, word, length);
    return clean == NULL ? "" : clean;
}

/* Does it contain "_kernel", or end with '_' and digits, with '_' and a component's letter, or with "_size"
 * or "_new"? */
static bool looks_generated(const char *word)
{
    const char *last = strrchr(word, '_');

    if (last == NULL)
        return false;
    if (strstr(word, "_kernel") != NULL)
        return true;
    last++;
    if (strcmp(last, "size") == 0 || strcmp(last, "new") == 0)
        return true;
    if (last[0] != '\0' && last[1] == '\0' && strchr("xyzw", last[0]) != NULL)
        return true;
    return strspn(last, "0123456789") == strlen(last);
}

const char *names_symbol(struct names *names, const char *name)
{
    const char *word = names_clean(names->arena, name);

    if (word[0] == '\0')
        word = "main";
    const char *symbol = base_arena_format(names->arena, "%s_kernel", word);
    for (uint32_t i = 2; symbol != NULL && !names_take(names, symbol); i++)
        symbol = base_arena_format(names->arena, "%s_kernel_%u", word, i);
    return symbol == NULL ? "main_kernel" : symbol;
}

const char *names_make(struct names *names, uint32_t id, const char *given, bool is_local)
{
    const char *word = names_clean(names->arena, given == NULL ? "" : given);

    if (word[0] == '\0')
        return base_arena_format(names->arena, "v%u", id);
    const char *identifier = base_arena_format(names->arena, "s_%s", word);
    if (identifier != NULL && is_local && !looks_generated(word) && names_take(names, identifier))
        return identifier;
    return base_arena_format(names->arena, "s_%s_%u", word, id);
}

bool names_reserve(struct names *names, uint32_t id)
{
    if (id < names->count)
        return true;
    uint32_t count     = id + 1 + id / 2;
    const char **by_id = base_arena_allocate(names->arena, count, sizeof(*by_id));
    if (by_id == NULL)
        return false;
    if (names->count != 0)
        memcpy(by_id, names->by_id, names->count * sizeof(*by_id));
    names->by_id = by_id;
    names->count = count;
    return true;
}
