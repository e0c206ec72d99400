/* CUDA C, for nvcc and NVRTC.
 *
 * A kernel's parameters, which a launch builds from the reflection (struct trm_parameter):
 *
 *     1. in the order of the parameters, for each buffer a pointer to its first byte in the span, and for
 *        each image, sampler and texel buffer a struct trm_image_words by value (<trireme/image_layout.h>);
 *     2. if there are other parameters: one struct by value, with those in their order. A scalar stands at
 *        its natural alignment, a half as its 16 bits; a block is its bytes at a multiple of 16;
 *     3. if the shader uses the length of any buffer: for each buffer, in order, the bytes of its span as a
 *        uint64_t.
 *
 * With TRM_TRANSLATE_BOUNDS there is one more parameter between 2. and 3., the address of the stream's struct
 * trm_fault_record (cuda_bounds.c), and no kernel is coarsened.
 *
 * Sizes come last so that a launch that always passes all three need not know whether the kernel uses them:
 * the driver takes as many parameters as the function has. The block has the group's own size, which is in
 * __launch_bounds__.
 *
 * If the elements of a buffer are vectors of 8 or 16 bytes, its pointer is a multiple of that. A kernel with
 * more than 48 KiB of shared memory gets it as dynamic shared memory; each of its variables begins at a
 * multiple of 16.
 *
 * If the last line of the text has *COUNT behind a kernel's symbol, a thread runs COUNT work-items that are
 * neighbours in x or in y (cuda_coarsen.c). Then a COUNTth of the groups in x, rounded up, must be launched,
 * and the number of groups before that division is one more parameter, a uint32_t between 2. and 3. With
 * /COUNT the launch chooses: SYMBOL_coarsened, with the same parameters, is that kernel, and SYMBOL runs one
 * work-item in each thread of all groups.
 *
 * A kernel that samples only 1D and 2D images is there twice. SYMBOL_textures, with the same parameters, is
 * for launches in which each of them has a texture object: without the code that samples memory it needs half
 * as many registers.
 *
 * Pointers are __restrict__: under SPIR-V's GLSL memory model buffers are different memory unless they are
 * decorated Aliased, which GLSL never does. Work-items communicate through buffers that are `coherent` or
 * `volatile`; those are not restrict.
 *
 * With TRM_TRANSLATE_FUNCTIONS kernels are functions of the device, for backends/cuda/resident.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/image.h>
#include <trireme/status.h>

#include "compiler/translate/targets/cuda_target.h"

#define SHARED_ALWAYS 49152u /* bytes of shared memory that a kernel may declare */

static const char head[] = "/* Made by Trireme from a SPIR-V module. */\n"
                           "#ifdef __CUDACC_RTC__\n"
                           "typedef signed char int8_t;\n"
                           "typedef unsigned char uint8_t;\n"
                           "typedef short int16_t;\n"
                           "typedef unsigned short uint16_t;\n"
                           "typedef int int32_t;\n"
                           "typedef unsigned int uint32_t;\n"
                           "typedef long long int64_t;\n"
                           "typedef unsigned long long uint64_t;\n"
                           "#define INT32_MAX 2147483647\n"
                           "#define INT32_MIN (-2147483647 - 1)\n"
                           "#define UINT32_MAX 4294967295u\n"
                           "#define INT64_MAX 9223372036854775807ll\n"
                           "#define INT64_MIN (-9223372036854775807ll - 1)\n"
                           "#define UINT64_MAX 18446744073709551615ull\n"
                           "#define __builtin_inff() __int_as_float(0x7f800000)\n"
                           "#define __builtin_inf() __longlong_as_double(0x7ff0000000000000ll)\n"
                           "#define __builtin_nanf(text) __int_as_float(0x7fc00000)\n"
                           "#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000ll)\n"
                           "#else\n"
                           "#include <stdint.h>\n"
                           "#endif\n"
                           "/* Shaders compute values that nothing reads. */\n"
                           "#pragma nv_diag_suppress 177, 186, 550\n"
                           "\n";

static void begin(struct emit *emit)
{
    text_add_bytes(&emit->head, head, sizeof(head) - 1);
    if (emit->flags & TRM_TRANSLATE_BOUNDS)
        target_cuda_begin_bounds(emit);
}

/* Writes the last line, which names the module and the kernels: "// trireme DIGEST SYMBOL...", with *COUNT
 * behind the symbol of a coarsened kernel, or /COUNT where the launch chooses. The compiled code carries this
 * line at its end, where the backend reads it (backends/cuda/module/trailer.h). */
static void end(struct emit *emit)
{
    if (emit->digest == NULL)
        return;
    text_add(&emit->text, "// trireme ");
    for (uint32_t i = 0; i < 32; i++)
        text_add(&emit->text, "%02x", emit->digest[i]);
    for (uint32_t i = 0; i < emit->reflection.kernel_count; i++) {
        text_add(&emit->text, " %s", emit->symbols[i]);
        if (emit->counts != NULL && emit->counts[i] != 0)
            text_add(&emit->text, emit->choices[i] ? "/%u" : "*%u", emit->counts[i]);
    }
    text_add(&emit->text, "\n");
}

static void barrier(struct emit *emit)
{
    text_line(&emit->text, "__syncthreads();");
}

/* ---- the signature */

void target_cuda_separate(struct emit *emit, uint32_t *count)
{
    text_add(&emit->text, (*count)++ == 0 ? "" : ", ");
}

static void write_pointer(struct emit *emit, const struct trm_parameter *parameter, uint32_t id)
{
    const struct spirv_variable *variable = emit->module->ids[id].as.variable;
    bool is_own = !variable->is_coherent && !variable->is_volatile && emit->body->memory_count == 0 &&
                  !(emit->flags & TRM_TRANSLATE_FUNCTIONS);

    text_add(&emit->text, "%s%s *%s%s", parameter->access == TRM_ACCESS_READ ? "const " : "",
             emit_buffer_type(emit, id), is_own ? "__restrict__ " : "", emit_name(emit, id));
}

/* Writes an array as a struct by value, "TRM_TABLE trm_table<void *, 4> s_parts". A table of sizes follows
 * the other parameters (`end` is "_size"). */
static void write_table(struct emit *emit, uint32_t parameter, const char *type, const char *end)
{
    uint32_t id = emit->reflection.parameter_variables[parameter];

    text_add(&emit->text, "%s %s%s",
             emit_table_type(emit, type, target_entries(&target_kernel_info(emit)->parameters[parameter])),
             emit_name(emit, id), end);
}

/* Writes the parameter of a buffer, or of an array. */
static void write_address(struct emit *emit, uint32_t parameter)
{
    const struct trm_parameter *info = &target_kernel_info(emit)->parameters[parameter];
    uint32_t id                      = emit->reflection.parameter_variables[parameter];

    if (!trm_parameter_is_array(info)) {
        write_pointer(emit, info, id);
        return;
    }
    bool is_buffer = trm_parameter_element(info) == TRM_PARAMETER_BUFFER;
    if (!is_buffer)
        emit_opaque_type(emit, id); /* notes that it is needed */
    write_table(emit, parameter, is_buffer ? "void *" : "trm_image_words", "");
}

static bool is_buffer(const struct trm_parameter *parameter)
{
    return trm_parameter_element(parameter) == TRM_PARAMETER_BUFFER;
}

static void write_words(struct emit *emit, uint32_t parameter)
{
    emit_opaque_type(emit, emit->reflection.parameter_variables[parameter]); /* notes that it is needed */
    text_add(&emit->text, "const struct trm_image_words " CUDA_WORDS, parameter);
}

uint32_t target_cuda_scalars(const struct trm_kernel_info *kernel)
{
    uint32_t scalars = 0;

    for (uint32_t i = 0; i < kernel->parameter_count; i++)
        scalars += emit_is_member(&kernel->parameters[i]) || trm_parameter_count(&kernel->parameters[i]) == 0;
    return scalars;
}

/* Does the body use the size of a buffer? */
bool target_cuda_asks_for_sizes(struct emit *emit, const struct text *body)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        if (!is_buffer(&kernel->parameters[i]))
            continue;
        const char *size = base_arena_format(emit->arena, "%s_size",
                                             emit_name(emit, emit->reflection.parameter_variables[i]));
        if (size != NULL && target_mentions(body, size))
            return true;
    }
    return target_mentions(body, CUDA_BUFFERS);
}

/* Writes the parameters that the top of this file documents; `more` is one more before the sizes, or NULL. */
void target_cuda_parameters(struct emit *emit, const struct text *body, const char *more)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);
    uint32_t count                       = 0;

    for (uint32_t i = 0; i < kernel->parameter_count && !emit_is_member(&kernel->parameters[i]); i++) {
        target_cuda_separate(emit, &count);
        if (is_buffer(&kernel->parameters[i]) || trm_parameter_is_array(&kernel->parameters[i]))
            write_address(emit, i);
        else
            write_words(emit, i);
    }
    if (target_cuda_scalars(kernel) != 0) {
        target_cuda_separate(emit, &count);
        text_add(&emit->text, "const struct %s_arguments arguments", emit->symbol);
    }
    if (more != NULL) {
        target_cuda_separate(emit, &count);
        text_add(&emit->text, "const uint32_t %s", more);
    }
    if (emit->flags & TRM_TRANSLATE_BOUNDS) {
        target_cuda_separate(emit, &count);
        text_add(&emit->text, "struct trm_fault_record *" CUDA_RECORD);
    }
    for (uint32_t i = 0; i < kernel->parameter_count && target_cuda_asks_for_sizes(emit, body); i++) {
        if (!is_buffer(&kernel->parameters[i]))
            continue;
        target_cuda_separate(emit, &count);
        if (trm_parameter_is_array(&kernel->parameters[i])) {
            write_table(emit, i, "uint64_t", "_size");
            continue;
        }
        text_add(&emit->text, "const uint64_t %s_size",
                 emit_name(emit, emit->reflection.parameter_variables[i]));
    }
}

void target_cuda_signature(struct emit *emit, const struct text *body, const char *end, const char *more)
{
    const uint32_t *size = emit->body->entry->local_size;

    text_begin_line(&emit->text);
    if (emit->flags & TRM_TRANSLATE_FUNCTIONS)
        text_add(&emit->text, "static __device__ __forceinline__ void %s%s(", emit->symbol, end);
    else
        text_add(&emit->text, "extern \"C\" __global__ void __launch_bounds__(%u) %s%s(",
                 size[0] * size[1] * size[2], emit->symbol, end);
    target_cuda_parameters(emit, body, more);
    text_add(&emit->text, ")\n");
}

static void write_arguments(struct emit *emit)
{
    if (target_cuda_scalars(target_kernel_info(emit)) == 0)
        return;
    text_line(&emit->text, "struct %s_arguments {", emit->symbol);
    target_scalars(emit);
    text_close(&emit->text, "};");
    text_add_bytes(&emit->text, "\n", 1);
}

/* ---- the body */

/* Zeroed shared variables: all work-items clear them together. */
static void clear_shared(struct emit *emit, const char *name)
{
    const uint32_t *size = emit->body->entry->local_size;

    text_begin_line(&emit->text);
    text_add(&emit->text, "for (uint32_t i = ");
    emit->target->builtin(emit, SpvBuiltInLocalInvocationIndex, WHOLE);
    text_add(&emit->text, "; i < sizeof(%s); i += %uu)\n", name, size[0] * size[1] * size[2]);
    text_line(&emit->text, "    ((unsigned char *)&%s)[i] = 0;", name);
}

/* Up to SHARED_ALWAYS bytes are variables. More must be requested by the launch: then the variables are
 * references into it. */
static void write_shared_variable(struct emit *emit, uint32_t id, uint32_t *offset)
{
    const struct spirv_module *module = emit->module;
    uint32_t type                     = spirv_type_of(module, id)->element;
    const char *name = emit_name(emit, id), *storage = emit_storage_type(emit, type);

    if (target_kernel_info(emit)->shared_bytes <= SHARED_ALWAYS) {
        text_line(&emit->text, "alignas(16) __shared__ %s %s;", storage, name);
        return;
    }
    if (*offset == 0)
        text_line(&emit->text, "extern __shared__ uint4 trm_shared[];");
    text_line(&emit->text, "%s &%s = *(%s *)((unsigned char *)trm_shared + %u);", storage, name, storage,
              *offset);
    *offset += (spirv_type(module, type)->natural_size + 15) / 16 * 16;
}

/* Shared blocks are views of one array. A module with them has no other shared variables. */
static void write_shared_block(struct emit *emit, uint32_t id)
{
    const char *name = emit_name(emit, id);
    uint32_t count   = spirv_shared_block_size(emit->module) / 16;

    if (target_kernel_info(emit)->shared_bytes <= SHARED_ALWAYS) {
        text_line(&emit->text, "alignas(16) __shared__ uint4 %s[%u];", name, count);
        return;
    }
    text_line(&emit->text, "extern __shared__ uint4 trm_shared[];");
    text_line(&emit->text, "uint4 (&%s)[%u] = *(uint4 (*)[%u])trm_shared;", name, count, count);
}

static void write_shared(struct emit *emit, const struct text *body)
{
    const struct spirv_module *module = emit->module;
    uint32_t cleared = 0, offset = 0;

    for (uint32_t i = 0; i < module->variable_count; i++) {
        uint32_t id                           = module->variables[i];
        const struct spirv_variable *variable = module->ids[id].as.variable;
        if (variable->storage != SpvStorageClassWorkgroup || !target_mentions(body, emit_name(emit, id)))
            continue;
        if (variable->is_shared_block)
            write_shared_block(emit, id);
        else
            write_shared_variable(emit, id, &offset);
        if (variable->initializer != 0) {
            clear_shared(emit, emit_name(emit, id));
            cleared = 1;
        }
    }
    if (cleared)
        barrier(emit);
}

/* ---- a kernel */

/* A buffer of vectors begins at a multiple of their size, which the launch checks: tells that to the
 * compiler. */
static void write_aligned(struct emit *emit)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);

    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct trm_parameter *parameter = &kernel->parameters[i];
        uint32_t id                           = emit->reflection.parameter_variables[i];
        uint32_t bytes = parameter->components * (uint32_t)trm_type_size(parameter->type);
        if (parameter->kind == TRM_PARAMETER_BUFFER && parameter->components > 1 &&
            (bytes == 8 || bytes == 16))
            text_line(&emit->text, "%s = (%s%s *)__builtin_assume_aligned(%s, %u);", emit_name(emit, id),
                      parameter->access == TRM_ACCESS_READ ? "const " : "", emit_buffer_type(emit, id),
                      emit_name(emit, id), bytes);
    }
}

static void write_images(struct emit *emit, const struct text *body)
{
    const struct trm_kernel_info *kernel = target_kernel_info(emit);

    for (uint32_t i = 0; i < kernel->parameter_count && !emit_is_member(&kernel->parameters[i]); i++)
        if (kernel->parameters[i].kind != TRM_PARAMETER_BUFFER &&
            !trm_parameter_is_array(&kernel->parameters[i]))
            target_open_image(emit, body, i, base_arena_format(emit->arena, CUDA_WORDS, i));
}

/* Is the parameter sampled? Then *has_object says whether there may be a texture object for it. */
static bool is_sampled(const struct emit *emit, uint32_t parameter, bool *has_object)
{
    const struct trm_parameter *info = &target_kernel_info(emit)->parameters[parameter];
    int32_t kind                     = trm_parameter_element(info);

    if (kind != TRM_PARAMETER_TEXTURE && kind != TRM_PARAMETER_SAMPLED_IMAGE)
        return false;
    const struct spirv_image *image =
        spirv_descriptor_of(emit->module, emit->reflection.parameter_variables[parameter])->image;
    *has_object =
        !trm_parameter_is_array(info) && (image->type == TRM_IMAGE_1D || image->type == TRM_IMAGE_2D);
    return true;
}

/* May a launch have a texture object for each image that it samples? */
static bool may_have_objects(const struct emit *emit, const struct text *body)
{
    bool has_object = false;

    if (!target_mentions(body, "trm_sample1_f32") && !target_mentions(body, "trm_sample2_f32"))
        return false;
    for (uint32_t i = 0; i < target_kernel_info(emit)->parameter_count; i++)
        if (is_sampled(emit, i, &has_object) && !has_object)
            return false;
    return true;
}

/* The launch has made sure of it: says so to the compiler, which then leaves out what samples memory. */
static void require_objects(struct emit *emit, const struct text *body)
{
    bool has_object;

    for (uint32_t i = 0; i < target_kernel_info(emit)->parameter_count; i++) {
        const char *name = emit_name(emit, emit->reflection.parameter_variables[i]);
        if (!is_sampled(emit, i, &has_object) || !target_mentions(body, name))
            continue;
        text_line(&emit->text, "if (%s.object == 0)", name);
        text_line(&emit->text, "    return;");
    }
}

void target_cuda_open(struct emit *emit, const struct text *body, const char *end)
{
    write_aligned(emit);
    write_images(emit, body);
    if (*end != '\0')
        require_objects(emit, body);
}

static void write_plain(struct emit *emit, const struct text *body, const char *end)
{
    target_cuda_signature(emit, body, end, NULL);
    text_line(&emit->text, "{");
    target_cuda_open(emit, body, end);
    write_shared(emit, body);
    if (emit->flags & TRM_TRANSLATE_BOUNDS)
        target_cuda_open_bounds(emit, body);
    text_add_bytes(&emit->text, body->bytes, body->length);
    text_close(&emit->text, "}");
    text_add_bytes(&emit->text, "\n", 1);
}

static void write_kernel(struct emit *emit, const struct text *body)
{
    void (*write)(struct emit *, const struct text *, const char *) =
        emit->coarsen.count != 0 ? target_cuda_write_unrolled_rows : write_plain;

    write(emit, body, "");
    if (may_have_objects(emit, body))
        write(emit, body, CUDA_TEXTURES);
}

/* Decides about coarsening. */
static int32_t choose_coarsening(struct emit *emit)
{
    uint32_t kernels = emit->reflection.kernel_count;

    if (emit->counts == NULL) {
        emit->counts  = base_arena_allocate(emit->arena, kernels, sizeof(*emit->counts));
        emit->choices = base_arena_allocate(emit->arena, kernels, sizeof(*emit->choices));
    }
    if (emit->counts == NULL || emit->choices == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    emit->coarsen = (struct emit_coarsen){.count = 0};
    if (!(emit->flags & TRM_TRANSLATE_BOUNDS))
        target_cuda_coarsen(emit, &emit->coarsen);
    return TRM_OK;
}

static int32_t kernel(struct emit *emit)
{
    struct flow_frame frame;
    int32_t status = choose_coarsening(emit);

    emit->flow = flow_create(emit);
    if (status != TRM_OK || emit->flow == NULL)
        return TRM_ERROR_OUT_OF_HOST_MEMORY;
    struct text saved = flow_capture(emit);
    emit->text.indent++;
    flow_push(emit, &frame, NULL);
    status =
        flow_declare(emit, emit->body->root, (1u << PLACE_TOP) | (1u << PLACE_GROUP) | (1u << PLACE_SPILLED));
    if (status == TRM_OK)
        status = emit_node(emit, emit->body->root);
    flow_pop(emit);
    struct text body = flow_captured(emit, &saved);
    if (status != TRM_OK)
        return status;
    write_arguments(emit);
    if (emit->coarsen.bound != NULL && emit->coarsen.count != 0)
        status = target_cuda_write_coarsened(emit, &body);
    else
        write_kernel(emit, &body);
    emit->counts[emit->kernel]  = emit->coarsen.count;
    emit->choices[emit->kernel] = emit->coarsen.is_choice;
    if (status != TRM_OK)
        return status;
    return emit->arena->failed ? TRM_ERROR_OUT_OF_HOST_MEMORY : TRM_OK;
}

/* ---- built-ins */

static void add_index(struct emit *emit)
{
    const uint32_t *size = emit->body->entry->local_size;

    if (size[1] == 1 && size[2] == 1)
        text_add(&emit->text, "threadIdx.x");
    else if (size[2] == 1)
        text_add(&emit->text, "(threadIdx.y * %uu + threadIdx.x)", size[0]);
    else
        text_add(&emit->text, "((threadIdx.z * %uu + threadIdx.y) * %uu + threadIdx.x)", size[1], size[0]);
}

static void add_lane(struct emit *emit, const char *before, const char *after)
{
    text_add(&emit->text, "%s", before);
    add_index(emit);
    text_add(&emit->text, " %% 32u%s", after);
}

/* A mask of the subgroup's work-items: only its first 32 bits can be set. */
static void add_mask(struct emit *emit, int32_t builtin)
{
    switch (builtin) {
    case SpvBuiltInSubgroupEqMask:
        add_lane(emit, "(1u << (", "))");
        break;
    case SpvBuiltInSubgroupLtMask:
        add_lane(emit, "((1u << (", ")) - 1u)");
        break;
    case SpvBuiltInSubgroupLeMask:
        add_lane(emit, "((2u << (", ")) - 1u)");
        break;
    case SpvBuiltInSubgroupGeMask:
        add_lane(emit, "(~0u << (", "))");
        break;
    default:
        add_lane(emit, "(~1u << (", "))");
        break;
    }
}

static void add_subgroup(struct emit *emit, int32_t builtin, uint32_t component)
{
    const uint32_t *size = emit->body->entry->local_size;

    switch (builtin) {
    case SpvBuiltInSubgroupSize:
        text_add(&emit->text, "32u");
        break;
    case SpvBuiltInNumSubgroups:
        text_add(&emit->text, "%uu", (size[0] * size[1] * size[2] + 31) / 32);
        break;
    case SpvBuiltInSubgroupId:
        text_add(&emit->text, "(");
        add_index(emit);
        text_add(&emit->text, " / 32u)");
        break;
    case SpvBuiltInSubgroupLocalInvocationId:
        add_lane(emit, "(", ")");
        break;
    default:
        if (component != 0)
            text_add(&emit->text, "0u");
        else
            add_mask(emit, builtin);
        break;
    }
}

static bool builtin(struct emit *emit, int32_t builtin, uint32_t component)
{
    const uint32_t *size = emit->body->entry->local_size;
    uint32_t c           = component == WHOLE ? 0 : component;

    if (c > 3 || (c == 3 && (builtin < SpvBuiltInSubgroupEqMask || builtin > SpvBuiltInSubgroupLtMask)))
        return false;
    char letter = "xyzw"[c];
    switch (builtin) {
    case SpvBuiltInGlobalInvocationId:
        if (c == 0 && emit->coarsen.count != 0)
            text_add(&emit->text, CUDA_ITEM);
        else if (c == 1 && emit->coarsen.is_along_y && emit->coarsen.count != 0)
            text_add(&emit->text, CUDA_ROW);
        else if (size[c] == 1)
            text_add(&emit->text, "blockIdx.%c", letter);
        else
            text_add(&emit->text, "(blockIdx.%c * %uu + threadIdx.%c)", letter, size[c], letter);
        return true;
    case SpvBuiltInLocalInvocationId:
        text_add(&emit->text, "threadIdx.%c", letter);
        return true;
    case SpvBuiltInLocalInvocationIndex:
        add_index(emit);
        return true;
    case SpvBuiltInWorkgroupId:
        text_add(&emit->text, "blockIdx.%c", letter);
        return true;
    case SpvBuiltInNumWorkgroups:
        text_add(&emit->text, "gridDim.%c", letter);
        return true;
    case SpvBuiltInWorkgroupSize:
        text_add(&emit->text, "%uu", size[c]);
        return true;
    case SpvBuiltInDeviceIndex:
        text_add(&emit->text, "0u");
        return true;
    case SpvBuiltInSubgroupSize:
    case SpvBuiltInNumSubgroups:
    case SpvBuiltInSubgroupId:
    case SpvBuiltInSubgroupLocalInvocationId:
    case SpvBuiltInSubgroupEqMask:
    case SpvBuiltInSubgroupGeMask:
    case SpvBuiltInSubgroupGtMask:
    case SpvBuiltInSubgroupLeMask:
    case SpvBuiltInSubgroupLtMask:
        add_subgroup(emit, builtin, c);
        return true;
    default:
        return false;
    }
}

const struct emit_target target_cuda = {
    .language  = TRM_LANGUAGE_CUDA,
    .begin     = begin,
    .kernel    = kernel,
    .end       = end,
    .builtin   = builtin,
    .barrier   = barrier,
    .arguments = "arguments.",
};
