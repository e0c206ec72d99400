/* cuda backend: the kernels of a resident graph, translated as functions and compiled with the loop around
 * them.
 *
 * A stage of fewer work-items than the largest leaves the other threads out, and its barriers count its own
 * alone.
 * SPDX-License-Identifier: MIT
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backends/cuda/module/module.h"
#include "backends/cuda/stream/stream.h"
#include "graph.h"
#include "text.h"

#define KERNELS_MOST 64u
#define WARP 32u
#define SHARED_MOST 49152u /* bytes of shared memory that a group has without opting in */
#define THREADS_MOST 1024u
#define COPY_THREADS 256u /* of a graph without launches */

/* A distinct kernel of the graph. */
struct part {
    const struct trm_backend_kernel *given; /* as the program loaded it */
    const struct trm_module_source *source;
    const struct trm_kernel_info *info;
    uint32_t index; /* of the source's kernels */
    uint32_t items; /* work-items of a group */
    struct cuda_launch_shape shape;
    char symbol[CUDA_SYMBOL_BYTES];
    bool has_barriers;
    struct trm_translation translation;
};

struct program {
    struct cuda_resident_graph *graph;
    struct part parts[KERNELS_MOST];
    uint32_t count;
    char *text; /* NULL at first */
    uint64_t length, capacity;
    bool is_out_of_memory;
};

static const struct trm_host *host_of(const struct program *program)
{
    return program->graph->device->instance->host;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool make_room(struct program *program, uint64_t more)
{
    uint64_t wanted = (program->length + more) * 2;
    if (program->length + more <= program->capacity)
        return true;
    char *text = program->is_out_of_memory ? NULL : trm_util_allocate(host_of(program), wanted);
    if (text == NULL) {
        program->is_out_of_memory = true;
        return false;
    }
    if (program->length != 0)
        memcpy(text, program->text, program->length);
    trm_util_release(host_of(program), program->text, program->capacity);
    program->text     = text;
    program->capacity = wanted;
    return true;
}

static void add(struct program *program, const char *text, uint64_t length)
{
    if (!make_room(program, length + 1))
        return;
    memcpy(program->text + program->length, text, length);
    program->length += length;
    program->text[program->length] = '\0';
}

__attribute__((format(printf, 2, 3))) static void print(struct program *program, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length <= 0 || !make_room(program, (uint64_t)length + 1))
        return;
    va_start(arguments, format);
    vsnprintf(program->text + program->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    program->length += (uint64_t)length;
}

/* ---- which kernels --------------------------------------------------------------------------- */

static int32_t refuse(const struct program *program, const char *kernel, const char *why)
{
    return trm_util_fail(host_of(program), TRM_ERROR_UNSUPPORTED, 0,
                         "Kernel '%.100s' cannot stay on the device: %s.", kernel, why);
}

static bool takes_buffers_and_scalars(const struct trm_kernel_info *info)
{
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        int32_t kind = info->parameters[i].kind;
        if (kind != TRM_PARAMETER_BUFFER && kind != TRM_PARAMETER_SCALAR && kind != TRM_PARAMETER_BLOCK)
            return false;
    }
    return true;
}

static int32_t describe(const struct program *program, const struct trm_graph_node *node, struct part *part)
{
    const char *name = node->launch->kernel->name;
    part->given      = node->launch->kernel;
    part->source     = node->source;
    if (node->source == NULL)
        return refuse(program, name, "it is native code, which has no translation");
    while (part->index < node->source->kernel_count &&
           strcmp(node->source->kernels[part->index].name, name) != 0)
        part->index++;
    if (part->index == node->source->kernel_count)
        return refuse(program, name, "its module does not describe it");
    part->info  = &node->source->kernels[part->index];
    part->items = part->info->group_size[0] * part->info->group_size[1] * part->info->group_size[2];
    if (!takes_buffers_and_scalars(part->info))
        return refuse(program, name, "it takes images, samplers or arrays");
    if (part->info->shared_bytes > SHARED_MOST || node->launch->shared_bytes != 0)
        return refuse(program, name, "it needs more shared memory than a group has without asking");
    return TRM_OK;
}

static int32_t find_part(struct program *program, const struct trm_graph_node *node, uint32_t *number)
{
    for (*number = 0; *number < program->count; ++*number)
        if (program->parts[*number].given == node->launch->kernel)
            return TRM_OK;
    if (program->count == KERNELS_MOST)
        return refuse(program, node->launch->kernel->name, "there are more than 64 kernels in the graph");
    struct part *part = &program->parts[program->count];
    int32_t status    = describe(program, node, part);
    if (status == TRM_OK)
        program->count++;
    return status;
}

static int32_t find_parts(struct program *program, const struct trm_graph_node *const *nodes)
{
    struct cuda_resident_graph *graph = program->graph;
    for (uint32_t i = 0; i < graph->count; i++) {
        struct cuda_resident_node *node = &graph->nodes[i];
        int32_t status                  = TRM_OK;
        node->kind                      = nodes[i]->kind;
        if (node->kind == TRM_GRAPH_LAUNCH)
            status = find_part(program, nodes[i], &node->number);
        else if (node->kind != TRM_GRAPH_COPY)
            status =
                trm_util_fail(host_of(program), TRM_ERROR_UNSUPPORTED, 0,
                              "A kernel that stays on the device does launches and copies, not operations "
                              "of kind %d.",
                              node->kind);
        if (status != TRM_OK)
            return status;
    }
    return TRM_OK;
}

/* ---- translating ----------------------------------------------------------------------------- */

static int32_t check_items(const struct program *program, const struct part *part)
{
    const char *text   = part->translation.text;
    bool is_collective = part->has_barriers || strstr(text, "_sync(") != NULL;
    if (!is_collective || part->items % WARP == 0)
        return TRM_OK;
    return refuse(program, part->info->name,
                  "its work-items wait for each other, and are not a multiple of 32 in a group");
}

static int32_t translate(struct program *program, struct part *part)
{
    const struct trm_host *host = host_of(program);
    part->translation           = (struct trm_translation){.struct_size = sizeof(part->translation)};
    int32_t status = host->translate(host->context, part->source, TRM_LANGUAGE_CUDA, TRM_TRANSLATE_FUNCTIONS,
                                     &part->translation);
    if (status != TRM_OK)
        return status;
    if (!cuda_translated_symbol(part->translation.text, part->translation.length, part->index, part->symbol,
                                &part->shape))
        return refuse(program, part->info->name, "its translation does not name it");
    part->has_barriers = strstr(part->translation.text, "__syncthreads") != NULL;
    return check_items(program, part);
}

/* Threads that end release the barrier of the whole group, and not one for a part of it: with such a barrier
 * a token that is given up ends the context. */
static void write_part(struct program *program, const struct part *part, uint32_t number, uint32_t threads)
{
    const uint32_t *size = part->info->group_size;
    bool has_own_barrier = part->has_barriers && part->items != threads;
    print(program, "#define threadIdx trm_item<%uu, %uu, %uu>()\n", size[0], size[1], size[2]);
    if (has_own_barrier)
        print(program,
              "#undef __syncthreads\n"
              "#define __syncthreads() asm volatile(\"bar.sync 1, %u;\" : : : \"memory\")\n"
              "#undef TRM_GIVE_UP\n"
              "#define TRM_GIVE_UP() __trap()\n",
              part->items);
    print(program, "namespace trm_kernel_%u {\n", number);
    add(program, part->translation.text, part->translation.length);
    print(program, "}\n#undef threadIdx\n");
    if (has_own_barrier)
        print(program, "#undef __syncthreads\n"
                       "#undef TRM_GIVE_UP\n"
                       "#define TRM_GIVE_UP() trm_end_thread()\n");
}

/* Several groups work at once where they do not share what a kernel has once: memory and barriers. */
static bool is_alone(const struct part *part, uint32_t threads)
{
    return part->has_barriers || part->info->shared_bytes != 0 || part->items % WARP != 0 ||
           part->items > threads;
}

static void write_run(struct program *program, uint32_t threads)
{
    print(program, "static __device__ __forceinline__ void trm_run(const struct trm_record *record, "
                   "const unsigned char *arguments)\n"
                   "{\n"
                   "    switch (record->kernel) {\n");
    for (uint32_t i = 0; i < program->count; i++) {
        const struct part *part = &program->parts[i];
        print(program,
              "    case %u:\n"
              "        trm_launch<%uu, %s>(record, arguments, trm_kernel_%u::%.200s);\n"
              "        break;\n",
              i, part->items, is_alone(part, threads) ? "true" : "false", i, part->symbol);
    }
    print(program, "    }\n}\n");
}

static uint32_t round_to_warps(uint64_t items)
{
    return (uint32_t)((items + WARP - 1) / WARP * WARP);
}

/* As many as the largest group; more where all groups of a launch can work at once. */
static uint32_t choose_threads(const struct program *program, const struct trm_graph_node *const *nodes)
{
    uint32_t least = program->count != 0 ? WARP : COPY_THREADS;
    uint64_t most  = 0;
    bool may_grow  = true;
    for (uint32_t i = 0; i < program->count; i++) {
        uint32_t items = round_to_warps(program->parts[i].items);
        least          = items > least ? items : least;
        may_grow       = may_grow && !is_alone(&program->parts[i], UINT32_MAX);
    }
    for (uint32_t i = 0; i < program->graph->count; i++) {
        const struct trm_launch_desc *launch = nodes[i]->launch;
        if (nodes[i]->kind != TRM_GRAPH_LAUNCH)
            continue;
        const struct part *part = &program->parts[program->graph->nodes[i].number];
        uint32_t each           = part->shape.coarsening != 0 ? part->shape.coarsening : 1;
        uint64_t items          = ((uint64_t)launch->groups[0] + each - 1) / each * part->items;
        items *= (uint64_t)launch->groups[1] * launch->groups[2];
        most = items > most ? items : most;
    }
    while (may_grow && least < most && least * 2 <= THREADS_MOST)
        least *= 2;
    return least;
}

static int32_t write_text(struct program *program, const struct trm_graph_node *const *nodes)
{
    for (uint32_t i = 0; i < program->count; i++) {
        int32_t status = translate(program, &program->parts[i]);
        if (status != TRM_OK)
            return status;
    }
    uint32_t threads = choose_threads(program, nodes);
    add(program, cuda_resident_begin, strlen(cuda_resident_begin));
    for (uint32_t i = 0; i < program->count; i++)
        write_part(program, &program->parts[i], i, threads);
    print(program, "#define TRM_THREADS %u\n", threads);
    add(program, cuda_resident_launch, strlen(cuda_resident_launch));
    write_run(program, threads);
    add(program, cuda_resident_end, strlen(cuda_resident_end));
    program->graph->threads = threads;
    return program->is_out_of_memory ? trm_util_fail_host_memory(host_of(program), "a resident kernel")
                                     : TRM_OK;
}

/* ---- compiling ------------------------------------------------------------------------------- */

static int32_t load(struct program *program)
{
    struct cuda_resident_graph *graph = program->graph;
    int32_t status =
        cuda_module_compile(graph->device, "resident", program->text, program->length, &graph->module);
    if (status != TRM_OK)
        return status;
    CUresult result =
        graph->device->cuda->cuModuleGetFunction(&graph->function, graph->module->handle, "trm_resident");
    return result == CUDA_SUCCESS ? TRM_OK : cuda_device_fail(graph->device, result, "cuModuleGetFunction");
}

static void note_layout(struct cuda_resident_node *node, const struct trm_backend_kernel *kernel,
                        uint32_t items)
{
    node->kernel = kernel;
    node->items  = items;
}

/* The layouts of the arguments, as kernels of the module without a function. */
static int32_t make_layouts(struct program *program)
{
    struct cuda_resident_graph *graph = program->graph;
    for (uint32_t i = 0; i < program->count; i++) {
        int32_t status = cuda_kernel_translated(graph->module, program->parts[i].info,
                                                &program->parts[i].shape, NULL, NULL);
        if (status != TRM_OK)
            return status;
        for (uint32_t k = 0; k < graph->count; k++)
            if (graph->nodes[k].kind == TRM_GRAPH_LAUNCH && graph->nodes[k].number == i)
                note_layout(&graph->nodes[k], graph->module->kernels, program->parts[i].items);
    }
    return TRM_OK;
}

static int32_t build(struct program *program, const struct trm_graph_node *const *nodes)
{
    struct trm_backend_device *device = program->graph->device;
    CUcontext previous;
    int32_t status = find_parts(program, nodes);
    if (status == TRM_OK)
        status = write_text(program, nodes);
    if (status == TRM_OK)
        status = cuda_enter(device, &previous);
    if (status != TRM_OK)
        return status;
    status = load(program);
    if (status == TRM_OK)
        status = make_layouts(program);
    cuda_leave(device, previous);
    return status;
}

int32_t cuda_resident_program_create(struct cuda_resident_graph *graph,
                                     const struct trm_graph_node *const *nodes)
{
    const struct trm_host *host = graph->device->instance->host;
    if (trm_util_setting_is_on(host, "kernel.bounds"))
        return trm_util_fail(host, TRM_ERROR_UNSUPPORTED, 0,
                             "Kernels that stay on the device do not check bounds (kernel.bounds).");
    struct program *program = trm_util_allocate(host, sizeof(*program));
    if (program == NULL)
        return trm_util_fail_host_memory(host, "a resident kernel");
    program->graph = graph;
    int32_t status = build(program, nodes);
    for (uint32_t i = 0; i < program->count; i++)
        if (program->parts[i].translation.symbols != NULL)
            host->release_translation(host->context, &program->parts[i].translation);
    trm_util_release(host, program->text, program->capacity);
    trm_util_release(host, program, sizeof(*program));
    return status;
}
