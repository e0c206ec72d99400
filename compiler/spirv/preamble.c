/* Reads what precedes the types of a module: capabilities, extensions, memory model, entry points and their
 * modes.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "compiler/spirv/reader.h"

/* Supported capabilities. Descriptor arrays and graphics are not supported. */
static const uint32_t supported[] = {
    SpvCapabilityMatrix,
    SpvCapabilityShader,
    SpvCapabilityFloat16,
    SpvCapabilityFloat64,
    SpvCapabilityInt64,
    SpvCapabilityInt64Atomics,
    SpvCapabilityInt16,
    SpvCapabilityInt8,
    SpvCapabilityGroupNonUniform,
    SpvCapabilityGroupNonUniformVote,
    SpvCapabilityGroupNonUniformArithmetic,
    SpvCapabilityGroupNonUniformBallot,
    SpvCapabilityGroupNonUniformShuffle,
    SpvCapabilityGroupNonUniformShuffleRelative,
    SpvCapabilityGroupNonUniformClustered,
    SpvCapabilityGroupNonUniformQuad,
    SpvCapabilityGroupNonUniformRotateKHR,
    SpvCapabilityDeviceGroup,
    SpvCapabilitySubgroupBallotKHR,
    SpvCapabilitySubgroupVoteKHR,
    SpvCapabilityStorageBuffer16BitAccess,
    SpvCapabilityUniformAndStorageBuffer16BitAccess,
    SpvCapabilityStoragePushConstant16,
    SpvCapabilityStorageBuffer8BitAccess,
    SpvCapabilityUniformAndStorageBuffer8BitAccess,
    SpvCapabilityStoragePushConstant8,
    SpvCapabilityDenormPreserve,
    SpvCapabilitySignedZeroInfNanPreserve,
    SpvCapabilityRoundingModeRTE,
    SpvCapabilityVulkanMemoryModel,
    SpvCapabilityVulkanMemoryModelDeviceScope,
    SpvCapabilityAtomicFloat32AddEXT,
    SpvCapabilityAtomicFloat64AddEXT,
    SpvCapabilityAtomicFloat32MinMaxEXT,
    SpvCapabilityAtomicFloat64MinMaxEXT,
    SpvCapabilityDotProduct,
    SpvCapabilityDotProductInputAll,
    SpvCapabilityDotProductInput4x8Bit,
    SpvCapabilityDotProductInput4x8BitPacked,
    SpvCapabilityCooperativeMatrixNV,
    SPIRV_CapabilityCooperativeMatrixKHR,
    SPIRV_CapabilityBufferAddresses,
    SPIRV_CapabilityMatrixSubgroups,
    SPIRV_CapabilityDotProductFloat16AccFloat32VALVE,
    SPIRV_CapabilityDotProductFloat16AccFloat16VALVE,
    SpvCapabilityVariablePointersStorageBuffer,
    SpvCapabilityVariablePointers,
    SpvCapabilityPhysicalStorageBufferAddresses,
    SpvCapabilityWorkgroupMemoryExplicitLayoutKHR,
    SpvCapabilityWorkgroupMemoryExplicitLayout8BitAccessKHR,
    SpvCapabilityWorkgroupMemoryExplicitLayout16BitAccessKHR,
    SpvCapabilityImageGatherExtended,
    SpvCapabilitySampled1D,
    SpvCapabilityImage1D,
    SpvCapabilitySampledCubeArray,
    SpvCapabilityImageCubeArray,
    SpvCapabilitySampledBuffer,
    SpvCapabilityImageBuffer,
    SpvCapabilityImageQuery,
    SpvCapabilityStorageImageExtendedFormats,
    SpvCapabilityStorageImageReadWithoutFormat,
    SpvCapabilityStorageImageWriteWithoutFormat,
    SpvCapabilityUniformBufferArrayDynamicIndexing,
    SpvCapabilitySampledImageArrayDynamicIndexing,
    SpvCapabilityStorageBufferArrayDynamicIndexing,
    SpvCapabilityStorageImageArrayDynamicIndexing,
    SpvCapabilityUniformTexelBufferArrayDynamicIndexing,
    SpvCapabilityStorageTexelBufferArrayDynamicIndexing,
    SpvCapabilityShaderNonUniform,
    SpvCapabilityRuntimeDescriptorArray,
    SpvCapabilityUniformBufferArrayNonUniformIndexing,
    SpvCapabilitySampledImageArrayNonUniformIndexing,
    SpvCapabilityStorageBufferArrayNonUniformIndexing,
    SpvCapabilityStorageImageArrayNonUniformIndexing,
    SpvCapabilityUniformTexelBufferArrayNonUniformIndexing,
    SpvCapabilityStorageTexelBufferArrayNonUniformIndexing,
    SpvCapabilityExpectAssumeKHR,
};

/* Accepted extensions. The module needs a capability to use one, or the extension does not affect compute
 * kernels. */
static const char *const extensions[] = {
    "SPV_KHR_16bit_storage",
    "SPV_KHR_8bit_storage",
    "SPV_KHR_storage_buffer_storage_class",
    "SPV_KHR_shader_ballot",
    "SPV_KHR_subgroup_vote",
    "SPV_KHR_subgroup_uniform_control_flow",
    "SPV_KHR_maximal_reconvergence",
    "SPV_KHR_float_controls",
    "SPV_KHR_no_integer_wrap_decoration",
    "SPV_KHR_vulkan_memory_model",
    "SPV_KHR_integer_dot_product",
    "SPV_VALVE_mixed_float_dot_product",
    "SPV_NV_cooperative_matrix",
    "SPV_KHR_cooperative_matrix",
    "SPV_KHR_non_semantic_info",
    "SPV_KHR_relaxed_extended_instruction",
    "SPV_KHR_subgroup_rotate",
    "SPV_KHR_terminate_invocation",
    "SPV_KHR_shader_draw_parameters",
    "SPV_KHR_device_group",
    "SPV_KHR_variable_pointers",
    "SPV_KHR_physical_storage_buffer",
    "SPV_EXT_physical_storage_buffer",
    "SPV_KHR_workgroup_memory_explicit_layout",
    "SPV_KHR_expect_assume",
    "SPV_EXT_descriptor_indexing",
    "SPV_EXT_shader_atomic_float_add",
    "SPV_EXT_shader_atomic_float_min_max",
    "SPV_GOOGLE_decorate_string",
    "SPV_GOOGLE_hlsl_functionality1",
    "SPV_GOOGLE_user_type",
};

/* Compares a text of SPIR-V, which begins at word 1, with a text of C. */
static bool is_text(const uint32_t *words, uint32_t length, const char *text)
{
    size_t size = strlen(text) + 1;

    if (length == 0 || size > (length - 1u) * sizeof(uint32_t))
        return false;
    for (size_t i = 0; i < size; i++)
        if ((words[1 + i / 4] >> i % 4 * 8 & 0xff) != (unsigned char)text[i])
            return false;
    return true;
}

bool spirv_is_ignored_set(const uint32_t *words, uint32_t length)
{
    static const uint32_t non_semantic[] = {0x536e6f4eu, 0x6e616d65u, 0x2e636974u}; /* "NonSemantic." */

    if (length >= 5 && memcmp(words + 2, non_semantic, sizeof(non_semantic)) == 0)
        return true;
    return length > 2 && (is_text(words + 1, length - 1, "DebugInfo") ||
                          is_text(words + 1, length - 1, "OpenCL.DebugInfo.100"));
}

bool spirv_is_supported(const uint32_t *words, uint32_t length)
{
    bool is_capability = (words[0] & 0xffff) == SpvOpCapability;

    for (uint32_t i = 0; is_capability && length == 2 && i < SPIRV_COUNT(supported); i++)
        if (supported[i] == words[1])
            return true;
    for (uint32_t i = 0; !is_capability && i < SPIRV_COUNT(extensions); i++)
        if (is_text(words, length, extensions[i]))
            return true;
    return false;
}

static int32_t read_capability(struct spirv_reader *reader, struct spirv_words words)
{
    char name[32];

    if (words.length != 2)
        return spirv_invalid(reader, "the instruction has %u words instead of 2", words.length);
    if (spirv_has_capability(reader, words.word[1]))
        return TRM_OK;
    if (!spirv_is_supported(words.word, words.length))
        return spirv_unsupported(reader, "the capability %s is not supported",
                                 spirv_capability_name(words.word[1], name));
    if (!base_arena_grow(reader->arena, &reader->capabilities, reader->capability_count,
                         &reader->capability_capacity, sizeof(*reader->capabilities)))
        return spirv_invalid(reader, "out of memory");
    reader->capabilities[reader->capability_count++] = words.word[1];
    reader->module->takes_addresses |= words.word[1] == SPIRV_CapabilityBufferAddresses;
    reader->module->has_matrices |= words.word[1] == SPIRV_CapabilityMatrixSubgroups;
    return TRM_OK;
}

static int32_t read_extension(struct spirv_reader *reader, struct spirv_words words)
{
    uint32_t used;
    const char *name = spirv_text(reader, words, 1, &used);

    if (name == NULL)
        return spirv_invalid(reader, "the name does not end within the instruction");
    if (spirv_is_supported(words.word, words.length))
        return TRM_OK;
    return spirv_unsupported(reader, "the extension %.200s is not supported", name);
}

static int32_t read_import(struct spirv_reader *reader, struct spirv_words words)
{
    uint32_t used;

    if (words.length < 3)
        return spirv_invalid(reader, "the instruction is too short");
    const char *name = spirv_text(reader, words, 2, &used);
    if (name == NULL)
        return spirv_invalid(reader, "the name does not end within the instruction");
    int32_t status = spirv_define(reader, words.word[1], SPIRV_ID_EXTENDED, 0);
    if (status != TRM_OK)
        return status;
    uint32_t *set = &reader->module->ids[words.word[1]].set;
    if (strcmp(name, "GLSL.std.450") == 0)
        *set = SPIRV_SET_GLSL;
    else if (spirv_is_ignored_set(words.word, words.length))
        *set = SPIRV_SET_IGNORED;
    else
        return spirv_unsupported(reader, "the instruction set %.200s is not supported", name);
    return TRM_OK;
}

static int32_t read_memory_model(struct spirv_reader *reader, struct spirv_words words)
{
    if (words.length != 3)
        return spirv_invalid(reader, "the instruction has %u words instead of 3", words.length);
    if (reader->has_memory_model)
        return spirv_invalid(reader, "the module has two memory models");
    reader->has_addresses = words.word[1] == SpvAddressingModelPhysicalStorageBuffer64;
    if (words.word[1] != SpvAddressingModelLogical && !reader->has_addresses)
        return spirv_unsupported(
            reader, "addressing model %u is not supported; only Logical and PhysicalStorageBuffer64 are",
            words.word[1]);
    if (reader->has_addresses && !spirv_has_capability(reader, SpvCapabilityPhysicalStorageBufferAddresses))
        return spirv_invalid(reader, "the capability PhysicalStorageBufferAddresses is not declared");
    if (words.word[2] != SpvMemoryModelSimple && words.word[2] != SpvMemoryModelGLSL450 &&
        words.word[2] != SpvMemoryModelVulkan)
        return spirv_unsupported(
            reader, "memory model %u is not supported; only Simple, GLSL450 and Vulkan are", words.word[2]);
    reader->has_memory_model = true;
    return TRM_OK;
}

static int32_t read_entry(struct spirv_reader *reader, struct spirv_words words)
{
    struct spirv_module *module = reader->module;
    uint32_t used;

    if (words.length < 4)
        return spirv_invalid(reader, "the instruction is too short");
    int32_t status = spirv_check_id(reader, words.word[2]);
    if (status != TRM_OK)
        return status;
    const char *name = spirv_text(reader, words, 3, &used);
    if (name == NULL)
        return spirv_invalid(reader, "the name does not end within the instruction");
    for (uint32_t i = 3 + used; i < words.length; i++) {
        status = spirv_check_id(reader, words.word[i]);
        if (status != TRM_OK)
            return status;
    }
    if (words.word[1] != SpvExecutionModelGLCompute)
        return spirv_unsupported(reader, "\"%.100s\" is not a compute shader: its execution model is %u",
                                 name, words.word[1]);
    if (module->entry_count == SPIRV_ENTRIES_MOST)
        return spirv_unsupported(reader, "the module has more than %u entry points", SPIRV_ENTRIES_MOST);
    for (uint32_t i = 0; i < module->entry_count; i++)
        if (strcmp(module->entries[i].name, name) == 0)
            return spirv_invalid(reader, "the module has two entry points \"%.100s\"", name);
    if (!base_arena_grow(reader->arena, &module->entries, module->entry_count, &reader->entry_capacity,
                         sizeof(*module->entries)))
        return spirv_invalid(reader, "out of memory");
    module->entries[module->entry_count++] = (struct spirv_entry){.name = name, .function = words.word[2]};
    return TRM_OK;
}

static struct spirv_entry *find_entry(const struct spirv_reader *reader, uint32_t function)
{
    for (uint32_t i = 0; i < reader->module->entry_count; i++)
        if (reader->module->entries[i].function == function)
            return &reader->module->entries[i];
    return NULL;
}

static int32_t read_size(struct spirv_reader *reader, struct spirv_words words)
{
    if (words.length != 6)
        return spirv_invalid(reader, "the instruction has %u words instead of 6", words.length);
    if (!base_arena_grow(reader->arena, &reader->modes, reader->mode_count, &reader->mode_capacity,
                         sizeof(*reader->modes)))
        return spirv_invalid(reader, "out of memory");
    struct spirv_mode *mode = &reader->modes[reader->mode_count++];

    *mode = (struct spirv_mode){.function = words.word[1], .mode = words.word[2], .at = reader->at};
    memcpy(mode->values, words.word + 3, sizeof(mode->values));
    return TRM_OK;
}

static int32_t read_mode(struct spirv_reader *reader, struct spirv_words words)
{
    if (words.length < 3)
        return spirv_invalid(reader, "the instruction is too short");
    if (find_entry(reader, words.word[1]) == NULL)
        return spirv_invalid(reader, "id %u is not an entry point", words.word[1]);
    switch (words.word[2]) {
    case SpvExecutionModeLocalSize:
    case SpvExecutionModeLocalSizeId:
        return read_size(reader, words);
    case SpvExecutionModeDenormPreserve:
    case SpvExecutionModeSignedZeroInfNanPreserve:
    case SpvExecutionModeRoundingModeRTE:
    case SpvExecutionModeSubgroupUniformControlFlowKHR:
    case SpvExecutionModeLocalSizeHint:
        return TRM_OK;
    default:
        return spirv_unsupported(reader, "execution mode %u is not supported", words.word[2]);
    }
}

int32_t spirv_read_preamble(struct spirv_reader *reader, struct spirv_words words)
{
    switch (words.word[0] & 0xffff) {
    case SpvOpCapability:
        return read_capability(reader, words);
    case SpvOpExtension:
        return read_extension(reader, words);
    case SpvOpExtInstImport:
        return read_import(reader, words);
    case SpvOpMemoryModel:
        return read_memory_model(reader, words);
    case SpvOpEntryPoint:
        return read_entry(reader, words);
    default:
        return read_mode(reader, words);
    }
}

/* ---- sizes of work-groups, after the constants are known ------------------------------------ */

static int32_t size_of_constants(struct spirv_reader *reader, const uint32_t ids[3],
                                 struct spirv_entry *entry)
{
    for (uint32_t i = 0; i < 3; i++) {
        int32_t status = spirv_check_constant_id(reader, ids[i]);
        if (status != TRM_OK)
            return status;
        const struct spirv_constant *constant = spirv_constant(reader->module, ids[i]);
        const struct spirv_type *type         = spirv_type(reader->module, constant->type);
        if (type->kind != SPIRV_INT || type->width != 32)
            return spirv_invalid(reader, "the size of a work-group is not an integer of 32 bits");
        entry->local_size[i] = (uint32_t)constant->bits;
        entry->has_spec_size |= constant->is_spec;
    }
    return TRM_OK;
}

static int32_t check_size(struct spirv_reader *reader, const struct spirv_entry *entry)
{
    uint64_t items = 1;

    for (uint32_t i = 0; i < 3; i++) {
        if (entry->local_size[i] == 0 && entry->has_spec_size)
            return spirv_unfit(reader, TRM_ERROR_INVALID_ARGUMENT,
                               "the size of the work-groups of \"%.100s\" is 0", entry->name);
        if (entry->local_size[i] == 0)
            return spirv_invalid(reader, "\"%.100s\" lacks the size of its work-groups, or a size is 0",
                                 entry->name);
        items *= entry->local_size[i];
        if (items > SPIRV_ITEMS_MOST && entry->has_spec_size)
            return spirv_unfit(reader, TRM_ERROR_UNSUPPORTED,
                               "the work-groups of \"%.100s\" have more than %u work-items", entry->name,
                               SPIRV_ITEMS_MOST);
        if (items > SPIRV_ITEMS_MOST)
            return spirv_unsupported(reader, "work-groups of \"%.100s\" have more than %u work-items",
                                     entry->name, SPIRV_ITEMS_MOST);
    }
    return TRM_OK;
}

static int32_t apply_modes(struct spirv_reader *reader)
{
    int32_t status = TRM_OK;

    for (uint32_t i = 0; i < reader->mode_count && status == TRM_OK; i++) {
        const struct spirv_mode *mode = &reader->modes[i];
        struct spirv_entry *entry     = find_entry(reader, mode->function);
        reader->at                    = mode->at;
        reader->opcode                = SpvOpExecutionMode;
        if (entry == NULL)
            return spirv_invalid(reader, "id %u is not an entry point", mode->function);
        if (mode->mode == SpvExecutionModeLocalSize)
            memcpy(entry->local_size, mode->values, sizeof(entry->local_size));
        else
            status = size_of_constants(reader, mode->values, entry);
    }
    return status;
}

int32_t spirv_finish_entries(struct spirv_reader *reader)
{
    struct spirv_module *module = reader->module;
    int32_t status              = apply_modes(reader);

    if (status != TRM_OK)
        return status;
    reader->opcode = SpvOpEntryPoint;
    if (module->entry_count == 0)
        return spirv_invalid(reader, "the module has no entry point");
    for (uint32_t i = 0; i < module->entry_count && status == TRM_OK; i++) {
        struct spirv_entry *entry = &module->entries[i];
        if (module->ids[entry->function].kind != SPIRV_ID_FUNCTION)
            return spirv_invalid(reader, "id %u is not a function", entry->function);
        const struct spirv_function *function = module->ids[entry->function].as.function;
        if (function->parameter_count != 0 || spirv_type(module, function->result)->kind != SPIRV_VOID)
            return spirv_invalid(reader, "the function of \"%.100s\" has parameters or a result",
                                 entry->name);
        if (reader->workgroup_size != 0)
            status = size_of_constants(reader, spirv_constant(module, reader->workgroup_size)->parts, entry);
        if (status == TRM_OK)
            status = check_size(reader, entry);
    }
    return status;
}
