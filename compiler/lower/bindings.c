/* Gives each variable of a binding a binding of its own, unless all are buffers. Vulkan lets a module declare
 * an image as another kind of image, a sampler or a buffer on the same set and binding: a descriptor is then
 * what the variable says that is used. Here each is a parameter of its own; of those that share a binding the
 * first keeps it, and the others get the numbers after the last of the set. Buffers of one binding stay: they
 * are views of one buffer.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/lower/module.h"

#define SHARING_MOST 256u /* variables of one binding; the time is quadratic */
#define DEPTH_MOST 16u    /* arrays in arrays; a damaged module has one of itself */

struct place {
    uint32_t id, set, binding;
    uint32_t type;  /* behind the pointer */
    uint32_t order; /* among the variables of the module */
    uint32_t fresh; /* the new binding */
    bool is_buffer;
};

struct decorations {
    uint32_t *sets, *bindings; /* by id: the word of the number; 0: none */
};

static bool find_decorations(const struct lower_words *module, struct decorations *decorations)
{
    decorations->sets     = base_arena_allocate(module->arena, module->bound, sizeof(uint32_t));
    decorations->bindings = base_arena_allocate(module->arena, module->bound, sizeof(uint32_t));
    if (decorations->sets == NULL || decorations->bindings == NULL)
        return false;
    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (lower_opcode(at) != SpvOpDecorate || lower_length(at) != 4 || at[1] >= module->bound)
            continue;
        if (at[2] == SpvDecorationDescriptorSet)
            decorations->sets[at[1]] = i + 3;
        else if (at[2] == SpvDecorationBinding)
            decorations->bindings[at[1]] = i + 3;
    }
    return true;
}

static bool is_resource(uint32_t storage)
{
    return storage == SpvStorageClassUniform || storage == SpvStorageClassStorageBuffer ||
           storage == SpvStorageClassUniformConstant;
}

/* Lists the variables that have a set and a binding; without a list, counts them. */
static uint32_t list_places(const struct lower_words *module, const struct decorations *decorations,
                            struct place *places)
{
    uint32_t count = 0;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (lower_opcode(at) != SpvOpVariable || lower_length(at) < 4 || !is_resource(at[3]) ||
            decorations->sets[at[2]] == 0 || decorations->bindings[at[2]] == 0)
            continue;
        const uint32_t *pointer = lower_definition(module, at[1], SpvOpTypePointer, 4);
        if (pointer == NULL)
            continue;
        if (places != NULL)
            places[count] = (struct place){.id        = at[2],
                                           .set       = module->words[decorations->sets[at[2]]],
                                           .binding   = module->words[decorations->bindings[at[2]]],
                                           .type      = pointer[3],
                                           .order     = i,
                                           .fresh     = module->words[decorations->bindings[at[2]]],
                                           .is_buffer = at[3] != SpvStorageClassUniformConstant};
        count++;
    }
    return count;
}

static int compare_numbers(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int order = compare_numbers(a->set, b->set);

    if (order == 0)
        order = compare_numbers(a->binding, b->binding);
    return order != 0 ? order : compare_numbers(a->order, b->order);
}

static bool is_same_length(const struct lower_words *module, uint32_t one, uint32_t other)
{
    const uint32_t *a = lower_definition(module, one, SpvOpConstant, 4);
    const uint32_t *b = lower_definition(module, other, SpvOpConstant, 4);

    return one == other || (a != NULL && b != NULL && a[3] == b[3]);
}

/* Are both types arrays of as many elements, or none of them one? */
static bool is_same_shape(const struct lower_words *module, uint32_t one, uint32_t other)
{
    for (uint32_t depth = 0;; depth++) {
        const uint32_t *a = lower_definition(module, one, SpvOpTypeArray, 4);
        const uint32_t *b = lower_definition(module, other, SpvOpTypeArray, 4);
        if (depth == DEPTH_MOST || (a == NULL) != (b == NULL) ||
            (a != NULL && !is_same_length(module, a[3], b[3])))
            return false;
        if (a == NULL)
            break;
        one   = a[2];
        other = b[2];
    }
    return (lower_definition(module, one, SpvOpTypeRuntimeArray, 3) == NULL) ==
           (lower_definition(module, other, SpvOpTypeRuntimeArray, 3) == NULL);
}

static bool is_view(const struct lower_words *module, const struct place *a, const struct place *b)
{
    return a->is_buffer && b->is_buffer && is_same_shape(module, a->type, b->type);
}

/* Numbers the variables of one set and binding; `last` is the last number of the set. */
static bool number(const struct lower_words *module, struct place *places, uint32_t count, uint32_t *last)
{
    bool is_changed = false;

    for (uint32_t i = 0; i < count && count <= SHARING_MOST; i++) {
        uint32_t like = 0;
        while (like < i && !is_view(module, &places[like], &places[i]))
            like++;
        places[i].fresh = i == 0 ? places[0].binding : like < i ? places[like].fresh : ++*last;
        is_changed |= places[i].fresh != places[i].binding;
    }
    return is_changed;
}

static uint32_t run_of(const struct place *places, uint32_t first, uint32_t count, bool is_set)
{
    uint32_t end = first + 1;

    while (end < count && places[end].set == places[first].set &&
           (is_set || places[end].binding == places[first].binding))
        end++;
    return end;
}

static bool number_all(const struct lower_words *module, struct place *places, uint32_t count)
{
    bool is_changed = false;

    for (uint32_t first = 0, end; first < count; first = end) {
        end           = run_of(places, first, count, true);
        uint32_t last = places[end - 1].binding;
        if (last > UINT32_MAX - count)
            return false;
        for (uint32_t i = first, next; i < end; i = next) {
            next = run_of(places, i, end, false);
            is_changed |= number(module, places + i, next - i, &last);
        }
    }
    return is_changed;
}

void lower_bindings(struct base_arena *arena, const uint32_t **words, uint32_t count)
{
    struct decorations decorations;
    struct lower_words module;

    if (!lower_scan(&module, arena, *words, count) || !find_decorations(&module, &decorations))
        return;
    uint32_t place_count = list_places(&module, &decorations, NULL);
    struct place *places = base_arena_allocate(arena, place_count, sizeof(*places));
    if (places == NULL)
        return;
    list_places(&module, &decorations, places);
    qsort(places, place_count, sizeof(*places), compare_places);
    if (!number_all(&module, places, place_count))
        return;
    uint32_t *changed = base_arena_allocate(arena, count, sizeof(*changed));
    if (changed == NULL)
        return;
    memcpy(changed, *words, count * sizeof(*changed));
    for (uint32_t i = 0; i < place_count; i++)
        changed[decorations.bindings[places[i].id]] = places[i].fresh;
    *words = changed;
}
