/* vulkan backend: rewrites SPIR-V for the driver.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/spirv/shader.h"

#include <string.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/spirv/words.h"

#define VERSION_1_3 0x00010300u
#define NAME_WORDS_MOST 16u
#define WORDS_OF_RESOURCE \
    14u /* most words that are added for a resource: two decorations of four words, two of three */

static const char storage_buffers[] = "SPV_KHR_storage_buffer_storage_class";

/* A variable that has a descriptor: a buffer, an image, a sampler or a texel buffer. */
struct resource {
    uint32_t id;
    uint32_t set, place; /* in the original */
    uint32_t binding;    /* after rewriting */
    bool is_uniform;     /* storage class Uniform; may be an old-style storage buffer (BufferBlock) */
    bool says_read_only; /* has NonWritable */
    bool is_read_only;   /* as reflected */
    bool is_view;        /* another variable has its set and place: the same memory */
    bool is_decorated;   /* its new decorations are written */
};

/* The state of a rewrite. */
struct rewriting {
    const uint32_t *words;
    uint64_t count;
    struct resource *resources;
    uint32_t resource_count;
    uint32_t *out;
    uint64_t written;
    bool has_storage_buffers; /* by SPIR-V version or extension */
    bool is_begun;            /* something other than OpCapability was seen */
};

/* ---- instructions */

static bool begins_with(const uint32_t *word, const char *text)
{
    return strncmp(vulkan_text_at(word), text, strlen(text)) == 0;
}

static void write_word(struct rewriting *rewriting, uint32_t word)
{
    rewriting->out[rewriting->written++] = word;
}

static void write_decoration(struct rewriting *rewriting, uint32_t id, uint32_t decoration, uint32_t literal)
{
    write_word(rewriting, 4u << SpvWordCountShift | SpvOpDecorate);
    write_word(rewriting, id);
    write_word(rewriting, decoration);
    write_word(rewriting, literal);
}

static void write_extension(struct rewriting *rewriting, const char *name)
{
    uint32_t text[NAME_WORDS_MOST] = {0};
    uint32_t words                 = (uint32_t)strlen(name) / 4 + 1;
    memcpy(text, name, strlen(name));
    write_word(rewriting, (words + 1) << SpvWordCountShift | SpvOpExtension);
    for (uint32_t i = 0; i < words; i++)
        write_word(rewriting, text[i]);
}

/* ---- finding the resources */

static struct resource *find_resource(const struct rewriting *rewriting, uint32_t id)
{
    for (uint32_t i = 0; i < rewriting->resource_count; i++)
        if (rewriting->resources[i].id == id)
            return &rewriting->resources[i];
    return NULL;
}

static bool is_resource(const uint32_t *variable)
{
    return vulkan_opcode(variable) == SpvOpVariable &&
           (variable[3] == SpvStorageClassUniform || variable[3] == SpvStorageClassStorageBuffer ||
            variable[3] == SpvStorageClassUniformConstant);
}

/* Lists the resources; without a list, counts them. */
static void find_variables(struct rewriting *rewriting)
{
    const uint32_t *end       = rewriting->words + rewriting->count;
    rewriting->resource_count = 0;
    for (const uint32_t *at = rewriting->words + VULKAN_HEADER_WORDS; at < end; at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpFunction)
            return;
        if (!is_resource(at))
            continue;
        if (rewriting->resources != NULL)
            rewriting->resources[rewriting->resource_count] =
                (struct resource){.id = at[2], .is_uniform = at[3] == SpvStorageClassUniform};
        rewriting->resource_count++;
    }
}

static void find_decorations(struct rewriting *rewriting)
{
    const uint32_t *end = rewriting->words + rewriting->count;
    for (const uint32_t *at = rewriting->words + VULKAN_HEADER_WORDS; at < end; at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpFunction)
            return;
        struct resource *resource =
            vulkan_opcode(at) == SpvOpDecorate ? find_resource(rewriting, at[1]) : NULL;
        if (resource == NULL)
            continue;
        if (at[2] == SpvDecorationDescriptorSet)
            resource->set = at[3];
        else if (at[2] == SpvDecorationBinding)
            resource->place = at[3];
        else if (at[2] == SpvDecorationNonWritable)
            resource->says_read_only = true;
    }
}

/* All variables of one set and binding get the number of their parameter. */
static void number_views(struct rewriting *rewriting, const struct trm_parameter *parameter, uint32_t binding)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rewriting->resource_count; i++)
        count += rewriting->resources[i].set == parameter->set &&
                 rewriting->resources[i].place == parameter->place;
    for (uint32_t i = 0; i < rewriting->resource_count; i++) {
        struct resource *resource = &rewriting->resources[i];
        if (resource->set != parameter->set || resource->place != parameter->place)
            continue;
        resource->binding      = binding;
        resource->is_read_only = parameter->access == TRM_ACCESS_READ;
        resource->is_view      = count > 1;
    }
}

static void number_resources(struct rewriting *rewriting, const struct trm_kernel_info *kernel)
{
    uint32_t binding = 0;
    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        if (trm_util_has_descriptor(&kernel->parameters[i]) && !trm_util_is_next_element(kernel, i))
            number_views(rewriting, &kernel->parameters[i], binding++);
}

/* ---- rewriting */

/* Non-semantic instruction sets; a module has few. */
#define SILENT_MOST 8u

struct silent_sets {
    uint32_t ids[SILENT_MOST];
    uint32_t count;
};

static bool is_silent_set(const struct silent_sets *sets, uint32_t id)
{
    for (uint32_t i = 0; i < sets->count; i++)
        if (sets->ids[i] == id)
            return true;
    return false;
}

/* Whether the instruction only serves tools, or is a hint. */
static bool is_for_tools(const uint32_t *at, struct silent_sets *sets)
{
    switch (vulkan_opcode(at)) {
    case SpvOpExtension:
        return begins_with(at + 1, "SPV_GOOGLE_") || begins_with(at + 1, "SPV_KHR_non_semantic_info") ||
               begins_with(at + 1, "SPV_KHR_expect_assume");
    case SpvOpCapability:
        return at[1] == SpvCapabilityExpectAssumeKHR;
    case SpvOpExtInstImport:
        if (!begins_with(at + 2, "NonSemantic.") || sets->count == SILENT_MOST)
            return false;
        sets->ids[sets->count++] = at[1];
        return true;
    case SpvOpExtInst:
        return is_silent_set(sets, at[3]);
    case SpvOpDecorateString:
    case SpvOpMemberDecorateString:
    case SpvOpAssumeTrueKHR:
        return true;
    default:
        return false;
    }
}

/* A value that is expected is the value itself: type, result, value. */
static bool rewrite_expected(struct rewriting *rewriting, const uint32_t *at)
{
    if (vulkan_opcode(at) != SpvOpExpectKHR)
        return false;
    write_word(rewriting, 4u << SpvWordCountShift | SpvOpCopyObject);
    for (uint32_t i = 1; i < 4; i++)
        write_word(rewriting, at[i]);
    return true;
}

static void write_flag(struct rewriting *rewriting, uint32_t id, uint32_t decoration)
{
    write_word(rewriting, 3u << SpvWordCountShift | SpvOpDecorate);
    write_word(rewriting, id);
    write_word(rewriting, decoration);
}

/* Writes the new decorations in place of the first old one. True: drop the instruction. A driver may assume
 * that variables are different memory, unless they are decorated Aliased. */
static bool rewrite_decoration(struct rewriting *rewriting, const uint32_t *at)
{
    struct resource *resource = find_resource(rewriting, at[1]);
    if (resource == NULL)
        return false;
    if (resource->is_view && (at[2] == SpvDecorationRestrict || at[2] == SpvDecorationAliased))
        return true;
    if (at[2] != SpvDecorationDescriptorSet && at[2] != SpvDecorationBinding)
        return false;
    if (resource->is_decorated)
        return true;
    write_decoration(rewriting, resource->id, SpvDecorationDescriptorSet, 0);
    write_decoration(rewriting, resource->id, SpvDecorationBinding, resource->binding);
    if (resource->is_uniform && resource->is_read_only && !resource->says_read_only)
        write_flag(rewriting, resource->id, SpvDecorationNonWritable);
    if (resource->is_view)
        write_flag(rewriting, resource->id, SpvDecorationAliased);
    resource->is_decorated = true;
    return true;
}

/* SPIR-V permits several identical pointer types in a module. */
static void rewrite_in_place(uint32_t *copy)
{
    if (vulkan_opcode(copy) == SpvOpTypePointer && copy[2] == SpvStorageClassUniform)
        copy[2] = SpvStorageClassStorageBuffer;
    else if (vulkan_opcode(copy) == SpvOpVariable && copy[3] == SpvStorageClassUniform)
        copy[3] = SpvStorageClassStorageBuffer;
    else if (vulkan_opcode(copy) == SpvOpDecorate && copy[2] == SpvDecorationBufferBlock)
        copy[2] = SpvDecorationBlock;
}

static void rewrite(struct rewriting *rewriting)
{
    const uint32_t *end     = rewriting->words + rewriting->count;
    struct silent_sets sets = {.count = 0};
    memcpy(rewriting->out, rewriting->words, VULKAN_HEADER_WORDS * sizeof(uint32_t));
    rewriting->written = VULKAN_HEADER_WORDS;
    for (const uint32_t *at = rewriting->words + VULKAN_HEADER_WORDS; at < end; at += vulkan_length(at)) {
        if (!rewriting->is_begun && vulkan_opcode(at) != SpvOpCapability) {
            rewriting->is_begun = true;
            if (!rewriting->has_storage_buffers)
                write_extension(rewriting, storage_buffers);
        }
        if (is_for_tools(at, &sets) ||
            (vulkan_opcode(at) == SpvOpDecorate && rewrite_decoration(rewriting, at)) ||
            rewrite_expected(rewriting, at))
            continue;
        uint32_t *copy = rewriting->out + rewriting->written;
        memcpy(copy, at, vulkan_length(at) * sizeof(uint32_t));
        rewriting->written += vulkan_length(at);
        rewrite_in_place(copy);
    }
}

/* ---- the shader */

static bool declares(const struct rewriting *rewriting, const char *extension)
{
    const uint32_t *end = rewriting->words + rewriting->count;
    for (const uint32_t *at = rewriting->words + VULKAN_HEADER_WORDS; at < end; at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpExtension && strcmp(vulkan_text_at(at + 1), extension) == 0)
            return true;
        if (vulkan_opcode(at) == SpvOpMemoryModel)
            break;
    }
    return false;
}

int32_t vulkan_shader_create(const struct trm_backend_instance *instance,
                             const struct trm_module_source *source, struct vulkan_shader *shader)
{
    struct rewriting rewriting = {.words = source->data, .count = source->size / sizeof(uint32_t)};
    find_variables(&rewriting);
    uint64_t most           = rewriting.resource_count;
    uint64_t capacity       = rewriting.count + most * WORDS_OF_RESOURCE + NAME_WORDS_MOST;
    uint64_t resource_bytes = (most + 1) * sizeof(struct resource);
    rewriting.out           = trm_util_allocate(instance->host, capacity * sizeof(uint32_t));
    if (rewriting.out == NULL)
        return trm_util_fail_host_memory(instance->host, "the code of a module");
    rewriting.resources = trm_util_allocate(instance->host, resource_bytes);
    if (rewriting.resources == NULL) {
        trm_util_release(instance->host, rewriting.out, capacity * sizeof(uint32_t));
        return trm_util_fail_host_memory(instance->host, "the code of a module");
    }
    rewriting.has_storage_buffers =
        rewriting.words[1] >= VERSION_1_3 || declares(&rewriting, storage_buffers);
    find_variables(&rewriting);
    find_decorations(&rewriting);
    number_resources(&rewriting, &source->kernels[0]);
    rewrite(&rewriting);
    trm_util_release(instance->host, rewriting.resources, resource_bytes);
    *shader = (struct vulkan_shader){rewriting.out, rewriting.written, capacity};
    return TRM_OK;
}

/* ---- texel buffers */

static bool is_array(uint32_t opcode)
{
    return opcode == SpvOpTypeArray || opcode == SpvOpTypeRuntimeArray;
}

/* The instruction before the functions that has this result; NULL: none. Types have their id first, variables
 * have it second. */
static const uint32_t *find_type(const struct vulkan_shader *shader, uint32_t id)
{
    const uint32_t *end = shader->words + shader->count;
    for (const uint32_t *at = shader->words + VULKAN_HEADER_WORDS; at < end; at += vulkan_length(at)) {
        uint32_t opcode = vulkan_opcode(at);
        if (opcode == SpvOpFunction)
            return NULL;
        if ((opcode == SpvOpTypePointer || opcode == SpvOpTypeImage || opcode == SpvOpTypeSampledImage ||
             is_array(opcode)) &&
            at[1] == id)
            return at;
    }
    return NULL;
}

static const uint32_t *find_variable(const struct vulkan_shader *shader, uint32_t id)
{
    const uint32_t *end = shader->words + shader->count;
    for (const uint32_t *at = shader->words + VULKAN_HEADER_WORDS; at < end; at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpFunction)
            return NULL;
        if (is_resource(at) && at[2] == id)
            return at;
    }
    return NULL;
}

#define IMAGE_SAMPLED_WORD 7u
#define IMAGE_IS_STORAGE 2u

static bool is_storage(const struct vulkan_shader *shader, const uint32_t *variable)
{
    const uint32_t *pointer = find_type(shader, variable[1]);
    const uint32_t *type    = pointer != NULL ? find_type(shader, pointer[3]) : NULL;
    while (type != NULL && is_array(vulkan_opcode(type)))
        type = find_type(shader, type[2]);
    return type != NULL && vulkan_opcode(type) == SpvOpTypeImage &&
           type[IMAGE_SAMPLED_WORD] == IMAGE_IS_STORAGE;
}

/* All resources are in set 0 here. */
bool vulkan_shader_stores_texels(const struct vulkan_shader *shader, uint32_t binding)
{
    const uint32_t *end = shader->words + shader->count;
    for (const uint32_t *at = shader->words + VULKAN_HEADER_WORDS; at < end; at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpFunction)
            break;
        if (vulkan_opcode(at) != SpvOpDecorate || at[2] != SpvDecorationBinding || at[3] != binding)
            continue;
        const uint32_t *variable = find_variable(shader, at[1]);
        if (variable != NULL && variable[3] == SpvStorageClassUniformConstant)
            return is_storage(shader, variable);
    }
    return false;
}

bool vulkan_shader_has_addresses(const struct vulkan_shader *shader)
{
    const uint32_t *end = shader->words + shader->count;
    for (const uint32_t *at = shader->words + VULKAN_HEADER_WORDS; at < end; at += vulkan_length(at))
        if (vulkan_opcode(at) == SpvOpMemoryModel)
            return at[1] == SpvAddressingModelPhysicalStorageBuffer64;
    return false;
}

void vulkan_shader_release(const struct trm_backend_instance *instance, struct vulkan_shader *shader)
{
    if (shader->words != NULL)
        trm_util_release(instance->host, shader->words, shader->capacity * sizeof(uint32_t));
    memset(shader, 0, sizeof(*shader));
}

const char *vulkan_shader_entry(const struct vulkan_shader *shader, uint32_t index)
{
    const uint32_t *end = shader->words + shader->count;
    for (const uint32_t *at = shader->words + VULKAN_HEADER_WORDS; at < end; at += vulkan_length(at)) {
        if (vulkan_opcode(at) == SpvOpFunction)
            break;
        if (vulkan_opcode(at) == SpvOpEntryPoint && index-- == 0)
            return vulkan_text_at(at + 3);
    }
    return NULL;
}
