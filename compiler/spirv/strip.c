/* Removes from a module what its compute kernels do not use, where the reader would refuse that: entry points
 * of other stages with their functions and variables, and types such as multisampled images and pointers to
 * outputs. Engines compile a whole program to one module, and front ends declare pointers that nothing uses.
 *
 * Any other module stays as it is, with all buffers that it declares. The words may be anything: a module
 * that cannot be followed here is left to the reader, which refuses it.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/spirv/reader.h"

#define HEADER_WORDS 5u

struct strip {
    struct base_arena *arena;
    const uint32_t *words;
    uint32_t count, bound;
    uint32_t kernel_count, other_count; /* entry points */
    uint32_t function;                  /* the function around the instruction, while scanning; 0: none */
    bool has_refused_type;
    uint32_t *defined_at; /* by id: the word that defines it outside of functions; 0: none */
    uint8_t *is_live;     /* by id */
    uint8_t *is_ignored;  /* by id: a non-semantic set of instructions */
    uint32_t *stack;      /* live ids whose definitions are still to be followed */
    uint32_t depth;
    uint32_t *out;
    uint32_t out_count;
};

static uint32_t opcode_of(const uint32_t *at)
{
    return at[0] & 0xffff;
}

static uint32_t length_of(const uint32_t *at)
{
    return at[0] >> 16;
}

static bool is_extended(const uint32_t *at)
{
    return opcode_of(at) == SpvOpExtInst || opcode_of(at) == SPIRV_OP_FORWARD_EXTENDED;
}

/* ---- what there is ------------------------------------------------------------------------- */

static bool is_type(uint32_t opcode)
{
    return (opcode >= SpvOpTypeVoid && opcode <= SpvOpTypeForwardPointer) || opcode == SpvOpTypeRayQueryKHR ||
           opcode == SpvOpTypeAccelerationStructureKHR || opcode == SpvOpTypeCooperativeMatrixNV ||
           opcode == SPIRV_OpTypeCooperativeMatrixKHR;
}

static bool is_constant(uint32_t opcode)
{
    return (opcode >= SpvOpConstantTrue && opcode <= SpvOpSpecConstantOp) || opcode == SpvOpUndef;
}

/* The word of the id that an instruction outside of functions defines; 0: none that matters here. */
static uint32_t result_word(uint32_t opcode)
{
    if (opcode == SpvOpTypeForwardPointer)
        return 0; /* the OpTypePointer defines it */
    if (is_type(opcode))
        return 1;
    return is_constant(opcode) || opcode == SpvOpVariable || opcode == SpvOpFunction ? 2 : 0;
}

static bool is_refused(const uint32_t *at)
{
    switch (opcode_of(at)) {
    case SpvOpTypePointer:
        return length_of(at) == 4 && !spirv_is_storage_supported(at[2]);
    case SpvOpTypeImage:
        return !spirv_is_image_supported(at, length_of(at));
    case SpvOpTypeRayQueryKHR:
    case SpvOpTypeAccelerationStructureKHR:
        return true;
    default:
        return false;
    }
}

static bool scan_definition(struct strip *strip, const uint32_t *at, uint32_t position)
{
    uint32_t word = result_word(opcode_of(at));

    if (word == 0)
        return true;
    if (length_of(at) <= word || at[word] == 0 || at[word] >= strip->bound ||
        strip->defined_at[at[word]] != 0)
        return false;
    strip->defined_at[at[word]] = position;
    strip->has_refused_type |= is_refused(at);
    return true;
}

static bool scan_one(struct strip *strip, const uint32_t *at, uint32_t position)
{
    uint32_t opcode = opcode_of(at), length = length_of(at);

    if (opcode == SpvOpFunctionEnd) {
        strip->function = 0;
        return true;
    }
    if (strip->function != 0)
        return opcode != SpvOpFunction;
    if (opcode == SpvOpEntryPoint) {
        if (length < 4 || at[2] >= strip->bound)
            return false;
        strip->kernel_count += at[1] == SpvExecutionModelGLCompute;
        strip->other_count += at[1] != SpvExecutionModelGLCompute;
    }
    if (opcode == SpvOpExtInstImport && length >= 3 && at[1] < strip->bound)
        strip->is_ignored[at[1]] = spirv_is_ignored_set(at, length);
    if (!scan_definition(strip, at, position))
        return false;
    if (opcode == SpvOpFunction)
        strip->function = at[2];
    return true;
}

/* Notes where ids are defined. False when the words make no module. */
static bool scan(struct strip *strip)
{
    for (uint32_t i = HEADER_WORDS; i < strip->count; i += length_of(strip->words + i)) {
        uint32_t length = length_of(strip->words + i);
        if (length == 0 || length > strip->count - i || !scan_one(strip, strip->words + i, i))
            return false;
    }
    return strip->function == 0;
}

/* ---- what is live -------------------------------------------------------------------------- */

static void mark(struct strip *strip, uint32_t id)
{
    if (id == 0 || id >= strip->bound || strip->is_live[id])
        return;
    strip->is_live[id] = 1;
    if (strip->defined_at[id] != 0)
        strip->stack[strip->depth++] = id;
}

static void mark_words(struct strip *strip, const uint32_t *at, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end && i < length_of(at); i++)
        mark(strip, at[i]);
}

/* Marks the ids among the operands of an instruction that functions may contain. The reader refuses unknown
 * ones. */
static void mark_operands(struct strip *strip, uint32_t opcode, const uint32_t *operands, uint32_t count)
{
    const struct spirv_grammar *grammar = spirv_grammar(opcode);
    struct spirv_operand_walk walk;

    if (grammar == NULL)
        return;
    for (uint32_t i = 0; grammar->rule == RULE_PHI && i < count; i++)
        mark(strip, operands[i]);
    if (grammar->rule == RULE_PHI)
        return;
    spirv_walk_begin(&walk, grammar, operands, count);
    for (;;) {
        uint32_t index = walk.index;
        char letter    = spirv_walk_next(&walk);
        if (letter == 0 || letter == 's' || letter == '!')
            return;
        if (letter != 'n')
            mark(strip, operands[index]);
    }
}

static void follow_type(struct strip *strip, const uint32_t *at)
{
    switch (opcode_of(at)) {
    case SpvOpTypeVector:
    case SpvOpTypeMatrix:
    case SpvOpTypeRuntimeArray:
    case SpvOpTypeImage:
    case SpvOpTypeSampledImage:
        mark_words(strip, at, 2, 3);
        break;
    case SpvOpTypeArray:
        mark_words(strip, at, 2, 4);
        break;
    case SpvOpTypePointer:
        mark_words(strip, at, 3, 4);
        break;
    case SpvOpTypeStruct:
    case SpvOpTypeFunction:
    case SpvOpTypeCooperativeMatrixNV:
    case SPIRV_OpTypeCooperativeMatrixKHR:
        mark_words(strip, at, 2, UINT32_MAX);
        break;
    default:
        break;
    }
}

static void follow_in_function(struct strip *strip, const uint32_t *at)
{
    const struct spirv_grammar *grammar = spirv_grammar(opcode_of(at));

    switch (opcode_of(at)) {
    case SpvOpFunction:
        mark_words(strip, at, 1, 3);
        mark_words(strip, at, 4, 5);
        return;
    case SpvOpFunctionParameter:
    case SpvOpUndef:
        mark_words(strip, at, 1, 3);
        return;
    case SpvOpLabel:
        mark_words(strip, at, 1, 2);
        return;
    default:
        break;
    }
    if (grammar == NULL)
        return;
    uint32_t first = 1u + grammar->has_type + grammar->has_result;
    mark_words(strip, at, 1, first);
    if (length_of(at) > first)
        mark_operands(strip, opcode_of(at), at + first, length_of(at) - first);
}

static void follow(struct strip *strip, const uint32_t *at)
{
    switch (opcode_of(at)) {
    case SpvOpFunction:
        for (; opcode_of(at) != SpvOpFunctionEnd; at += length_of(at))
            follow_in_function(strip, at);
        break;
    case SpvOpVariable: /* its storage class is no id */
        mark_words(strip, at, 1, 2);
        mark_words(strip, at, 4, 5);
        break;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        mark_words(strip, at, 1, UINT32_MAX);
        break;
    case SpvOpSpecConstantOp:
        mark_words(strip, at, 1, 2);
        if (length_of(at) > 4)
            mark_operands(strip, at[3], at + 4, length_of(at) - 4);
        break;
    default:
        if (is_type(opcode_of(at)))
            follow_type(strip, at);
        else
            mark_words(strip, at, 1, 2);
        break;
    }
}

static bool is_interface(uint32_t storage)
{
    return storage == SpvStorageClassUniform || storage == SpvStorageClassStorageBuffer ||
           storage == SpvStorageClassPushConstant;
}

/* Kernels, what a program may specialise, the size of work-groups, and the buffers of a module that has only
 * kernels. */
static void mark_root(struct strip *strip, const uint32_t *at)
{
    uint32_t length = length_of(at);

    switch (opcode_of(at)) {
    case SpvOpEntryPoint:
        if (at[1] == SpvExecutionModelGLCompute)
            mark(strip, at[2]);
        break;
    case SpvOpExecutionModeId:
        if (length > 3 && at[2] == SpvExecutionModeLocalSizeId)
            mark_words(strip, at, 3, length);
        break;
    case SpvOpDecorationGroup:
        mark_words(strip, at, 1, 2);
        break;
    case SpvOpDecorate:
        if (length == 4 && at[2] == SpvDecorationBuiltIn && at[3] == SpvBuiltInWorkgroupSize)
            mark(strip, at[1]);
        break;
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
    case SpvOpSpecConstant:
        mark_words(strip, at, 2, 3);
        break;
    case SpvOpVariable:
        if (length > 3 && strip->other_count == 0 && is_interface(at[3]))
            mark(strip, at[2]);
        break;
    default:
        break;
    }
}

static void find_live(struct strip *strip)
{
    const uint32_t *at  = strip->words + HEADER_WORDS;
    const uint32_t *end = strip->words + strip->count;

    for (; at < end && opcode_of(at) != SpvOpFunction; at += length_of(at))
        mark_root(strip, at);
    while (strip->depth != 0)
        follow(strip, strip->words + strip->defined_at[strip->stack[--strip->depth]]);
}

/* ---- what stays ---------------------------------------------------------------------------- */

static bool is_live(const struct strip *strip, const uint32_t *at, uint32_t word)
{
    return length_of(at) <= word || at[word] >= strip->bound || strip->is_live[at[word]];
}

/* Whether an instruction outside of functions stays. A module with other stages declares their capabilities
 * too. */
static bool stays(const struct strip *strip, const uint32_t *at)
{
    uint32_t opcode = opcode_of(at);

    switch (opcode) {
    case SpvOpCapability:
    case SpvOpExtension:
        return strip->other_count == 0 || spirv_is_supported(at, length_of(at));
    case SpvOpEntryPoint:
        return at[1] == SpvExecutionModelGLCompute;
    case SpvOpDecorateId:
        return is_live(strip, at, 1) && is_live(strip, at, 3);
    case SpvOpTypeForwardPointer:
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpDecorate:
    case SpvOpDecorateString:
    case SpvOpMemberDecorate:
    case SpvOpMemberDecorateString:
        return is_live(strip, at, 1);
    case SpvOpExtInst:
    case SPIRV_OP_FORWARD_EXTENDED:
        return length_of(at) <= 3 || at[3] >= strip->bound || !strip->is_ignored[at[3]];
    default:
        return result_word(opcode) == 0 || is_live(strip, at, result_word(opcode));
    }
}

static void put(struct strip *strip, const uint32_t *at, uint32_t length)
{
    memcpy(strip->out + strip->out_count, at, length * sizeof(*at));
    strip->out_count += length;
}

/* Copies an entry point with the variables that are left. */
static void put_entry(struct strip *strip, const uint32_t *at)
{
    uint32_t begin = strip->out_count, name = 3;

    while (name < length_of(at) && (at[name] & 0xff) != 0 && (at[name] >> 8 & 0xff) != 0 &&
           (at[name] >> 16 & 0xff) != 0 && at[name] >> 24 != 0)
        name++;
    put(strip, at, name < length_of(at) ? name + 1 : length_of(at));
    for (uint32_t i = name + 1; i < length_of(at); i++)
        if (is_live(strip, at, i))
            put(strip, at + i, 1);
    strip->out[begin] = (strip->out_count - begin) << 16 | SpvOpEntryPoint;
}

static void write(struct strip *strip)
{
    bool is_kept = true; /* the function around the instruction */

    put(strip, strip->words, HEADER_WORDS);
    for (uint32_t i = HEADER_WORDS; i < strip->count; i += length_of(strip->words + i)) {
        const uint32_t *at = strip->words + i;
        if (opcode_of(at) == SpvOpFunction) {
            strip->function = at[2];
            is_kept         = strip->is_live[at[2]];
        }
        if (opcode_of(at) == SpvOpEntryPoint && stays(strip, at))
            put_entry(strip, at);
        else if (is_kept && (!(strip->function == 0 || is_extended(at)) || stays(strip, at)))
            put(strip, at, length_of(at));
        if (opcode_of(at) == SpvOpFunctionEnd) {
            strip->function = 0;
            is_kept         = true;
        }
    }
}

int32_t spirv_strip(struct base_arena *arena, const uint32_t **words, uint32_t *count)
{
    struct strip strip = {.arena = arena, .words = *words, .count = *count};

    if (strip.count < HEADER_WORDS || strip.words[3] > SPIRV_BOUND_MOST)
        return TRM_OK;
    strip.bound      = strip.words[3];
    strip.defined_at = base_arena_allocate(arena, strip.bound, sizeof(*strip.defined_at));
    strip.is_ignored = base_arena_allocate(arena, strip.bound, 1);
    if (strip.defined_at == NULL || strip.is_ignored == NULL)
        return base_arena_fail(arena, "reading SPIR-V");
    if (!scan(&strip) || strip.kernel_count == 0 || (strip.other_count == 0 && !strip.has_refused_type))
        return TRM_OK;
    strip.is_live = base_arena_allocate(arena, strip.bound, 1);
    strip.stack   = base_arena_allocate(arena, strip.bound, sizeof(*strip.stack));
    strip.out     = base_arena_allocate(arena, strip.count, sizeof(*strip.out));
    if (arena->failed)
        return base_arena_fail(arena, "reading SPIR-V");
    find_live(&strip);
    write(&strip);
    *words = strip.out;
    *count = strip.out_count;
    return TRM_OK;
}
