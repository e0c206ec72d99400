/* Reads constants and applies specialisation.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include <trireme/type.h>

#include "base/base.h"
#include "compiler/spirv/reader.h"

uint64_t spirv_extend(const struct spirv_type *type, uint64_t bits)
{
    if (type->kind == SPIRV_BOOL)
        return bits & 1;
    if (type->width >= 64)
        return bits;
    bits &= ((uint64_t)1 << type->width) - 1;
    if (type->kind == SPIRV_INT && type->is_signed && bits >> (type->width - 1) != 0)
        bits |= ~(uint64_t)0 << type->width;
    return bits;
}

uint32_t spirv_new_constant(struct spirv_reader *reader, uint32_t type, uint64_t bits, bool is_null)
{
    struct spirv_constant *constant = base_arena_allocate(reader->arena, 1, sizeof(*constant));

    if (constant == NULL)
        return 0;
    uint32_t id = spirv_new_id(reader->module, type);
    if (id == 0)
        return 0;
    *constant = (struct spirv_constant){.type = type, .bits = bits, .is_null = is_null, .weight = 1};
    reader->module->ids[id].kind        = SPIRV_ID_CONSTANT;
    reader->module->ids[id].as.constant = constant;
    return id;
}

uint32_t spirv_constant_part(struct spirv_reader *reader, const struct spirv_constant *constant,
                             uint32_t index)
{
    if (constant->parts != NULL)
        return constant->parts[index];
    return spirv_new_constant(reader, spirv_part_type(spirv_type(reader->module, constant->type), index), 0,
                              true);
}

/* ---- specialisation ------------------------------------------------------------------------ */

int32_t spirv_public_type(const struct spirv_type *type)
{
    if (type->kind == SPIRV_BOOL)
        return TRM_TYPE_U32;
    if (type->kind == SPIRV_FLOAT)
        return type->width == 16 ? TRM_TYPE_F16 : type->width == 32 ? TRM_TYPE_F32 : TRM_TYPE_F64;
    switch (type->width) {
    case 8:
        return type->is_signed ? TRM_TYPE_I8 : TRM_TYPE_U8;
    case 16:
        return type->is_signed ? TRM_TYPE_I16 : TRM_TYPE_U16;
    case 32:
        return type->is_signed ? TRM_TYPE_I32 : TRM_TYPE_U32;
    default:
        return type->is_signed ? TRM_TYPE_I64 : TRM_TYPE_U64;
    }
}

/* The name of a constant for messages, such as "wide", or its SpecId if it has none. */
static const char *describe(const char *name, uint32_t id, char space[16])
{
    if (name != NULL && name[0] != 0)
        return name;
    snprintf(space, 16, "%u", id);
    return space;
}

/* Finds the SpecId of a constant that the program names by id or name. OpName names an id, and the SpecId
 * decoration of that id has the number. */
static bool match_specialisation(const struct spirv_reader *reader, const struct trm_constant *given,
                                 uint32_t *id)
{
    for (uint32_t i = 0; i < reader->decoration_count; i++) {
        const struct spirv_decoration *decoration = &reader->decorations[i];
        if (decoration->kind != SpvDecorationSpecId || decoration->member != SPIRV_WHOLE)
            continue;
        const char *name = reader->module->ids[decoration->id].name;
        if (given->name != NULL ? name == NULL || strcmp(given->name, name) != 0
                                : given->id != decoration->literal)
            continue;
        *id = decoration->literal;
        return true;
    }
    return false;
}

void spirv_list_constants(const struct spirv_reader *reader, char *list, size_t capacity)
{
    char space[16];
    size_t length = 0;

    list[0] = '\0';
    for (uint32_t i = 0; i < reader->decoration_count && length + 40 < capacity; i++) {
        const struct spirv_decoration *decoration = &reader->decorations[i];
        if (decoration->kind != SpvDecorationSpecId || decoration->member != SPIRV_WHOLE)
            continue;
        length += (size_t)snprintf(
            list + length, capacity - length, "%s%.30s", length == 0 ? "; there are: " : ", ",
            describe(reader->module->ids[decoration->id].name, decoration->literal, space));
    }
}

int32_t spirv_match_specialisations(struct spirv_reader *reader)
{
    char space[16], list[200];

    reader->specialisation_ids =
        base_arena_allocate(reader->arena, reader->specialisation_count, sizeof(*reader->specialisation_ids));
    if (reader->specialisation_ids == NULL)
        return base_arena_fail(reader->arena, "reading SPIR-V");
    for (uint32_t i = 0; i < reader->specialisation_count; i++) {
        const struct trm_constant *given = &reader->specialisations[i];
        if (match_specialisation(reader, given, &reader->specialisation_ids[i])) {
            for (uint32_t k = 0; k < i; k++)
                if (reader->specialisation_ids[k] == reader->specialisation_ids[i])
                    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "specialisation constant %s is given twice",
                                     describe(given->name, given->id, space));
            continue;
        }
        spirv_list_constants(reader, list, sizeof(list));
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the module has no specialisation constant %s%s",
                         describe(given->name, given->id, space), list);
    }
    return TRM_OK;
}

static int32_t specialise(struct spirv_reader *reader, uint32_t id, struct spirv_constant *constant)
{
    const struct spirv_type *type = spirv_type(reader->module, constant->type);
    const char *name              = reader->module->ids[id].name;
    int32_t expected              = spirv_public_type(type);
    char space[16];

    for (uint32_t i = 0; i < reader->specialisation_count; i++) {
        const struct trm_constant *given = &reader->specialisations[i];
        if (reader->specialisation_ids[i] != constant->spec_id)
            continue;
        if (given->type != expected)
            return base_fail(TRM_ERROR_TYPE_MISMATCH, "constant %s is %s but was given as %s",
                             describe(name, constant->spec_id, space), trm_type_name(expected),
                             trm_type_name(given->type));
        if (type->kind == SPIRV_BOOL && (uint32_t)given->bits > 1)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT, "constant %s is a bool but was given as %u",
                             describe(name, constant->spec_id, space), (uint32_t)given->bits);
        constant->bits = spirv_extend(type, given->bits);
    }
    return TRM_OK;
}

/* Inserts a constant into the list that is sorted by SpecId. Several constants may share a SpecId and then
 * its value. */
static int32_t list_constant(struct spirv_reader *reader, uint32_t id, struct spirv_constant *constant)
{
    struct spirv_module *module = reader->module;

    if (module->constant_count == SPIRV_CONSTANTS_MOST)
        return spirv_unsupported(reader, "the module has more than %u specialisation constants",
                                 SPIRV_CONSTANTS_MOST);
    if (!base_arena_grow(reader->arena, &module->constants, module->constant_count,
                         &reader->constant_capacity, sizeof(*module->constants)))
        return spirv_invalid(reader, "out of memory");
    uint32_t position = module->constant_count;
    for (; position > 0; position--) {
        uint32_t before = module->ids[module->constants[position - 1]].as.constant->spec_id;
        if (before <= constant->spec_id)
            break;
        module->constants[position] = module->constants[position - 1];
    }
    module->constants[position] = id;
    module->constant_count++;
    return TRM_OK;
}

/* ---- kinds of constants -------------------------------------------------------------------- */

static int32_t read_bool(struct spirv_reader *reader, struct spirv_words words,
                         struct spirv_constant *constant)
{
    if (words.length != 3)
        return spirv_invalid(reader, "the instruction has %u words instead of 3", words.length);
    if (spirv_type(reader->module, constant->type)->kind != SPIRV_BOOL)
        return spirv_invalid(reader, "the type is not bool");
    constant->bits    = reader->opcode == SpvOpConstantTrue || reader->opcode == SpvOpSpecConstantTrue;
    constant->is_spec = reader->opcode == SpvOpSpecConstantTrue || reader->opcode == SpvOpSpecConstantFalse;
    return TRM_OK;
}

static int32_t read_number(struct spirv_reader *reader, struct spirv_words words,
                           struct spirv_constant *constant)
{
    const struct spirv_type *type = spirv_type(reader->module, constant->type);

    if (type->kind != SPIRV_INT && type->kind != SPIRV_FLOAT)
        return spirv_invalid(reader, "the type is not a number");
    uint32_t length = type->width == 64 ? 2 : 1;
    if (words.length != 3 + length)
        return spirv_invalid(reader, "a number of %u bits has the wrong length of %u words", type->width,
                             words.length - 3);
    uint64_t bits     = words.word[3] | (length == 2 ? (uint64_t)words.word[4] << 32 : 0);
    constant->bits    = spirv_extend(type, bits);
    constant->is_spec = reader->opcode == SpvOpSpecConstant;
    return TRM_OK;
}

/* The constant for a part. An integer of the other signedness is converted: front ends make such parts of
 * specialisation constants, and validators accept them. 0 where the types do not fit. */
static uint32_t fit_part(struct spirv_reader *reader, uint32_t id, uint32_t type_id)
{
    const struct spirv_constant *part = spirv_constant(reader->module, id);
    const struct spirv_type *given    = spirv_type(reader->module, part->type);
    const struct spirv_type *type     = spirv_type(reader->module, type_id);

    if (part->type == type_id)
        return id;
    if (given->kind != SPIRV_INT || type->kind != SPIRV_INT || given->width != type->width)
        return 0;
    uint32_t copy = spirv_new_constant(reader, type_id, spirv_extend(type, part->bits), part->is_null);
    if (copy != 0)
        reader->module->ids[copy].as.constant->is_spec = part->is_spec;
    return copy;
}

static int32_t read_composite(struct spirv_reader *reader, struct spirv_words words,
                              struct spirv_constant *constant)
{
    const struct spirv_module *module = reader->module;
    const struct spirv_type *type     = spirv_type(module, constant->type);
    uint32_t count                    = type->kind == SPIRV_COOPERATIVE ? 1 : spirv_part_count(type);
    uint64_t weight                   = 0;

    if (count == 0 && type->kind != SPIRV_STRUCT)
        return spirv_invalid(reader, "the type is not a composite");
    if (type->is_unsized || words.length - 3 != count)
        return spirv_invalid(reader, "the constant has %u parts but its type has %u", words.length - 3,
                             count);
    uint32_t *parts = base_arena_allocate(reader->arena, count, sizeof(*parts));
    if (parts == NULL)
        return spirv_invalid(reader, "out of memory");
    constant->is_spec = reader->opcode == SpvOpSpecConstantComposite;
    for (uint32_t i = 0; i < count; i++) {
        parts[i]       = words.word[3 + i];
        int32_t status = spirv_check_constant_id(reader, parts[i]);
        if (status != TRM_OK)
            return status;
        parts[i] = fit_part(reader, parts[i], spirv_part_type(type, i));
        if (parts[i] == 0)
            return spirv_invalid(reader, "part %u does not have the type that the composite needs", i);
        const struct spirv_constant *part = spirv_constant(module, parts[i]);
        weight += part->weight;
        constant->is_spec |= part->is_spec;
    }
    if (weight > SPIRV_WEIGHT_MOST)
        return spirv_unsupported(reader, "a constant of more than %u numbers is not supported",
                                 SPIRV_WEIGHT_MOST);
    constant->weight     = weight != 0 ? (uint32_t)weight : 1;
    constant->parts      = parts;
    constant->part_count = count;
    return TRM_OK;
}

static int32_t read_null(struct spirv_reader *reader, struct spirv_words words,
                         struct spirv_constant *constant)
{
    const struct spirv_type *type = spirv_type(reader->module, constant->type);

    if (words.length != 3)
        return spirv_invalid(reader, "the instruction has %u words instead of 3", words.length);
    if (type->kind == SPIRV_POINTER &&
        spirv_check_variable_pointer(reader, type, TRM_ERROR_UNSUPPORTED) != TRM_OK)
        return base_last_status();
    if (spirv_is_opaque(spirv_descriptor(reader->module, type)))
        return spirv_unsupported(reader, "images and samplers that are constants are not supported");
    if (type->kind == SPIRV_VOID || type->kind == SPIRV_FUNCTION || type->is_unsized)
        return spirv_invalid(reader, "there are no values of this type");
    constant->is_null = true;
    return TRM_OK;
}

static int32_t read_operation(struct spirv_reader *reader, struct spirv_words words,
                              struct spirv_constant *constant)
{
    if (words.length < 4)
        return spirv_invalid(reader, "the instruction is too short");
    constant->is_spec = true;
    return spirv_fold(reader, words.word[3], words.word + 4, words.length - 4, constant);
}

static int32_t read_kind(struct spirv_reader *reader, struct spirv_words words,
                         struct spirv_constant *constant)
{
    switch (reader->opcode) {
    case SpvOpConstantTrue:
    case SpvOpConstantFalse:
    case SpvOpSpecConstantTrue:
    case SpvOpSpecConstantFalse:
        return read_bool(reader, words, constant);
    case SpvOpConstant:
    case SpvOpSpecConstant:
        return read_number(reader, words, constant);
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        return read_composite(reader, words, constant);
    case SpvOpConstantNull:
    case SpvOpUndef:
        return read_null(reader, words, constant);
    case SpvOpSpecConstantOp:
        return read_operation(reader, words, constant);
    default:
        return spirv_unsupported(reader, "this kind of constant is not supported");
    }
}

/* Applies the decorations SpecId and BuiltIn WorkgroupSize. */
static int32_t decorate(struct spirv_reader *reader, uint32_t id, struct spirv_constant *constant)
{
    const struct spirv_type *type = spirv_type(reader->module, constant->type);

    for (const struct spirv_decoration *d = spirv_decoration_first(reader, id); d != NULL;
         d                                = spirv_decoration_next(reader, d)) {
        if (d->member != SPIRV_WHOLE)
            continue;
        if (d->kind == SpvDecorationSpecId) {
            if (!constant->is_spec || spirv_part_count(type) != 0 || reader->opcode == SpvOpSpecConstantOp)
                return spirv_invalid(reader, "a SpecId is on a constant that cannot be specialised");
            if (constant->has_spec_id)
                return spirv_invalid(reader, "the constant has two SpecIds");
            constant->has_spec_id = true;
            constant->spec_id     = d->literal;
        } else if (d->kind == SpvDecorationBuiltIn && d->literal == SpvBuiltInWorkgroupSize) {
            if (type->kind != SPIRV_VECTOR || type->count != 3 || constant->parts == NULL)
                return spirv_invalid(reader, "WorkgroupSize is not a vector of three");
            reader->workgroup_size = id;
        }
    }
    if (!constant->has_spec_id)
        return TRM_OK;
    constant->default_bits = constant->bits;
    int32_t status         = list_constant(reader, id, constant);
    return status == TRM_OK ? specialise(reader, id, constant) : status;
}

int32_t spirv_read_constant(struct spirv_reader *reader, struct spirv_words words)
{
    struct spirv_module *module = reader->module;

    if (words.length < 3)
        return spirv_invalid(reader, "the instruction is too short");
    struct spirv_constant *constant = base_arena_allocate(reader->arena, 1, sizeof(*constant));
    if (constant == NULL)
        return spirv_invalid(reader, "out of memory");
    int32_t status = spirv_check_type_id(reader, words.word[1]);
    if (status == TRM_OK)
        status = spirv_check_id(reader, words.word[2]);
    if (status != TRM_OK)
        return status;
    constant->type   = words.word[1];
    constant->weight = 1;
    status           = read_kind(reader, words, constant);
    if (status == TRM_OK)
        status = spirv_define(reader, words.word[2], SPIRV_ID_CONSTANT, words.word[1]);
    if (status != TRM_OK)
        return status;
    module->ids[words.word[2]].as.constant = constant;
    return decorate(reader, words.word[2], constant);
}
