/* Makes the instructions of SPV_AMD_shader_trinary_minmax, the least, the greatest and the middle of three
 * values, those of GLSL.std.450 for two.
 *
 * The id of the set stays and means GLSL.std.450: a module may import a set twice. A module with an
 * instruction that the set does not have stays as it is, and the reader refuses it.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/module.h"

#define INSTRUCTIONS 9u /* FMin3AMD, UMin3AMD, SMin3AMD, the same of Max3 and Mid3 */
#define OPERANDS 8u     /* words of one */
#define EXTRA_MOST 28u  /* words that one becomes */

static const char amd_set[]   = "SPV_AMD_shader_trinary_minmax";
static const char glsl_name[] = "GLSL.std.450";

enum {
    KIND_MIN,
    KIND_MAX,
    KIND_MIDDLE,
};

/* By what the values are: floats, unsigned and signed integers. */
static const uint32_t least[]    = {GLSLstd450FMin, GLSLstd450UMin, GLSLstd450SMin};
static const uint32_t greatest[] = {GLSLstd450FMax, GLSLstd450UMax, GLSLstd450SMax};

/* Does the text begin at this word of the instruction, and end in it? */
static bool is_text(const uint32_t *at, uint32_t word, const char *text, size_t size)
{
    return lower_length(at) >= word + (size + 3) / 4 && memcmp(at + word, text, size) == 0;
}

static bool is_import(const uint32_t *at)
{
    return lower_opcode(at) == SpvOpExtInstImport && lower_length(at) > 2 &&
           is_text(at, 2, amd_set, sizeof(amd_set));
}

static bool is_instruction(const uint32_t *at, uint32_t set)
{
    return lower_opcode(at) == SpvOpExtInst && lower_length(at) > 4 && at[3] == set;
}

/* Counts the instructions of the set; false when one cannot be followed. */
static bool count_instructions(const struct lower_words *module, uint32_t set, uint32_t *count)
{
    for (uint32_t i = LOWER_HEADER_WORDS; i < module->count; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (!is_instruction(at, set))
            continue;
        if (lower_length(at) != OPERANDS || at[4] - 1 >= INSTRUCTIONS)
            return false;
        ++*count;
    }
    return true;
}

/* The id of the set that is imported; 0: none, or it is imported twice. */
static uint32_t find_set(const struct lower_words *module)
{
    uint32_t set = 0;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        if (!is_import(module->words + i))
            continue;
        if (set != 0)
            return 0;
        set = module->words[i + 1];
    }
    return set;
}

static uint32_t put_pair(struct lower_writer *writer, const uint32_t *at, uint32_t instruction, uint32_t a,
                         uint32_t b)
{
    uint32_t id = lower_fresh_id(writer);

    LOWER_PUT(writer, SpvOpExtInst, at[1], id, at[3], instruction, a, b);
    return id;
}

/* The middle one is the greater of min(a, b) and min(max(a, b), c). */
static void put_instruction(struct lower_writer *writer, const uint32_t *at)
{
    uint32_t kind = (at[4] - 1) / 3, values = (at[4] - 1) % 3;
    uint32_t last = kind == KIND_MIN ? least[values] : greatest[values];
    uint32_t a = at[5], b = at[6], c = at[7];

    if (kind == KIND_MIDDLE) {
        uint32_t upper = put_pair(writer, at, greatest[values], a, b);
        a              = put_pair(writer, at, least[values], a, b);
        b              = put_pair(writer, at, least[values], upper, c);
    } else {
        a = put_pair(writer, at, last, a, b);
        b = c;
    }
    LOWER_PUT(writer, SpvOpExtInst, at[1], at[2], at[3], last, a, b);
}

static void put_import(struct lower_writer *writer, const uint32_t *at)
{
    uint32_t words[1 + (sizeof(glsl_name) + 3) / 4] = {at[1]};

    memcpy(words + 1, glsl_name, sizeof(glsl_name));
    lower_put(writer, SpvOpExtInstImport, words, sizeof(words) / sizeof(words[0]));
}

static void write(struct lower_writer *writer, const struct lower_words *module, uint32_t set)
{
    lower_put_words(writer, module->words, LOWER_HEADER_WORDS);
    for (uint32_t i = LOWER_HEADER_WORDS; i < module->count; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (is_import(at))
            put_import(writer, at);
        else if (is_instruction(at, set))
            put_instruction(writer, at);
        else if (lower_opcode(at) != SpvOpExtension || !is_text(at, 1, amd_set, sizeof(amd_set)))
            lower_put_words(writer, at, lower_length(at));
    }
    writer->words[3] = writer->bound;
}

void lower_trinary(struct base_arena *arena, const uint32_t **words, uint32_t *count)
{
    struct lower_words module;
    struct lower_writer writer = {.count = 0};
    uint32_t instructions      = 0;

    if (!lower_scan(&module, arena, *words, *count))
        return;
    uint32_t set = find_set(&module);
    if (set == 0 || !count_instructions(&module, set, &instructions))
        return;
    uint64_t most = (uint64_t)*count + (uint64_t)EXTRA_MOST * instructions;
    writer.words  = most <= UINT32_MAX ? base_arena_allocate(arena, most, sizeof(uint32_t)) : NULL;
    writer.bound  = module.bound;
    if (writer.words == NULL)
        return;
    write(&writer, &module, set);
    *words = writer.words;
    *count = writer.count;
}
