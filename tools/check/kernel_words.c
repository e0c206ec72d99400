/* Trireme: what `trireme check` reads in SPIR-V, and writes.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/kernel.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <string.h>

/* Of the specification of SPIR-V. */
enum {
    OP_NAME                    = 5,
    OP_STRING                  = 7,
    OP_LINE                    = 8,
    OP_LOAD                    = 61,
    OP_ACCESS_CHAIN            = 65,
    OP_IN_BOUNDS_ACCESS_CHAIN  = 66,
    OP_NO_LINE                 = 317,
    MOST_POINTERS              = 64, /* of a variable that are followed */
    OP_EXECUTION_MODE_ID       = 331,
    OP_TYPE_POINTER            = 32,
    OP_CONSTANT_NULL           = 46,
    OP_SPEC_CONSTANT_COMPOSITE = 51,
    OP_VARIABLE                = 59,
    OP_DECORATE                = 71,
    OP_CONTROL_BARRIER         = 224,
    OP_CAPABILITY              = 17,
    CAPABILITY_MATRICES        = 6022, /* CooperativeMatrixKHR */
    CAPABILITY_MATRICES_NV     = 5357, /* CooperativeMatrixNV */
    DECORATION_SPEC_ID         = 1,
    DECORATION_BUILT_IN        = 11,
    BUILT_IN_WORKGROUP_SIZE    = 25,
    MODE_LOCAL_SIZE_ID         = 38,
    STORAGE_WORKGROUP          = 4,
    HEADER                     = 5, /* words in front of the first instruction */
    BOUND                      = 3, /* the word above all ids */
};

/* One instruction after the other. */
struct walk {
    const uint32_t *words;
    uint64_t count;
    uint64_t next;
    const uint32_t *at; /* the words of the instruction */
    uint32_t length;
};

static void walk_begin(struct walk *walk, const uint32_t *words, uint64_t size)
{
    *walk = (struct walk){.words = words, .count = size / sizeof(*words), .next = HEADER};
}

static bool walk_next(struct walk *walk)
{
    if (walk->next >= walk->count)
        return false;
    walk->at     = walk->words + walk->next;
    walk->length = *walk->at >> 16;
    if (walk->length == 0 || walk->length > walk->count - walk->next)
        return false;
    walk->next += walk->length;
    return true;
}

static bool is_op(const struct walk *walk, uint32_t op, uint32_t least)
{
    return (*walk->at & 0xffff) == op && walk->length >= least;
}

/* ---- the size of a group ---- */

/* The ids of its three sides. */
static bool find_sides(const uint32_t *words, uint64_t size, uint32_t sides[3])
{
    uint32_t composite = 0;
    struct walk walk;

    for (walk_begin(&walk, words, size); walk_next(&walk);) {
        if (is_op(&walk, OP_EXECUTION_MODE_ID, 6) && walk.at[2] == MODE_LOCAL_SIZE_ID) {
            memcpy(sides, walk.at + 3, 3 * sizeof(*sides));
            return true;
        }
        if (is_op(&walk, OP_DECORATE, 4) && walk.at[2] == DECORATION_BUILT_IN &&
            walk.at[3] == BUILT_IN_WORKGROUP_SIZE)
            composite = walk.at[1];
        if (is_op(&walk, OP_SPEC_CONSTANT_COMPOSITE, 6) && walk.at[2] == composite) {
            memcpy(sides, walk.at + 3, 3 * sizeof(*sides));
            return true;
        }
    }
    return false;
}

bool kernel_words_group(const uint32_t *words, uint64_t size, uint32_t *id, uint32_t *side)
{
    bool is_found = false;
    uint32_t sides[3];
    struct walk walk;

    if (!find_sides(words, size, sides))
        return false;
    for (walk_begin(&walk, words, size); walk_next(&walk);)
        for (uint32_t i = 0; i < 3; i++)
            if (is_op(&walk, OP_DECORATE, 4) && walk.at[2] == DECORATION_SPEC_ID && walk.at[1] == sides[i]) {
                *id      = walk.at[3];
                *side    = i;
                is_found = true;
            }
    return is_found;
}

bool kernel_words_has_barriers(const uint32_t *words, uint64_t size)
{
    struct walk walk;

    for (walk_begin(&walk, words, size); walk_next(&walk);)
        if (is_op(&walk, OP_CONTROL_BARRIER, 4))
            return true;
    return false;
}

bool kernel_words_has_matrices(const uint32_t *words, uint64_t size)
{
    struct walk walk;

    for (walk_begin(&walk, words, size); walk_next(&walk);)
        if (is_op(&walk, OP_CAPABILITY, 2) &&
            (walk.at[1] == CAPABILITY_MATRICES || walk.at[1] == CAPABILITY_MATRICES_NV))
            return true;
    return false;
}

/* ---- shared variables ---- */

static uint32_t pointee_of(const uint32_t *words, uint64_t size, uint32_t pointer)
{
    struct walk walk;

    for (walk_begin(&walk, words, size); walk_next(&walk);)
        if (is_op(&walk, OP_TYPE_POINTER, 4) && walk.at[1] == pointer)
            return walk.at[3];
    return 0;
}

/* A text in SPIR-V ends with a zero byte; the bytes of a word are those of this machine. */
static void copy_name(const struct walk *walk, char *name, size_t capacity)
{
    size_t most = (walk->length - 2) * sizeof(uint32_t);

    most = most < capacity ? most : capacity - 1;
    memcpy(name, walk->at + 2, most);
    name[most] = '\0';
}

uint32_t kernel_words_variables(const uint32_t *words, uint64_t size, struct kernel_variable *variables,
                                uint32_t most)
{
    uint32_t count = 0;
    struct walk walk;

    for (walk_begin(&walk, words, size); walk_next(&walk) && count < most;)
        if (is_op(&walk, OP_VARIABLE, 4) && walk.length == 4 && walk.at[3] == STORAGE_WORKGROUP) {
            struct kernel_variable *variable = &variables[count++];

            memset(variable, 0, sizeof(*variable));
            variable->id   = walk.at[2];
            variable->type = pointee_of(words, size, walk.at[1]);
        }
    for (walk_begin(&walk, words, size); walk_next(&walk);)
        for (uint32_t i = 0; i < count; i++)
            if (is_op(&walk, OP_NAME, 3) && walk.at[1] == variables[i].id)
                copy_name(&walk, variables[i].name, sizeof(variables[i].name));
    return count;
}

/* ---- the lines that read a variable ---- */

struct pointers {
    uint32_t ids[MOST_POINTERS];
    uint32_t count;
};

static bool leads_to(const struct pointers *pointers, uint32_t id)
{
    for (uint32_t i = 0; i < pointers->count; i++)
        if (pointers->ids[i] == id)
            return true;
    return false;
}

static void add_file(const uint32_t *words, uint64_t size, uint32_t file, char *text, size_t capacity)
{
    char name[128] = "";
    struct walk walk;

    for (walk_begin(&walk, words, size); walk_next(&walk);)
        if (is_op(&walk, OP_STRING, 3) && walk.at[1] == file)
            copy_name(&walk, name, sizeof(name));
    snprintf(text, capacity, "%s:", name);
}

/* The line holds until the next one, also beyond the end of its block: compilers name none for the rest of a
 * statement with branches. */
void kernel_words_reads(const uint32_t *words, uint64_t size, uint32_t variable, char *text, size_t capacity)
{
    struct pointers pointers = {.ids = {variable}, .count = 1};
    uint32_t file = 0, line = 0, last = 0, first_file = 0;
    struct walk walk;

    text[0] = '\0';
    for (walk_begin(&walk, words, size); walk_next(&walk);) {
        size_t length = strlen(text);

        if (is_op(&walk, OP_LINE, 4)) {
            file = walk.at[1];
            line = walk.at[2];
        } else if (is_op(&walk, OP_NO_LINE, 1)) {
            line = 0;
        } else if ((is_op(&walk, OP_ACCESS_CHAIN, 4) || is_op(&walk, OP_IN_BOUNDS_ACCESS_CHAIN, 4)) &&
                   leads_to(&pointers, walk.at[3]) && pointers.count < MOST_POINTERS) {
            pointers.ids[pointers.count++] = walk.at[2];
        } else if (is_op(&walk, OP_LOAD, 4) && leads_to(&pointers, walk.at[3]) && line != 0 && line != last &&
                   (last == 0 || file == first_file) && capacity - length > 16) {
            if (last == 0)
                add_file(words, size, first_file = file, text, capacity - 16);
            length = strlen(text);
            snprintf(text + length, capacity - length, "%s%u", last == 0 ? "" : ", ", line);
            last = line;
        }
    }
}

static const struct kernel_variable *find_variable(const struct walk *walk,
                                                   const struct kernel_variable *variables, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (is_op(walk, OP_VARIABLE, 4) && walk->at[2] == variables[i].id)
            return &variables[i];
    return NULL;
}

/* Each gets a constant of zeros in front of it: three words, and one more for the variable. */
uint32_t *kernel_words_zeroed(const uint32_t *words, uint64_t size, const struct kernel_variable *variables,
                              uint32_t count, uint64_t *zeroed_size)
{
    uint32_t *zeroed = output_allocate(size + (uint64_t)count * 4 * sizeof(*words), 1);
    uint64_t length  = HEADER;
    struct walk walk;

    memcpy(zeroed, words, HEADER * sizeof(*words));
    for (walk_begin(&walk, words, size); walk_next(&walk);) {
        const struct kernel_variable *variable = find_variable(&walk, variables, count);

        if (variable) {
            uint32_t zero        = zeroed[BOUND]++;
            const uint32_t add[] = {3u << 16 | OP_CONSTANT_NULL,
                                    variable->type,
                                    zero,
                                    5u << 16 | OP_VARIABLE,
                                    walk.at[1],
                                    walk.at[2],
                                    STORAGE_WORKGROUP,
                                    zero};

            memcpy(zeroed + length, add, sizeof(add));
            length += sizeof(add) / sizeof(add[0]);
            continue;
        }
        memcpy(zeroed + length, walk.at, walk.length * sizeof(*words));
        length += walk.length;
    }
    *zeroed_size = length * sizeof(*words);
    return zeroed;
}
