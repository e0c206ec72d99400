/* Checks and defines ids, and formats the reader's errors.
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "compiler/spirv/reader.h"

int32_t spirv_fail(const struct spirv_reader *reader, int32_t status, const char *format, ...)
{
    char text[1024], place[256], name[32];
    struct spirv_instruction here = {.file = reader->file, .line = reader->line};
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (reader->arena->failed)
        return base_arena_fail(reader->arena, "reading SPIR-V");
    spirv_source_location(reader->module, &here, place);
    return base_fail(status, "SPIR-V, word %u (%s%s%s): %s", reader->at,
                     spirv_opcode_name(reader->opcode, name), place[0] != 0 ? " at " : "", place, text);
}

int32_t spirv_unfit(struct spirv_reader *reader, int32_t status, const char *format, ...)
{
    char text[1024], list[200], name[32];
    va_list arguments;

    if (reader->module->unfit != NULL)
        return TRM_OK;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    spirv_list_constants(reader, list, sizeof(list));
    reader->module->unfit_status = status;
    reader->module->unfit        = base_arena_format(
               reader->arena, "SPIR-V, word %u (%s): %s with these values of the specialisation constants%s",
               reader->at, spirv_opcode_name(reader->opcode, name), text, list);
    return reader->module->unfit == NULL ? base_arena_fail(reader->arena, "reading SPIR-V") : TRM_OK;
}

int32_t spirv_check_fit(const struct spirv_module *module)
{
    return module->unfit == NULL ? TRM_OK : base_fail(module->unfit_status, "%s", module->unfit);
}

const char *spirv_source_location(const struct spirv_module *module,
                                  const struct spirv_instruction *instruction, char space[256])
{
    space[0] = 0;
    if (instruction->file != 0 && instruction->file < module->bound &&
        module->ids[instruction->file].kind == SPIRV_ID_STRING)
        snprintf(space, 256, "%.240s:%u", module->ids[instruction->file].text, instruction->line);
    else if (instruction->line != 0)
        snprintf(space, 256, "line %u", instruction->line);
    return space;
}

int32_t spirv_check_id(const struct spirv_reader *reader, uint32_t id)
{
    if (id != 0 && id < reader->bound)
        return TRM_OK;
    return spirv_invalid(reader, "id %u is out of range: the bound of the module is %u", id, reader->bound);
}

int32_t spirv_define(struct spirv_reader *reader, uint32_t id, enum spirv_id_kind kind, uint32_t type)
{
    int32_t status = spirv_check_id(reader, id);

    if (status != TRM_OK)
        return status;
    struct spirv_id *entry = &reader->module->ids[id];
    if (entry->kind != SPIRV_ID_NONE)
        return spirv_invalid(reader, "id %u is defined twice", id);
    entry->kind = kind;
    entry->type = type;
    if (entry->name == NULL)
        entry->name = "";
    return TRM_OK;
}

int32_t spirv_check_type_id(const struct spirv_reader *reader, uint32_t id)
{
    int32_t status = spirv_check_id(reader, id);

    if (status == TRM_OK && (reader->module->ids[id].kind != SPIRV_ID_TYPE || spirv_is_forward(reader, id)))
        return spirv_invalid(reader, "id %u is not a type defined before this instruction", id);
    return status;
}

int32_t spirv_check_constant_id(const struct spirv_reader *reader, uint32_t id)
{
    int32_t status = spirv_check_id(reader, id);

    if (status == TRM_OK && reader->module->ids[id].kind != SPIRV_ID_CONSTANT)
        return spirv_invalid(reader, "id %u is not a constant defined before this instruction", id);
    return status;
}

int32_t spirv_check_value_id(const struct spirv_reader *reader, uint32_t id)
{
    int32_t status = spirv_check_id(reader, id);

    if (status != TRM_OK)
        return status;
    switch (reader->module->ids[id].kind) {
    case SPIRV_ID_CONSTANT:
        return TRM_OK;
    case SPIRV_ID_VARIABLE:
    case SPIRV_ID_PARAMETER:
    case SPIRV_ID_VALUE:
        break;
    default:
        return spirv_invalid(reader, "id %u is not a value defined before this instruction", id);
    }
    uint32_t function = reader->definitions[id].function;
    if (function != 0 && function != reader->module->function_count + 1)
        return spirv_invalid(reader, "id %u is a value of another function", id);
    return TRM_OK;
}

bool spirv_has_capability(const struct spirv_reader *reader, uint32_t capability)
{
    for (uint32_t i = 0; i < reader->capability_count; i++)
        if (reader->capabilities[i] == capability)
            return true;
    return false;
}

uint32_t spirv_new_id(struct spirv_module *module, uint32_t type)
{
    if (module->bound >= module->id_capacity) {
        uint32_t capacity = module->id_capacity;
        if (!base_arena_grow(module->arena, &module->ids, module->bound, &capacity, sizeof(*module->ids)))
            return 0;
        module->id_capacity = capacity;
    }
    uint32_t id = module->bound++;

    module->ids[id] = (struct spirv_id){.kind = SPIRV_ID_VALUE, .type = type, .name = "", .text = ""};
    return id;
}

int32_t spirv_check_variable_pointer(const struct spirv_reader *reader, const struct spirv_type *type,
                                     int32_t refusal)
{
    bool has_all = spirv_has_capability(reader, SpvCapabilityVariablePointers);

    if (type->kind != SPIRV_POINTER)
        return spirv_invalid(reader, "type %u is not a pointer", type->id);
    if (type->storage == SpvStorageClassStorageBuffer &&
        (has_all || spirv_has_capability(reader, SpvCapabilityVariablePointersStorageBuffer)))
        return TRM_OK;
    if (spirv_is_address(type) || (type->storage == SpvStorageClassWorkgroup && has_all))
        return TRM_OK;
    return spirv_fail(reader, refusal,
                      "a pointer to storage class %u is a value, which the declared capabilities do not "
                      "allow: see VariablePointers",
                      type->storage);
}
