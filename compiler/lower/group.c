/* Makes matrices of work-groups arrays (group.h): the order of things, and the functions of the module.
 *
 * A module that has something else of the extensions stays as it is, and the reader refuses it.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/lower/group.h"

enum {
    CAPABILITY_BFLOAT_MATRIX = 5118,
    CAPABILITY_REDUCTIONS    = 5430,
    CAPABILITY_BLOCK_LOADS   = 5434,
    CAPABILITY_TENSORS       = 5439,
    CAPABILITY_DECODE_VECTOR = 5447,
};

/* ---- functions of the module --------------------------------------------------------------- */

/* Is the first value of the variable a constant that the function makes? */
static bool has_splat(const struct group *group, const uint32_t *at)
{
    return lower_length(at) == 5 && at[4] < group->module.bound && group->splats[at[4]] != 0;
}

static void write_variable(struct group *group, const uint32_t *at)
{
    if (has_splat(group, at))
        GROUP_PUT(group, &group->code, SpvOpVariable, at[1], at[2], at[3]);
    else
        group_copy(group, &group->code, at, lower_length(at));
}

static bool is_end(uint32_t opcode)
{
    return opcode == SpvOpFunctionEnd || opcode == SpvOpFunction;
}

/* Does it stand among the variables of a function? Of extended instructions those of debug information do. */
static bool is_among_variables(uint32_t opcode)
{
    return opcode == SpvOpVariable || opcode == SpvOpLine || opcode == SpvOpNoLine || opcode == SpvOpExtInst;
}

/* Makes the constant matrices that the instructions from `begin` on, behind the first label of the function,
 * name; stores those that are first values. A literal may look like one, which costs a call. */
static void write_splats(struct group *group, uint32_t begin)
{
    const uint32_t *words = group->module.words;

    for (uint32_t i = begin; i < group->module.count && !is_end(lower_opcode(words + i));
         i += lower_length(words + i))
        for (uint32_t k = 1; k < lower_length(words + i); k++) {
            uint32_t id = words[i + k];
            if (id >= group->module.bound || group->splats[id] == 0 || group->here[id] != 0)
                continue;
            const struct group_type *type = group_matrix_of(group, id);
            if (group->here_count == GROUP_SPLATS_MOST || type == NULL) {
                group->failed = true;
                return;
            }
            group->here_ids[group->here_count++] = id;
            group->here[id]                      = group_id(group);
            group_call(group, type->id, group->here[id], group_splat(group, type), &group->splats[id], 1);
        }
    for (uint32_t i = begin; i < group->module.count; i += lower_length(words + i)) {
        uint32_t opcode = lower_opcode(words + i);
        if (!is_among_variables(opcode))
            break;
        if (opcode == SpvOpVariable && lower_length(words + i) == 5 && words[i + 4] < group->module.bound &&
            group->here[words[i + 4]] != 0)
            GROUP_PUT(group, &group->code, SpvOpStore, words[i + 2], group->here[words[i + 4]]);
    }
}

static void forget_splats(struct group *group)
{
    while (group->here_count != 0)
        group->here[group->here_ids[--group->here_count]] = 0;
}

/* The operands from `first` to before `end` are values. */
static void write_mapped(struct group *group, const uint32_t *at, uint32_t first, uint32_t end)
{
    uint32_t begin = group->code.count;

    group_copy(group, &group->code, at, lower_length(at));
    for (uint32_t i = first; i < end && i < lower_length(at) && !group->failed; i++)
        group->code.at[begin + i] = group_value(group, at[i]);
}

/* An instruction that is no operation on matrices. Those that give one copy it. */
static void write_other(struct group *group, const uint32_t *at)
{
    uint32_t length = lower_length(at);

    switch (lower_opcode(at)) {
    case SpvOpStore:
        write_mapped(group, at, 2, 3);
        break;
    case SpvOpPhi:
    case SpvOpCopyObject:
    case SpvOpSelect:
    case SpvOpCompositeConstruct:
        write_mapped(group, at, 3, length);
        break;
    case SpvOpCompositeExtract:
        write_mapped(group, at, 3, 4);
        break;
    case SpvOpCompositeInsert:
        write_mapped(group, at, 3, 5);
        break;
    case SpvOpFunctionCall:
        write_mapped(group, at, 4, length);
        break;
    case SpvOpReturnValue:
        write_mapped(group, at, 1, 2);
        break;
    case SpvOpVariable:
        write_variable(group, at);
        break;
    case SpvOpLoad:
    case SpvOpUndef:
    case SpvOpFunctionParameter:
    case SpvOpFunction:
        group_copy(group, &group->code, at, length);
        break;
    default: { /* it may give one, which nothing here knows */
        uint32_t word = lower_result_word(lower_opcode(at));
        group->failed |= word == 2 && group_type(group, at[1]) != NULL;
        group_copy(group, &group->code, at, length);
        break;
    }
    }
}

static void write_code(struct group *group)
{
    const uint32_t *words = group->module.words;
    uint32_t variables    = 0; /* where those of the function begin; 0: it is behind them */
    bool is_label         = false;

    for (uint32_t i = group->module.functions; i < group->module.count && !group->failed;
         i += lower_length(words + i)) {
        const uint32_t *at = words + i;
        uint32_t opcode    = lower_opcode(at);
        if (opcode == SpvOpFunction) {
            forget_splats(group);
            is_label = true;
        } else if (opcode == SpvOpLabel && is_label) {
            is_label  = false;
            variables = i + lower_length(at);
        } else if (variables != 0 && !is_among_variables(opcode)) {
            if (group->has_splats)
                write_splats(group, variables);
            variables = 0;
        } else if (variables == 0 && opcode == SpvOpVariable && has_splat(group, at)) {
            group->failed = true; /* its first value would never be stored */
            return;
        }
        if (group_is_layout_opcode(opcode))
            group_write_layout(group, at);
        else if (opcode == GROUP_OP_LOAD_TENSOR || opcode == GROUP_OP_STORE_TENSOR)
            group_write_tensor(group, at);
        else if (opcode == SPIRV_OpCooperativeMatrixLoadKHR || opcode == SPIRV_OpCooperativeMatrixStoreKHR)
            group_write_access(group, at);
        else if (!group_write_math(group, at))
            write_other(group, at);
    }
}

/* ---- all of the module --------------------------------------------------------------------- */

static bool is_of_extension(const uint32_t *at)
{
    static const char *const names[] = {"SPV_KHR_cooperative_matrix", "SPV_NV_cooperative_matrix2",
                                        "SPV_NV_tensor_addressing",
                                        "SPV_NV_cooperative_matrix_decode_vector"};

    for (uint32_t i = 0; i < SPIRV_COUNT(names); i++)
        if (lower_length(at) == 2 + strlen(names[i]) / 4 &&
            memcmp(at + 1, names[i], strlen(names[i]) + 1) == 0)
            return true;
    return false;
}

static bool is_dropped(uint32_t capability)
{
    return (capability >= CAPABILITY_REDUCTIONS && capability <= CAPABILITY_BLOCK_LOADS) ||
           capability == CAPABILITY_TENSORS || capability == CAPABILITY_DECODE_VECTOR ||
           capability == CAPABILITY_BFLOAT_MATRIX || capability == SPIRV_CapabilityCooperativeMatrixKHR;
}

/* Where the ids behind the name of an entry point begin. */
static uint32_t behind_name(const uint32_t *at)
{
    for (uint32_t i = 3; i < lower_length(at); i++)
        if ((at[i] & 0xff) == 0 || (at[i] >> 8 & 0xff) == 0 || (at[i] >> 16 & 0xff) == 0 || at[i] >> 24 == 0)
            return i + 1;
    return lower_length(at);
}

static bool names(const uint32_t *at, uint32_t id)
{
    for (uint32_t i = behind_name(at); i < lower_length(at); i++)
        if (at[i] == id)
            return true;
    return false;
}

static void write_entry(struct group *group, struct group_words *out, const uint32_t *at)
{
    uint32_t begin = out->count;

    group_copy(group, out, at, lower_length(at));
    for (uint32_t i = 0; i < group->interface.count && group_step(group, lower_length(at)); i++)
        if (!names(at, group->interface.at[i]))
            group_copy(group, out, &group->interface.at[i], 1);
    group->failed |= out->count - begin > UINT16_MAX;
    if (!group->failed)
        out->at[begin] = (out->count - begin) << SpvWordCountShift | SpvOpEntryPoint;
}

static void add_capability(struct group *group, struct group_words *out, uint32_t capability, bool is_needed)
{
    const uint32_t *words = group->module.words;

    for (uint32_t i = LOWER_HEADER_WORDS; i < group->module.functions; i += lower_length(words + i))
        if (lower_opcode(words + i) == SpvOpCapability && lower_length(words + i) == 2 &&
            words[i + 1] == capability)
            is_needed = false;
    if (is_needed)
        GROUP_PUT(group, out, SpvOpCapability, capability);
}

static bool is_annotation(uint32_t opcode)
{
    return (opcode >= SpvOpDecorate && opcode <= SpvOpGroupMemberDecorate) || opcode == SpvOpDecorateId ||
           opcode == SpvOpDecorateString || opcode == SpvOpMemberDecorateString;
}

/* A view has decorations, so that there are names only where there are annotations. */
static void write_preamble(struct group *group, struct group_words *out)
{
    const struct lower_words *module = &group->module;
    bool has_import = false, has_names = false;

    group_copy(group, out, module->words, LOWER_HEADER_WORDS);
    add_capability(group, out, SpvCapabilityInt64, group->needs_addresses);
    add_capability(group, out, SPIRV_CapabilityBufferAddresses, group->takes_addresses);
    add_capability(group, out, SPIRV_CapabilityMatrixSubgroups, group->has_subgroups);
    add_capability(group, out, SpvCapabilityStorageBuffer8BitAccess, group->has_narrow_view[0]);
    add_capability(group, out, SpvCapabilityStorageBuffer16BitAccess, group->has_narrow_view[1]);
    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        uint32_t opcode    = lower_opcode(at);
        if (!lower_is_preamble(opcode))
            break;
        if (!has_names && is_annotation(opcode)) {
            group_copy(group, out, group->names.at, group->names.count);
            has_names = true;
        }
        if (opcode == SpvOpMemoryModel && group->extended != 0 && !has_import) {
            const char name[16] = "GLSL.std.450";
            uint32_t text[5]    = {group->extended};
            memcpy(text + 1, name, sizeof(name));
            group_put(group, out, SpvOpExtInstImport, text, 5);
            has_import = true;
        }
        if ((opcode == SpvOpCapability && lower_length(at) == 2 && is_dropped(at[1])) ||
            (opcode == SpvOpExtension && is_of_extension(at)))
            continue;
        if (opcode == SpvOpEntryPoint)
            write_entry(group, out, at);
        else
            group_copy(group, out, at, lower_length(at));
    }
}

/* Shared memory comes last: only now its lengths are known. */
static void write_scratches(struct group *group)
{
    for (uint32_t i = 0; i < group->scratch_count; i++) {
        const struct group_scratch *scratch = &group->scratches[i];
        const uint32_t array[]              = {scratch->component, scratch->length};
        uint32_t type                       = group_type_id(group, SpvOpTypeArray, array, 2);
        GROUP_PUT(group, &group->globals, SpvOpVariable, group_pointer(group, SpvStorageClassWorkgroup, type),
                  scratch->variable, SpvStorageClassWorkgroup);
    }
}

/* Are there matrices of work-groups, layouts or views, and nothing but them? */
static bool is_wanted(struct group *group)
{
    const struct lower_words *module = &group->module;
    bool is_found                    = false;

    for (uint32_t i = LOWER_HEADER_WORDS; i < module->functions; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        uint32_t opcode = lower_opcode(at), scope = 0;
        if (opcode == SpvOpTypeCooperativeMatrixNV)
            return false;
        group->is_vulkan |=
            opcode == SpvOpMemoryModel && lower_length(at) == 3 && at[2] == SpvMemoryModelVulkan;
        group->has_decoration_groups |= opcode == SpvOpGroupDecorate || opcode == SpvOpGroupMemberDecorate;
        if (opcode == SPIRV_OpTypeCooperativeMatrixKHR) {
            if (lower_length(at) < 4 || !group_plain(group, at[3], &scope) || scope != SpvScopeWorkgroup)
                return false;
            is_found = true;
        }
        if (opcode == SpvOpCapability && lower_length(at) == 2 &&
            ((at[1] >= SpvCapabilityGroupNonUniform && at[1] <= SpvCapabilityGroupNonUniformQuad) ||
             at[1] == SpvCapabilitySubgroupBallotKHR || at[1] == SpvCapabilitySubgroupVoteKHR ||
             at[1] == SpvCapabilityGroupNonUniformRotateKHR))
            group->has_subgroups = true;
    }
    return is_found;
}

static bool prepare(struct group *group)
{
    const struct lower_words *module = &group->module;
    uint32_t bound                   = module->bound;

    group->bound      = bound;
    group->types      = base_arena_allocate(group->arena, bound, sizeof(*group->types));
    group->functions  = base_arena_allocate(group->arena, bound, sizeof(*group->functions));
    group->splats     = base_arena_allocate(group->arena, bound, sizeof(*group->splats));
    group->here       = base_arena_allocate(group->arena, bound, sizeof(*group->here));
    group->is_hoisted = base_arena_allocate(group->arena, bound, sizeof(*group->is_hoisted));
    if (group->arena->failed)
        return false;
    for (uint32_t i = module->functions; i < module->count; i += lower_length(module->words + i)) {
        const uint32_t *at = module->words + i;
        if (lower_opcode(at) == SpvOpFunction && lower_length(at) == 5 && at[2] < bound)
            group->functions[at[2]] = i;
    }
    return true;
}

/* Most modules have none, which costs a look at the opcodes. */
static bool has_opcode(const uint32_t *words, uint32_t count)
{
    for (uint32_t i = LOWER_HEADER_WORDS; i < count; i += lower_length(words + i)) {
        uint32_t opcode = lower_opcode(words + i), length = lower_length(words + i);
        if (length == 0 || length > count - i || opcode == SpvOpFunction)
            return false;
        if (opcode == SPIRV_OpTypeCooperativeMatrixKHR || opcode == GROUP_OP_TYPE_LAYOUT)
            return true;
    }
    return false;
}

void lower_group(struct base_arena *arena, const uint32_t **words, uint32_t *count)
{
    struct group *group;
    struct group_words out = {NULL, 0, 0};

    if (!has_opcode(*words, *count))
        return;
    group = base_arena_allocate(arena, 1, sizeof(*group));
    if (group == NULL)
        return;
    group->arena = arena;
    if (!lower_scan(&group->module, arena, *words, *count) || !is_wanted(group) || !prepare(group))
        return;
    group_write_types(group);
    if (!group->failed)
        write_code(group);
    if (!group->failed)
        write_scratches(group);
    if (!group->failed)
        write_preamble(group, &out);
    group_copy(group, &out, group->annotations.at, group->annotations.count);
    group_copy(group, &out, group->globals.at, group->globals.count);
    group_copy(group, &out, group->code.at, group->code.count);
    group_copy(group, &out, group->made.at, group->made.count);
    if (group->failed || arena->failed)
        return;
    out.at[3] = group->bound;
    *words    = out.at;
    *count    = out.count;
}
