/* Types and constants of matrices of work-groups, of tensor layouts and of tensor views.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/group.h"

#define SIDE_MOST 1024u
#define TYPES_MOST 256u

/* The words of OpTypeCooperativeMatrixKHR. */
enum {
    WORD_ID = 1,
    WORD_COMPONENT,
    WORD_SCOPE,
    WORD_ROWS,
    WORD_COLUMNS,
    WORD_USE,
    WORDS,
};

static const uint32_t *definition(const struct group *group, uint32_t id)
{
    const struct lower_words *module = &group->module;

    return id < module->bound && module->defined_at[id] != 0 ? module->words + module->defined_at[id] : NULL;
}

/* ---- the size of the work-group ------------------------------------------------------------ */

static void find_sizes(struct group *group, uint32_t sizes[3])
{
    const struct lower_words *module = &group->module;
    const uint32_t *composite        = NULL;
    uint32_t entries = 0, modes = 0;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        uint32_t opcode = lower_opcode(at), length = lower_length(at);
        entries += opcode == SpvOpEntryPoint;
        if (opcode == SpvOpDecorate && length == 4 && at[2] == SpvDecorationBuiltIn &&
            at[3] == SpvBuiltInWorkgroupSize)
            composite = definition(group, at[1]);
        if (length != 6 || (opcode != SpvOpExecutionMode && opcode != SpvOpExecutionModeId) ||
            at[2] != (opcode == SpvOpExecutionMode ? SpvExecutionModeLocalSize : SpvExecutionModeLocalSizeId))
            continue;
        modes++;
        for (uint32_t k = 0; k < 3; k++)
            sizes[k] = opcode == SpvOpExecutionMode ? group_constant(group, at[3 + k]) : at[3 + k];
    }
    if (composite != NULL && lower_length(composite) == 6 &&
        (lower_opcode(composite) == SpvOpSpecConstantComposite ||
         lower_opcode(composite) == SpvOpConstantComposite)) {
        memcpy(sizes, composite + 3, 3 * sizeof(*sizes));
        modes = 1;
    }
    if (entries != 1 || modes != 1)
        group->failed = true;
}

/* Writes a type or constant before all others, and skips it where it stands. */
static void hoist(struct group *group, uint32_t id)
{
    const uint32_t *at = definition(group, id);

    if (at == NULL || group->is_hoisted[id])
        return;
    group->is_hoisted[id] = 1;
    group_copy(group, &group->globals, at, lower_length(at));
}

static uint32_t scalar_type(struct group *group, uint32_t opcode, const uint32_t *operands, uint32_t count)
{
    uint32_t id = group_type_id(group, opcode, operands, count);

    hoist(group, id);
    return id;
}

/* A size as an unsigned constant. */
static uint32_t as_uint(struct group *group, uint32_t id)
{
    const uint32_t *at = definition(group, id);

    if (id >= group->module.bound)
        return id; /* a new constant */
    if (at == NULL || lower_opcode(at) < SpvOpConstant || lower_opcode(at) > SpvOpSpecConstantOp) {
        group->failed = true;
        return 0;
    }
    if (at[1] == group->uint_type)
        return id;
    const uint32_t *type = lower_definition(&group->module, at[1], SpvOpTypeInt, 4);
    if (type == NULL || type[2] != 32) {
        group->failed = true;
        return 0;
    }
    return group_fold(group, SpvOpIAdd, id, group_constant(group, 0));
}

/* The sizes are constants by themselves, which can be written first. */
static void find_threads(struct group *group)
{
    uint32_t sizes[3] = {0, 0, 0};

    find_sizes(group, sizes);
    for (uint32_t i = 0; i < 3 && !group->failed; i++) {
        const uint32_t *at = definition(group, sizes[i]);
        if (sizes[i] >= group->module.bound)
            continue;
        if (at == NULL || (lower_opcode(at) != SpvOpConstant && lower_opcode(at) != SpvOpSpecConstant) ||
            lower_definition(&group->module, at[1], SpvOpTypeInt, 4) == NULL) {
            group->failed = true;
            return;
        }
        hoist(group, at[1]);
        hoist(group, sizes[i]);
    }
    if (group->failed)
        return;
    uint32_t plane = group_fold(group, SpvOpIMul, as_uint(group, sizes[0]), as_uint(group, sizes[1]));
    group->threads = group_fold(group, SpvOpIMul, plane, as_uint(group, sizes[2]));
}

/* ---- matrices ------------------------------------------------------------------------------ */

/* A side that is too long, and only the program can say so, becomes 0, which the reader refuses then. */
static uint32_t side(struct group *group, uint32_t id)
{
    uint32_t rows = as_uint(group, id), value = 0;

    if (group->failed)
        return 0;
    if (group_plain(group, rows, &value)) {
        group->failed |= value == 0 || value > SIDE_MOST;
        return rows;
    }
    /* 1 or 0, by which it is multiplied */
    uint32_t is_long = group_fold(group, SpvOpUDiv, rows, group_constant(group, SIDE_MOST + 1));
    uint32_t fits    = group_fold(group, SpvOpISub, group_constant(group, 1),
                                  group_smaller(group, is_long, group_constant(group, 1)));
    return group_fold(group, SpvOpIMul, rows, fits);
}

static void read_component(struct group *group, struct group_type *type)
{
    const uint32_t *at = definition(group, type->component);

    if (at == NULL || lower_length(at) < 3) {
        group->failed = true;
        return;
    }
    type->component_kind = lower_opcode(at);
    type->width          = at[2];
    type->is_bfloat      = type->component_kind == SpvOpTypeFloat && lower_length(at) == 4;
    type->is_signed      = type->component_kind == SpvOpTypeInt && lower_length(at) == 4 && at[3] != 0;
    bool is_float        = type->component_kind == SpvOpTypeFloat && (type->width == 16 || type->width == 32);
    bool is_int          = type->component_kind == SpvOpTypeInt && type->width <= 32;
    if (!(is_float || is_int) || (type->is_bfloat && (type->width != 16 || at[3] != 0)))
        group->failed = true;
}

static void write_matrix(struct group *group, const uint32_t *at, struct group_type *type)
{
    uint32_t scope = 0, use = 0;

    if (lower_length(at) != WORDS || !group_plain(group, at[WORD_SCOPE], &scope) ||
        scope != SpvScopeWorkgroup || !group_plain(group, at[WORD_USE], &use) || use > 2) {
        group->failed = true;
        return;
    }
    type->kind      = GROUP_MATRIX;
    type->component = at[WORD_COMPONENT];
    read_component(group, type);
    type->rows    = group->failed ? 0 : side(group, at[WORD_ROWS]);
    type->columns = group->failed ? 0 : side(group, at[WORD_COLUMNS]);
    if (group->failed)
        return;
    uint32_t less  = group_fold(group, SpvOpISub, group->threads, group_constant(group, 1));
    type->elements = group_fold(group, SpvOpIMul, type->rows, type->columns);
    type->length =
        group_fold(group, SpvOpUDiv, group_fold(group, SpvOpIAdd, type->elements, less), group->threads);
    GROUP_PUT(group, &group->globals, SpvOpTypeArray, type->id, type->component, type->length);
}

/* ---- layouts and views --------------------------------------------------------------------- */

static void write_struct(struct group *group, uint32_t id, uint32_t members)
{
    uint32_t words[5 * GROUP_DIMENSIONS_MOST + 2] = {id};

    for (uint32_t i = 0; i < members; i++)
        words[1 + i] = group->uint_type;
    group_put(group, &group->globals, SpvOpTypeStruct, words, members + 1);
}

static bool read_dimensions(const struct group *group, uint32_t id, struct group_type *type)
{
    return group_plain(group, id, &type->dimensions) && type->dimensions >= 1 &&
           type->dimensions <= GROUP_DIMENSIONS_MOST;
}

static void write_layout_type(struct group *group, const uint32_t *at, struct group_type *type)
{
    if (lower_length(at) != 4 || !read_dimensions(group, at[2], type)) {
        group->failed = true;
        return;
    }
    type->kind       = GROUP_LAYOUT;
    type->clamp_mode = as_uint(group, at[3]);
    write_struct(group, type->id, 5 * type->dimensions + 1);
}

static void write_view_type(struct group *group, const uint32_t *at, struct group_type *type)
{
    uint32_t seen = 0, has = 0;

    if (lower_length(at) < 4 || !read_dimensions(group, at[2], type) ||
        lower_length(at) != 4 + type->dimensions || !group_plain(group, at[3], &has)) {
        group->failed = true;
        return;
    }
    type->kind           = GROUP_VIEW;
    type->has_dimensions = has != 0;
    for (uint32_t i = 0; i < type->dimensions; i++) {
        if (!group_plain(group, at[4 + i], &type->permutation[i]) ||
            type->permutation[i] >= type->dimensions) {
            group->failed = true;
            return;
        }
        seen |= 1u << type->permutation[i];
    }
    group->failed |= seen != (1u << type->dimensions) - 1;
    write_struct(group, type->id, 2 * type->dimensions + 4);
}

/* ---- what stands before the functions ------------------------------------------------------ */

static void write_type(struct group *group, const uint32_t *at)
{
    struct group_type *type = base_arena_allocate(group->arena, 1, sizeof(*type));

    if (type == NULL || lower_length(at) < 4 || at[1] >= group->module.bound ||
        group->type_count == TYPES_MOST) {
        group->failed = true;
        return;
    }
    type->id = at[1];
    group->type_count++;
    if (lower_opcode(at) == SPIRV_OpTypeCooperativeMatrixKHR)
        write_matrix(group, at, type);
    else if (lower_opcode(at) == GROUP_OP_TYPE_LAYOUT)
        write_layout_type(group, at, type);
    else
        write_view_type(group, at, type);
    group->types[at[1]] = type;
}

/* A constant with equal elements stays as one of zeros, and each function that uses another one makes it. */
static void write_composite(struct group *group, const uint32_t *at)
{
    const struct group_type *type = group_type(group, at[1]);
    uint32_t value                = 1;

    for (uint32_t i = 3; type == NULL && i < lower_length(at); i++)
        if (at[i] < group->module.bound && group->splats[at[i]] != 0)
            group->failed = true; /* an array of matrices */
    if (type == NULL) {
        group_copy(group, &group->globals, at, lower_length(at));
        return;
    }
    if (type->kind != GROUP_MATRIX || lower_length(at) != 4) {
        group->failed = true;
        return;
    }
    if (!group_plain(group, at[3], &value) || value != 0) {
        group->splats[at[2]] = at[3];
        group->has_splats    = true;
    }
    GROUP_PUT(group, &group->globals, SpvOpConstantNull, at[1], at[2]);
}

/* The length of a matrix, and no other operation on constant matrices. */
static void write_operation(struct group *group, const uint32_t *at)
{
    if (lower_length(at) == 5 && at[3] == SPIRV_OpCooperativeMatrixLengthKHR) {
        const struct group_type *type = group_type(group, at[4]);
        group->failed |= type == NULL || type->kind != GROUP_MATRIX;
        if (!group->failed)
            GROUP_PUT(group, &group->globals, SpvOpSpecConstantOp, at[1], at[2], SpvOpIAdd, type->length,
                      group_constant(group, 0));
        return;
    }
    group->failed |= group_type(group, at[1]) != NULL;
    group_copy(group, &group->globals, at, lower_length(at));
}

static void write_global(struct group *group, const uint32_t *at)
{
    uint32_t length = lower_length(at);

    switch (lower_opcode(at)) {
    case SPIRV_OpTypeCooperativeMatrixKHR:
    case GROUP_OP_TYPE_LAYOUT:
    case GROUP_OP_TYPE_VIEW:
        write_type(group, at);
        break;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        write_composite(group, at);
        break;
    case SpvOpSpecConstantOp:
        if (length >= 4)
            write_operation(group, at);
        break;
    case SpvOpVariable: /* a constant of a function cannot be its first value */
        group->failed |= length == 5 && at[4] < group->module.bound && group->splats[at[4]] != 0;
        group_copy(group, &group->globals, at, length);
        break;
    default:
        group_copy(group, &group->globals, at, length);
        break;
    }
}

/* Without a clip region all elements are loaded, and what the matrix had before does not matter. */
static void find_clips(struct group *group)
{
    const struct lower_words *module = &group->module;

    for (uint32_t i = module->functions; i < module->count; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (lower_opcode(at) == GROUP_OP_VIEW_CLIP && lower_length(at) > 1 && at[1] < module->bound &&
            group->types[at[1]] != NULL)
            group->types[at[1]]->has_clip = true;
    }
}

void group_write_types(struct group *group)
{
    const struct lower_words *module = &group->module;
    uint32_t begin                   = LOWER_HEADER_WORDS;

    while (begin < module->functions && lower_is_preamble(lower_opcode(module->words + begin)))
        begin += lower_length(module->words + begin);
    group->uint_type = scalar_type(group, SpvOpTypeInt, (const uint32_t[]){32, 0}, 2);
    group->bool_type = scalar_type(group, SpvOpTypeBool, NULL, 0);
    find_threads(group);
    for (uint32_t i = begin; i < module->functions && !group->failed; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        uint32_t word      = lower_result_word(lower_opcode(at));
        if (word == 0 || !group->is_hoisted[at[word]])
            write_global(group, at);
    }
    find_clips(group);
}
