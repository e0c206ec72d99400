/* Physical pointers (SPV_KHR_physical_storage_buffer), which GLSL calls buffer references: addresses of 64
 * bits that the program computes or stores in buffers. A struct may have a member that points to a struct of
 * the same type, which OpTypeForwardPointer announces.
 *
 * The checks see them as pointers. When they are done, addresses in memory, in composites and in constants
 * become integers of 64 bits, so that reflection, layouts and the translator handle them as numbers. Results
 * of instructions stay pointers.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/spirv/reader.h"

bool spirv_is_address(const struct spirv_type *type)
{
    return type->kind == SPIRV_POINTER && type->storage == SpvStorageClassPhysicalStorageBuffer;
}

int32_t spirv_read_forward(struct spirv_reader *reader, struct spirv_words words)
{
    struct spirv_type *type = base_arena_allocate(reader->arena, 1, sizeof(*type));

    if (type == NULL)
        return spirv_invalid(reader, "out of memory");
    if (words.length != 3)
        return spirv_invalid(reader, "the instruction has %u words instead of 3", words.length);
    if (words.word[2] != SpvStorageClassPhysicalStorageBuffer)
        return spirv_unsupported(reader, "forward pointers in storage class %u are not supported",
                                 words.word[2]);
    int32_t status = spirv_define(reader, words.word[1], SPIRV_ID_TYPE, 0);
    if (status != TRM_OK)
        return status;
    *type                                      = (struct spirv_type){.id                = words.word[1],
                                                                     .kind              = SPIRV_POINTER,
                                                                     .storage           = words.word[2],
                                                                     .size              = 8,
                                                                     .natural_size      = 8,
                                                                     .natural_alignment = 8,
                                                                     .depth             = 1,
                                                                     .is_forward        = true};
    reader->module->ids[type->id].as.type_info = type;
    reader->forward_count++;
    return TRM_OK;
}

bool spirv_is_forward(const struct spirv_reader *reader, uint32_t id)
{
    return id != 0 && id < reader->bound && reader->module->ids[id].kind == SPIRV_ID_TYPE &&
           reader->module->ids[id].as.type_info->is_forward;
}

int32_t spirv_check_forwards(const struct spirv_reader *reader)
{
    return reader->forward_count == 0
               ? TRM_OK
               : spirv_invalid(reader, "%u pointer types are announced and not defined",
                               reader->forward_count);
}

/* An address is an unsigned integer of 64 bits, for which the module need not declare Int64. */
static uint32_t new_type(struct spirv_reader *reader)
{
    struct spirv_module *module = reader->module;
    struct spirv_type *type     = base_arena_allocate(reader->arena, 1, sizeof(*type));
    uint32_t *types             = base_arena_allocate(reader->arena, module->type_count + 1u, sizeof(*types));
    uint32_t id                 = spirv_new_id(module, 0);

    if (type == NULL || types == NULL || id == 0)
        return 0;
    *type                        = (struct spirv_type){.id                = id,
                                                       .kind              = SPIRV_INT,
                                                       .width             = 64,
                                                       .size              = 8,
                                                       .natural_size      = 8,
                                                       .natural_alignment = 8,
                                                       .depth             = 1};
    module->ids[id].kind         = SPIRV_ID_TYPE;
    module->ids[id].as.type_info = type;
    types[0]                     = id; /* parts come before the types that contain them */
    memcpy(types + 1, module->types, module->type_count * sizeof(*types));
    module->types = types;
    module->type_count++;
    return id;
}

static void lower(const struct spirv_reader *reader, uint32_t *type, uint32_t address)
{
    if (*type != 0 && spirv_is_address(spirv_type(reader->module, *type)))
        *type = address;
}

static void lower_type(const struct spirv_reader *reader, struct spirv_type *type, uint32_t address)
{
    switch (type->kind) {
    case SPIRV_STRUCT:
        for (uint32_t i = 0; i < type->count; i++)
            lower(reader, &type->members[i].type, address);
        break;
    case SPIRV_ARRAY:
    case SPIRV_RUNTIME_ARRAY:
    case SPIRV_POINTER:
        lower(reader, &type->element, address);
        break;
    default:
        break;
    }
}

int32_t spirv_lower_addresses(struct spirv_reader *reader)
{
    struct spirv_module *module = reader->module;

    if (!spirv_has_capability(reader, SpvCapabilityPhysicalStorageBufferAddresses))
        return TRM_OK;
    uint32_t address = new_type(reader);
    if (address == 0)
        return base_arena_fail(reader->arena, "reading SPIR-V");
    module->address_type = address;
    for (uint32_t i = 0; i < module->type_count; i++)
        lower_type(reader, module->ids[module->types[i]].as.type_info, address);
    for (uint32_t id = 1; id < module->bound; id++) {
        if (module->ids[id].kind != SPIRV_ID_CONSTANT)
            continue;
        lower(reader, &module->ids[id].type, address);
        lower(reader, &module->ids[id].as.constant->type, address);
    }
    return TRM_OK;
}
