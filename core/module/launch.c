/* Launches.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "core/image/image.h"
#include "core/memory/memory.h"
#include "core/module/launch.h"

#define ARGUMENTS_INLINE CORE_CACHED_ARGUMENTS

/* A launch that has been checked. */
struct launch {
    struct core_stream *stream;
    struct core_kernel *kernel;
    const struct trm_parameter *parameters; /* the kernel's, as the backend has them */
    struct trm_launch_desc desc;
    struct trm_launch_argument *arguments; /* for the backend */
    struct trm_launch_image *images;       /* of each argument, where the backend has images */
    /* First one of each argument, which is NULL for a scalar and an empty span, then the samplers'. */
    struct core_in_flight **in_flight;
    uint32_t in_flight_count;
    /* Buffers that the kernel reaches through addresses. */
    const struct trm_argument *reached;
    uint32_t reached_count;
    bool is_flat; /* elements of arrays are arguments of their own, and may be missing */
};

/* Room for up to ARGUMENTS_INLINE arguments; more are allocated. */
struct launch_space {
    struct trm_launch_argument arguments[ARGUMENTS_INLINE];
    struct trm_launch_image images[ARGUMENTS_INLINE];
    struct core_in_flight *in_flight[ARGUMENTS_INLINE * CORE_IMAGE_SETS];
};

/* ---- the grid ------------------------------------------------------------------------------ */

static int32_t fail_grid(const char *what, uint32_t given, char axis, uint64_t most)
{
    return base_fail(TRM_ERROR_OUT_OF_RANGE, "%" PRIu32 " %s in %c; the device has at most %" PRIu64, given,
                     what, axis, most);
}

/* Zeros count as one. */
static void complete(uint32_t sizes[3])
{
    for (uint32_t i = 0; i < 3; i++)
        if (sizes[i] == 0)
            sizes[i] = 1;
}

static int32_t set_group_size(struct launch *launch, const struct trm_grid *grid)
{
    const uint32_t *own = launch->kernel->group_size;
    uint32_t *size      = launch->desc.group_size;

    memcpy(size, grid->group_size, sizeof(launch->desc.group_size));
    if ((size[0] | size[1] | size[2]) == 0) {
        if (own[0] == 0)
            return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                             "kernel \"%s\" has no group size, and the grid gives none",
                             launch->kernel->name);
        memcpy(size, own, sizeof(launch->desc.group_size));
        return TRM_OK;
    }
    complete(size);
    if (own[0] != 0 && memcmp(size, own, sizeof(launch->desc.group_size)) != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "kernel \"%s\" has groups of %" PRIu32 " x %" PRIu32 " x %" PRIu32 ", not %" PRIu32
                         " x %" PRIu32 " x %" PRIu32,
                         launch->kernel->name, own[0], own[1], own[2], size[0], size[1], size[2]);
    return TRM_OK;
}

static int32_t check_sizes(const struct launch *launch)
{
    const struct core_device_limits *limits = &launch->stream->device->limits;
    const struct trm_launch_desc *desc      = &launch->desc;

    for (uint32_t i = 0; i < 3; i++) {
        if (desc->groups[i] > limits->max_groups[i])
            return fail_grid("groups", desc->groups[i], (char)('x' + i), limits->max_groups[i]);
        if (desc->group_size[i] > limits->max_group_size[i])
            return fail_grid("work-items of a group", desc->group_size[i], (char)('x' + i),
                             limits->max_group_size[i]);
    }
    return TRM_OK;
}

/* Checks the products: work-items of a group, and all work-items, which are numbered in 64 bits. */
static int32_t check_products(const struct launch *launch)
{
    const struct core_device_limits *limits = &launch->stream->device->limits;
    const uint32_t *size = launch->desc.group_size, *groups = launch->desc.groups;
    uint64_t items, all;

    if (__builtin_mul_overflow((uint64_t)size[0] * size[1], (uint64_t)size[2], &items) ||
        items > limits->max_group_items)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "a group of %" PRIu32 " x %" PRIu32 " x %" PRIu32
                         " work-items; the device has at most %" PRIu64,
                         size[0], size[1], size[2], limits->max_group_items);
    if (__builtin_mul_overflow((uint64_t)groups[0] * groups[1], (uint64_t)groups[2], &all) ||
        __builtin_mul_overflow(all, items, &all))
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " groups are more than 64 bits can count",
                         groups[0], groups[1], groups[2]);
    return TRM_OK;
}

static int32_t check_shared(const struct launch *launch)
{
    const struct core_device_limits *limits = &launch->stream->device->limits;
    uint64_t shared = (uint64_t)launch->desc.shared_bytes + launch->kernel->shared_bytes;

    if (shared <= limits->max_shared_bytes)
        return TRM_OK;
    return base_fail(TRM_ERROR_OUT_OF_RANGE,
                     "%" PRIu64 " bytes of shared memory for kernel \"%s\"; the device has at most %" PRIu64,
                     shared, launch->kernel->name, limits->max_shared_bytes);
}

/* Fills in the grid. `groups` stays all zero for a launch without groups. */
static int32_t set_grid(struct launch *launch, const struct trm_grid *grid)
{
    if (grid == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the grid of the launch is NULL");
    launch->desc.shared_bytes = grid->shared_bytes;
    memcpy(launch->desc.groups, grid->groups, sizeof(launch->desc.groups));
    if ((grid->groups[0] | grid->groups[1] | grid->groups[2]) == 0)
        return TRM_OK; /* nothing will run, so no size is checked */
    complete(launch->desc.groups);
    int32_t status = set_group_size(launch, grid);
    if (status == TRM_OK)
        status = check_sizes(launch);
    if (status == TRM_OK)
        status = check_products(launch);
    if (status == TRM_OK)
        status = check_shared(launch);
    return status;
}

/* ---- the arguments ------------------------------------------------------------------------- */

static __attribute__((noinline)) int32_t fail_argument(const struct launch *launch, uint32_t index,
                                                       const struct trm_argument *given)
{
    char place[CORE_PLACE_TEXT];
    return core_launch_fail_argument(launch->kernel, core_launch_place(launch->kernel, index, place), given);
}

/* Fails with the argument's place in front of the sentence. */
static __attribute__((noinline)) int32_t fail_place(const struct launch *launch, uint32_t index,
                                                    int32_t status, const char *sentence)
{
    char place[CORE_PLACE_TEXT];

    core_launch_place(launch->kernel, index, place);
    return base_fail(status, "%s of kernel \"%s\": %s", place, launch->kernel->name, sentence);
}

static int32_t set_scalar(struct launch *launch, uint32_t index, const struct trm_argument *given)
{
    struct trm_launch_argument *argument = &launch->arguments[index];

    if (!LIKELY(given->type == launch->parameters[index].type) &&
        launch->parameters[index].kind == TRM_PARAMETER_SCALAR)
        return fail_argument(launch, index, given);
    argument->kind   = TRM_PARAMETER_SCALAR;
    argument->type   = given->type;
    argument->memory = NULL;
    argument->offset = 0;
    argument->size   = trm_type_size(given->type);
    argument->block  = NULL;
    switch (argument->size) {
    case 1:
        argument->scalar = given->value.u8;
        break;
    case 2:
        argument->scalar = given->value.u16;
        break;
    case 4:
        argument->scalar = given->value.u32;
        break;
    default:
        argument->scalar = given->value.u64;
        break;
    }
    launch->in_flight[index] = NULL;
    return TRM_OK;
}

static int32_t set_block(struct launch *launch, uint32_t index, const struct trm_argument *given)
{
    struct trm_launch_argument *argument = &launch->arguments[index];

    if (!LIKELY(given->value.block.size == launch->parameters[index].size))
        return fail_argument(launch, index, given);
    if (!LIKELY(given->value.block.data != NULL))
        return fail_place(launch, index, TRM_ERROR_INVALID_ARGUMENT, "the block is NULL");
    argument->kind           = TRM_PARAMETER_BLOCK;
    argument->type           = TRM_TYPE_NONE;
    argument->memory         = NULL;
    argument->offset         = 0;
    argument->size           = given->value.block.size;
    argument->scalar         = 0;
    argument->block          = given->value.block.data;
    launch->in_flight[index] = NULL;
    return TRM_OK;
}

/* Adds the argument's place to the sentence about its span, image or sampler. */
static int32_t fail_object(const struct launch *launch, uint32_t index, int32_t status)
{
    return fail_place(launch, index, status, trm_last_error().sentence);
}

/* A shader may use the members before its runtime array without checking the buffer's length. */
static int32_t fail_short(const struct launch *launch, uint32_t index, uint64_t length)
{
    char place[CORE_PLACE_TEXT];

    core_launch_place(launch->kernel, index, place);
    return base_fail(TRM_ERROR_OUT_OF_RANGE,
                     "%s of kernel \"%s\" has %" PRIu64 " bytes; it needs at least %" PRIu32, place,
                     launch->kernel->name, length, launch->parameters[index].size);
}

/* The alignment that any device needs of a buffer's elements: that of a scalar, or of a vector that is laid
 * out as one. Elements of several types may begin anywhere. */
static uint64_t element_alignment(const struct trm_parameter *parameter)
{
    uint32_t scalar = trm_type_size(parameter->type);
    uint32_t vector = parameter->stride & (0 - parameter->stride); /* the power of two in it */

    if (parameter->type == TRM_TYPE_NONE)
        return 1;
    return parameter->components > 1 && vector > scalar && vector <= 4 * scalar ? vector : scalar;
}

static __attribute__((noinline)) int32_t check_offset(const struct launch *launch, uint32_t index,
                                                      uint64_t offset)
{
    const struct trm_parameter *parameter = &launch->parameters[index];
    uint64_t element = parameter->kind == TRM_PARAMETER_BUFFER ? element_alignment(parameter) : 1;
    uint64_t device  = launch->stream->device->limits.buffer_alignment;
    bool is_element  = offset % element != 0;
    char place[CORE_PLACE_TEXT];

    if (!is_element && (device <= 1 || offset % device == 0))
        return TRM_OK;
    core_launch_place(launch->kernel, index, place);
    if (is_element)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%s of kernel \"%s\" begins at offset %" PRIu64
                         ", which is not a multiple of its elements' alignment, %" PRIu64 " bytes",
                         place, launch->kernel->name, offset, element);
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "%s of kernel \"%s\" begins at offset %" PRIu64 ", which is not a multiple of %" PRIu64
                     " bytes, as the device needs it",
                     place, launch->kernel->name, offset, device);
}

static int32_t set_span(struct launch *launch, uint32_t index, const struct trm_argument *given)
{
    struct core_device *device           = launch->stream->device;
    struct trm_launch_argument *argument = &launch->arguments[index];
    const struct trm_span *span          = &given->value.span;
    struct core_buffer *buffer;
    uint64_t length;

    int32_t status = core_span_resolve(*span, &buffer, &length);
    if (status == TRM_OK && !LIKELY(buffer->device == device))
        status = core_peer_check_kernel(buffer, device);
    if (!LIKELY(status == TRM_OK))
        return fail_object(launch, index, status);
    if (!LIKELY(length >= launch->parameters[index].size) &&
        launch->parameters[index].kind == TRM_PARAMETER_BUFFER)
        return fail_short(launch, index, length);
    status = span->offset == 0 ? TRM_OK : check_offset(launch, index, span->offset);
    if (!LIKELY(status == TRM_OK))
        return status;
    argument->kind           = TRM_PARAMETER_BUFFER;
    argument->type           = TRM_TYPE_NONE;
    argument->memory         = length == 0 ? NULL : buffer->memory;
    argument->offset         = buffer->base + span->offset;
    argument->size           = length;
    argument->scalar         = 0;
    argument->block          = NULL;
    launch->in_flight[index] = length == 0 ? NULL : &buffer->in_flight;
    return TRM_OK;
}

/* Images, samplers and texel buffers. */
static __attribute__((noinline)) int32_t set_image(struct launch *launch, uint32_t index,
                                                   const struct trm_argument *given)
{
    const struct trm_parameter *parameter = &launch->parameters[index];
    struct core_in_flight *sets[CORE_IMAGE_SETS];
    int32_t status;

    if (given->kind == TRM_PARAMETER_TEXELS) {
        status = set_span(launch, index, given);
        if (status == TRM_OK)
            status = core_texels_argument(parameter, given, &launch->arguments[index]);
        return status == TRM_OK ? TRM_OK : fail_object(launch, index, status);
    }
    status = core_image_argument(launch->stream->device, parameter, given, &launch->arguments[index],
                                 &launch->images[index], sets);
    if (status != TRM_OK)
        return fail_object(launch, index, status);
    launch->in_flight[index] = sets[0];
    if (sets[1] != NULL)
        launch->in_flight[launch->in_flight_count++] = sets[1];
    return TRM_OK;
}

/* An element that the launch does not give. */
static int32_t set_none(struct launch *launch, uint32_t index)
{
    launch->arguments[index] = (struct trm_launch_argument){.kind = launch->parameters[index].kind};
    launch->in_flight[index] = NULL;
    return TRM_OK;
}

static int32_t set_arguments(struct launch *launch, const struct trm_argument *given);

/* Some arguments have names: puts them in order first. */
static __attribute__((noinline)) int32_t set_named(struct launch *launch, const struct trm_argument *given)
{
    struct core_context *context  = launch->stream->object.context;
    uint32_t count                = launch->desc.argument_count;
    uint64_t size                 = count * sizeof(struct trm_argument);
    struct trm_argument *arranged = core_allocate(context, size);

    if (arranged == NULL)
        return base_fail_memory("launching a kernel");
    int32_t status = core_launch_arrange(launch->kernel, given, count, arranged);
    for (uint32_t i = 0; i < count; i++)
        arranged[i].name = NULL;
    if (status == TRM_OK)
        status = set_arguments(launch, arranged);
    core_free(context, arranged, size);
    return status;
}

static int32_t set_arguments(struct launch *launch, const struct trm_argument *given)
{
    int32_t status = TRM_OK;

    launch->in_flight_count = launch->desc.argument_count;
    for (uint32_t i = 0; i < launch->desc.argument_count && status == TRM_OK; i++) {
        if (!LIKELY(given[i].name == NULL))
            return set_named(launch, given);
        if (given[i].kind == CORE_ARGUMENT_NONE && launch->is_flat) {
            set_none(launch, i);
            continue;
        }
        if (!LIKELY(given[i].kind == launch->parameters[i].kind) &&
            !core_launch_takes(&launch->parameters[i], &given[i]))
            return fail_argument(launch, i, &given[i]);
        if (given[i].kind == TRM_PARAMETER_SCALAR)
            status = set_scalar(launch, i, &given[i]);
        else if (given[i].kind == TRM_PARAMETER_BUFFER)
            status = set_span(launch, i, &given[i]);
        else if (given[i].kind == TRM_PARAMETER_BLOCK)
            status = set_block(launch, i, &given[i]);
        else
            status = set_image(launch, i, &given[i]);
    }
    return status;
}

/* ---- buffers that are reached through addresses ----------------------------------------------- */

/* Behind the parameters' arguments come those of the kind REACHED. */
static __attribute__((noinline)) uint32_t take_reached(struct launch *launch,
                                                       const struct trm_argument *arguments, uint32_t count)
{
    uint32_t first = launch->kernel->parameter_count;

    for (uint32_t i = first; arguments != NULL && i < count; i++)
        if (arguments[i].kind != TRM_ARGUMENT_REACHED)
            return count;
    if (arguments == NULL || count <= first)
        return count;
    launch->reached       = arguments + first;
    launch->reached_count = count - first;
    return first;
}

static __attribute__((noinline)) int32_t check_reached(const struct launch *launch)
{
    struct core_buffer *buffer;
    uint64_t length;

    for (uint32_t i = 0; i < launch->reached_count; i++) {
        int32_t status = core_span_resolve(launch->reached[i].value.span, &buffer, &length);
        if (status == TRM_OK)
            status = core_peer_check_kernel(buffer, launch->stream->device);
        if (status != TRM_OK)
            return base_fail(status, "reached buffer %" PRIu32 " of kernel \"%s\": %s", i,
                             launch->kernel->name, trm_last_error().sentence);
    }
    return TRM_OK;
}

/* check_reached() has found them; destroying one meanwhile is the program's mistake. */
static __attribute__((noinline)) void add_reached(const struct launch *launch, uint64_t value)
{
    for (uint32_t i = 0; i < launch->reached_count; i++) {
        struct core_buffer *buffer = core_buffer_find(launch->reached[i].value.span.buffer);
        if (buffer != NULL)
            core_in_flight_add(&buffer->in_flight, launch->stream, value);
    }
}

/* ---- the launch ---------------------------------------------------------------------------- */

inline int32_t core_launch_enqueue(struct core_stream *stream, struct core_kernel *kernel,
                                   const struct trm_launch_desc *desc,
                                   struct core_in_flight *const *in_flight, uint32_t in_flight_count)
{
    uint64_t value = core_stream_next(stream);
    base_error_clear();
    int32_t status =
        core_kernel_commit(stream, value, stream->ops->launch(stream->backend, value, desc), kernel);
    if (!LIKELY(status == TRM_OK))
        return status;
    if (LIKELY(!core_stream_is_recording(stream)))
        core_module_note_launch(kernel->module, stream, value);
    else
        stream->recorder_ops->add_kernel(stream, kernel);
    if (in_flight_count != 0)
        core_in_flight_add_each(in_flight, in_flight_count, stream, value);
    core_stream_count(stream, &stream->stats->launches);
    return TRM_OK;
}

static int32_t launch_run(struct launch *launch, const struct trm_argument *arguments)
{
    struct core_stream *stream = launch->stream;

    int32_t status = set_arguments(launch, arguments);
    if (!LIKELY(atomic_load_explicit(&launch->kernel->overlap_pairs, memory_order_relaxed) <= 0) &&
        status == TRM_OK)
        core_launch_warn_of_overlap(launch->kernel, launch->parameters, launch->arguments,
                                    launch->desc.argument_count);
    if (!LIKELY(launch->reached_count == 0) && status == TRM_OK)
        status = check_reached(launch);
    if (status != TRM_OK || launch->desc.groups[0] == 0)
        return status;
    launch->desc.kernel    = launch->kernel->kernel;
    launch->desc.arguments = launch->arguments;

    if (!LIKELY(launch->reached_count == 0) && core_stream_is_recording(stream))
        stream->recorder_ops->expect_uses(stream, launch->reached_count);
    uint64_t value = core_stream_next(stream);
    status         = core_launch_enqueue(stream, launch->kernel, &launch->desc, launch->in_flight,
                                         launch->in_flight_count);
    if (!LIKELY(launch->reached_count == 0) && status == TRM_OK)
        add_reached(launch, value);
    return status;
}

static __attribute__((noinline)) int32_t launch_inline(struct launch *launch,
                                                       const struct trm_argument *arguments)
{
    struct launch_space space;

    launch->arguments      = space.arguments;
    launch->images         = space.images;
    launch->in_flight      = space.in_flight;
    int32_t status         = launch_run(launch, arguments);
    launch->arguments      = NULL;
    launch->images         = NULL;
    launch->in_flight      = NULL;
    launch->desc.arguments = NULL;
    return status;
}

static int32_t launch_allocated(struct launch *launch, const struct trm_argument *arguments)
{
    struct core_context *context = launch->stream->object.context;
    uint32_t count               = launch->desc.argument_count;
    size_t each                  = sizeof(*launch->arguments) + sizeof(*launch->images) +
                  CORE_IMAGE_SETS * sizeof(struct core_in_flight *);

    void *space = core_allocate(context, count * each);
    if (space == NULL)
        return base_fail_memory("launching a kernel");
    launch->arguments = space;
    launch->images    = (void *)(launch->arguments + count);
    launch->in_flight = (void *)(launch->images + count);
    int32_t status    = launch_run(launch, arguments);
    core_free(context, space, count * each);
    return status;
}

static int32_t check_launch(const struct core_stream *stream, const struct core_kernel *kernel,
                            const struct trm_argument *arguments, uint32_t count)
{
    if (!LIKELY(kernel->module->device == stream->device))
        return base_fail(TRM_ERROR_WRONG_DEVICE,
                         "kernel \"%s\" belongs to another device (%s) than the stream (%s)", kernel->name,
                         kernel->module->device->id, stream->device->id);
    if (!LIKELY(count == kernel->parameter_count))
        return core_launch_fail_count(kernel, arguments, count);
    if (!LIKELY(count == 0 || arguments != NULL))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the arguments of kernel \"%s\" are NULL", kernel->name);
    return TRM_OK;
}

/* The number of arguments has been checked. */
static int32_t launch_checked(struct launch *launch, const struct trm_parameter *parameters,
                              const struct trm_grid *grid, const struct trm_argument *arguments,
                              uint32_t argument_count)
{
    launch->parameters          = parameters;
    launch->desc.struct_size    = sizeof(launch->desc);
    launch->desc.argument_count = argument_count;
    launch->desc.reserved       = 0;

    int32_t status = set_grid(launch, grid);
    if (status != TRM_OK)
        return status;
    if (LIKELY(argument_count <= ARGUMENTS_INLINE))
        return launch_inline(launch, arguments);
    return launch_allocated(launch, arguments);
}

int32_t core_launch_flat(struct core_stream *stream, struct core_kernel *kernel, const struct trm_grid *grid,
                         const struct trm_argument *arguments, uint32_t reached_count)
{
    struct launch launch;

    launch.stream        = stream;
    launch.kernel        = kernel;
    launch.reached       = arguments + kernel->flat_count;
    launch.reached_count = reached_count;
    launch.is_flat       = true;
    return launch_checked(&launch, kernel->flat, grid, arguments, kernel->flat_count);
}

int32_t core_launch(struct core_stream *stream, struct core_kernel *kernel, const struct trm_grid *grid,
                    const struct trm_argument *arguments, uint32_t argument_count)
{
    struct launch launch;

    launch.stream        = stream;
    launch.kernel        = kernel;
    launch.reached_count = 0;
    launch.is_flat       = false;
    if (!LIKELY(argument_count == kernel->parameter_count))
        argument_count = take_reached(&launch, arguments, argument_count);
    int32_t status = check_launch(stream, kernel, arguments, argument_count);
    if (status != TRM_OK)
        return status;
    if (!LIKELY(kernel->flat == NULL))
        return core_launch_arrays(stream, kernel, grid, arguments, launch.reached_count);
    return launch_checked(&launch, kernel->parameters, grid, arguments, argument_count);
}

int32_t core_launch_resolve(struct core_stream *stream, struct core_kernel *kernel,
                            const struct trm_grid *grid, const struct trm_argument *arguments,
                            struct core_cached_launch *cached)
{
    struct launch launch = {
        .stream     = stream,
        .kernel     = kernel,
        .parameters = kernel->parameters,
        .desc       = {.struct_size = sizeof(launch.desc), .argument_count = kernel->parameter_count},
        .arguments  = cached->arguments,
        .in_flight  = cached->in_flight,
    };

    int32_t status          = set_grid(&launch, grid);
    status                  = status == TRM_OK ? set_arguments(&launch, arguments) : status;
    cached->desc            = launch.desc;
    cached->in_flight_count = launch.in_flight_count;
    return status;
}

int32_t trm_launch(struct trm_stream *stream, struct trm_kernel *kernel, const struct trm_grid *grid,
                   const struct trm_argument *arguments, uint32_t argument_count)
{
    struct core_stream *found;

    int32_t status = core_stream_begin(stream, &found);
    if (status != TRM_OK)
        return status;
    struct core_kernel *launched = core_kernel_find(kernel);
    if (!LIKELY(launched != NULL))
        return base_last_status();
    return core_launch(found, launched, grid, arguments, argument_count);
}
