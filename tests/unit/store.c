/* A backend for tests of memory.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/store.h"

#include "tests/check.h"
#include <stdlib.h>
#include <string.h>

struct trm_backend_instance {
    struct store *store;
};

struct trm_backend_device {
    struct store *store;
};

struct trm_backend_memory {
    struct store *store;
    unsigned char *bytes;
    uint64_t size;
    int32_t kind;
};

struct trm_backend_stream {
    struct store *store;
    struct store_operation *first, **last;
    uint64_t enqueued, completed;
    int32_t failure;
};

struct trm_backend_module {
    struct store *store;
};

struct trm_backend_kernel {
    const char *name;
    struct trm_kernel_desc desc;
};

/* ---- devices ------------------------------------------------------------------------------- */

static int32_t device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                               void *value, uint64_t capacity, uint64_t *needed)
{
    const struct store *store = instance->store;
    uint64_t facts[3]         = {0};
    uint64_t size             = sizeof(facts[0]);

    (void)index;
    switch (key) {
    case TRM_DEVICE_UNIFIED:
        facts[0] = store->unified;
        break;
    case TRM_DEVICE_KIND:
        if (store->kind == 0)
            return TRM_ERROR_NOT_FOUND;
        facts[0] = store->kind;
        break;
    case TRM_DEVICE_SYNCHRONOUS:
        facts[0] = (uint64_t)store->immediate;
        break;
    case TRM_DEVICE_MEMORY_TOTAL:
        facts[0] = UINT64_C(1) << 30;
        break;
    case TRM_DEVICE_MAX_GROUPS:
        facts[0] = facts[1] = UINT32_MAX;
        facts[2]            = 65535;
        size                = sizeof(facts);
        break;
    case TRM_DEVICE_MAX_GROUP_SIZE:
        facts[0] = facts[1] = 1024;
        facts[2]            = 64;
        size                = sizeof(facts);
        break;
    case TRM_DEVICE_MAX_GROUP_ITEMS:
        facts[0] = 1024;
        break;
    case TRM_DEVICE_MAX_SHARED_BYTES:
        facts[0] = 4096;
        break;
    case TRM_DEVICE_MAX_BUFFER_BYTES:
        facts[0] = store->max_buffer_bytes != 0 ? store->max_buffer_bytes : UINT64_C(1) << 40;
        break;
    case TRM_DEVICE_MAX_ARGUMENTS:
        facts[0] = 128;
        break;
    case TRM_DEVICE_BUFFER_ALIGNMENT:
        facts[0] = store->alignment != 0 ? store->alignment : 1;
        break;
    default:
        return TRM_ERROR_NOT_FOUND;
    }
    *needed = size;
    if (capacity < size)
        return TRM_ERROR_OUT_OF_RANGE;
    memcpy(value, facts, size);
    return TRM_OK;
}

static int32_t device_open(struct trm_backend_instance *instance, uint32_t index,
                           struct trm_backend_device **device)
{
    (void)index;
    *device          = calloc(1, sizeof(**device));
    (*device)->store = instance->store;
    return TRM_OK;
}

static void device_close(struct trm_backend_device *device)
{
    free(device);
}

/* ---- memory -------------------------------------------------------------------------------- */

static int32_t memory_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                               struct trm_backend_memory **memory)
{
    struct store *store = device->store;
    int32_t status      = TRM_OK;
    void *bytes         = desc->host_pointer;

    if (desc->kind == TRM_MEMORY_PINNED && store->no_pinned)
        return TRM_ERROR_UNSUPPORTED;
    pthread_mutex_lock(&store->lock);
    if (store->memory_limit != 0 && desc->size > store->memory_limit - store->bytes)
        status = TRM_ERROR_OUT_OF_DEVICE_MEMORY;
    if (status == TRM_OK) {
        store->allocations++;
        store->bytes += desc->size;
        if (desc->size > store->largest)
            store->largest = desc->size;
    }
    pthread_mutex_unlock(&store->lock);
    if (status != TRM_OK)
        return status;

    if (desc->kind != TRM_MEMORY_IMPORTED)
        ck_assert_int_eq(posix_memalign(&bytes, desc->alignment, desc->size), 0);
    *memory          = calloc(1, sizeof(**memory));
    (*memory)->store = store;
    (*memory)->bytes = bytes;
    (*memory)->size  = desc->size;
    (*memory)->kind  = desc->kind;
    return TRM_OK;
}

static void memory_free(struct trm_backend_memory *memory)
{
    struct store *store = memory->store;

    pthread_mutex_lock(&store->lock);
    store->frees++;
    store->bytes -= memory->size;
    pthread_mutex_unlock(&store->lock);
    if (memory->kind != TRM_MEMORY_IMPORTED)
        free(memory->bytes);
    free(memory);
}

static int32_t memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    if (memory->store->no_address)
        return TRM_ERROR_BACKEND;
    if (memory->kind == TRM_MEMORY_DEVICE && !memory->store->unified)
        return TRM_ERROR_UNSUPPORTED;
    *pointer = memory->bytes;
    return TRM_OK;
}

/* ---- streams ------------------------------------------------------------------------------- */

static int32_t stream_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                             struct trm_backend_stream **stream)
{
    (void)desc;
    *stream          = calloc(1, sizeof(**stream));
    (*stream)->store = device->store;
    (*stream)->last  = &(*stream)->first;
    return TRM_OK;
}

static void queue_free(struct trm_backend_stream *stream)
{
    while (stream->first != NULL) {
        struct store_operation *next = stream->first->next;
        free(stream->first);
        stream->first = next;
    }
    stream->last = &stream->first;
}

static void stream_destroy(struct trm_backend_stream *stream)
{
    ck_assert(stream->first == NULL);
    free(stream);
}

static unsigned char *place_bytes(const struct trm_place *place)
{
    return place->memory != NULL ? place->memory->bytes + place->offset : place->host;
}

static void run_fill(const struct trm_fill_desc *fill)
{
    for (uint64_t at = 0; at < fill->size; at += fill->pattern_size)
        memcpy(fill->memory->bytes + fill->offset + at, &fill->pattern, fill->pattern_size);
}

static void stream_run(struct trm_backend_stream *stream, uint64_t value);

static void run(const struct store_operation *operation)
{
    const struct trm_copy_2d_desc *rows = &operation->copy_2d;

    if (operation->copy.size != 0)
        memcpy(place_bytes(&operation->copy.destination), place_bytes(&operation->copy.source),
               operation->copy.size);
    for (uint64_t row = 0; row < rows->height; row++)
        memcpy(place_bytes(&rows->destination) + row * rows->destination_pitch,
               place_bytes(&rows->source) + row * rows->source_pitch, rows->width);
    if (operation->fill.size != 0)
        run_fill(&operation->fill);
    if (operation->other != NULL)
        stream_run(operation->other, operation->other_value);
}

static void stream_run(struct trm_backend_stream *stream, uint64_t value)
{
    while (stream->first != NULL && stream->first->value <= value) {
        struct store_operation *operation = stream->first;
        run(operation);
        stream->first = operation->next;
        if (stream->first == NULL)
            stream->last = &stream->first;
        stream->completed = operation->value;
        free(operation);
    }
}

/* An operation that does nothing yet. */
static int32_t enqueue(struct trm_backend_stream *stream, uint64_t value, struct store_operation **operation)
{
    struct store *store = stream->store;
    int32_t status      = store->fail_next;

    store->fail_next = TRM_OK;
    if (status == TRM_OK)
        status = stream->failure;
    if (status != TRM_OK)
        return status;
    ck_assert_uint_gt(value, stream->enqueued);
    stream->enqueued    = value;
    *operation          = calloc(1, sizeof(**operation));
    (*operation)->value = value;
    *stream->last       = *operation;
    stream->last        = &(*operation)->next;
    return TRM_OK;
}

static int32_t enqueued(struct trm_backend_stream *stream)
{
    if (stream->store->immediate)
        stream_run(stream, UINT64_MAX);
    return TRM_OK;
}

static void check_place(const struct trm_place *place, uint64_t size)
{
    if (place->memory == NULL)
        ck_assert_ptr_nonnull(place->host);
    else
        ck_assert_uint_le(place->offset + size, place->memory->size);
}

static int32_t stream_copy(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_copy_desc *desc)
{
    struct store_operation *operation;

    int32_t status = enqueue(stream, value, &operation);
    if (status != TRM_OK)
        return status;
    check_place(&desc->destination, desc->size);
    check_place(&desc->source, desc->size);
    ck_assert(desc->destination.memory == NULL || desc->destination.memory->store == stream->store);
    ck_assert(desc->source.memory == NULL || desc->source.memory->store == stream->store);
    ck_assert_uint_gt(desc->size, 0);
    stream->store->copies++;
    operation->copy = *desc;
    return enqueued(stream);
}

static int32_t stream_copy_2d(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc)
{
    struct store_operation *operation;

    int32_t status = enqueue(stream, value, &operation);
    if (status != TRM_OK)
        return status;
    stream->store->copies_2d++;
    operation->copy_2d = *desc;
    return enqueued(stream);
}

static int32_t stream_fill(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_fill_desc *desc)
{
    struct store_operation *operation;

    int32_t status = enqueue(stream, value, &operation);
    if (status != TRM_OK)
        return status;
    stream->store->fills++;
    operation->fill = *desc;
    return enqueued(stream);
}

static int32_t stream_launch(struct trm_backend_stream *stream, uint64_t value,
                             const struct trm_launch_desc *desc)
{
    struct store *store = stream->store;
    struct store_operation *operation;

    int32_t status = enqueue(stream, value, &operation);
    if (status != TRM_OK)
        return status;
    store->launches++;
    store->last_launch = *desc;
    for (uint32_t i = 0; i < desc->argument_count && i < 32; i++)
        store->last_arguments[i] = desc->arguments[i];
    return enqueued(stream);
}

static int32_t stream_wait_stream(struct trm_backend_stream *stream, uint64_t value,
                                  struct trm_backend_stream *other, uint64_t other_value)
{
    struct store_operation *operation;

    int32_t status = enqueue(stream, value, &operation);
    if (status != TRM_OK)
        return status;
    operation->other       = other;
    operation->other_value = other_value;
    return enqueued(stream);
}

static int32_t stream_prefetch(struct trm_backend_stream *stream, uint64_t value,
                               struct trm_backend_memory *memory, uint64_t offset, uint64_t size,
                               uint32_t to_host)
{
    struct store_operation *operation;

    (void)to_host;
    ck_assert_uint_le(offset + size, memory->size);
    int32_t status = enqueue(stream, value, &operation);
    if (status != TRM_OK)
        return status;
    stream->store->prefetches++;
    return enqueued(stream);
}

static int32_t stream_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    if (stream->failure != TRM_OK)
        return stream->failure;
    *completed = stream->completed;
    return TRM_OK;
}

static int32_t stream_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    if (stream->failure == TRM_OK && timeout_ns != 0)
        stream_run(stream, value);
    if (stream->failure != TRM_OK)
        return stream->failure;
    return stream->completed >= value ? TRM_OK : TRM_ERROR_TIMEOUT;
}

static int32_t stream_notify(struct trm_backend_stream *stream, uint64_t value, trm_notify_fn notify,
                             void *user)
{
    stream_run(stream, value);
    notify(user, stream->failure);
    return TRM_OK;
}

/* ---- modules ------------------------------------------------------------------------------- */

static const struct trm_parameter saxpy_parameters[] = {
    {.name = "x", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32, .access = TRM_ACCESS_READ},
    {.name = "y", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_F32},
    {.name = "a", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F32},
    {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};

static struct trm_parameter many_parameters[24];

static const struct trm_parameter bad_parameters[] = {{.name = "what", .kind = 77, .type = TRM_TYPE_F32}};

static const struct trm_parameter scalar_parameters[] = {
    {.name = "a", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U8},
    {.name = "b", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_I16},
    {.name = "c", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_I32},
    {.name = "d", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_F64},
    {.name = "e", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_I64},
};

static const struct trm_parameter bytes_parameters[] = {
    {.kind = TRM_PARAMETER_BYTES, .size = 8},
    {.kind = TRM_PARAMETER_BYTES, .size = 4},
    {.kind = TRM_PARAMETER_BYTES, .size = 12},
};

static struct trm_backend_kernel kernels[] = {
    {"saxpy", {0, 4, saxpy_parameters, {0, 0, 0}, 16}},
    {"empty", {0, 0, NULL, {64, 0, 0}, 0}},
    {"many", {0, 24, many_parameters, {0, 0, 0}, 0}},
    {"bad", {0, 1, bad_parameters, {0, 0, 0}, 0}},
    {"hollow", {0, 1, NULL, {0, 0, 0}, 0}},
    {"scalars", {0, 5, scalar_parameters, {0, 0, 0}, 0}},
    {"bytes", {0, 3, bytes_parameters, {0, 0, 0}, 0}},
};

static int32_t module_supports(struct trm_backend_device *device, int32_t format)
{
    (void)device;
    return format == TRM_MODULE_SHARED_OBJECT ? TRM_ERROR_UNSUPPORTED : TRM_OK;
}

static int32_t module_load(struct trm_backend_device *device, const struct trm_module_source *source,
                           struct trm_backend_module **module)
{
    ck_assert_ptr_nonnull(source->name);
    *module          = calloc(1, sizeof(**module));
    (*module)->store = device->store;
    for (size_t i = 0; i < 24; i++)
        many_parameters[i] =
            (struct trm_parameter){.name = "v", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32};
    return TRM_OK;
}

static void module_unload(struct trm_backend_module *module)
{
    module->store->unloads++;
    free(module);
}

static int32_t module_kernel(struct trm_backend_module *module, const char *name,
                             struct trm_backend_kernel **kernel, struct trm_kernel_desc *desc)
{
    (void)module;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++)
        if (strcmp(kernels[i].name, name) == 0) {
            ck_assert_uint_eq(desc->struct_size, sizeof(*desc));
            *kernel           = &kernels[i];
            *desc             = kernels[i].desc;
            desc->struct_size = sizeof(*desc);
            return TRM_OK;
        }
    return TRM_ERROR_NOT_FOUND;
}

static const char *module_kernel_name(struct trm_backend_module *module, uint32_t index)
{
    (void)module;
    return index < sizeof(kernels) / sizeof(kernels[0]) ? kernels[index].name : NULL;
}

/* ---- peers --------------------------------------------------------------------------------- */

static int32_t peer_can_access(struct trm_backend_device *device, struct trm_backend_device *other)
{
    (void)device;
    (void)other;
    return TRM_OK;
}

static int32_t peer_copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc)
{
    struct store_operation *operation;

    int32_t status = enqueue(stream, value, &operation);
    if (status != TRM_OK)
        return status;
    stream->store->peer_copies++;
    operation->copy = *desc;
    return enqueued(stream);
}

/* ---- the store ----------------------------------------------------------------------------- */

void store_prepare(struct store *store, const char *name)
{
    struct core_backend *backend = &store->backend;

    pthread_mutex_init(&store->lock, NULL);
    backend->name                = name;
    backend->device_count        = 1;
    backend->instance            = calloc(1, sizeof(*backend->instance));
    backend->instance->store     = store;
    backend->device.get_info     = device_get_info;
    backend->device.open         = device_open;
    backend->device.close        = device_close;
    backend->memory.allocate     = memory_allocate;
    backend->memory.free         = memory_free;
    backend->memory.host_pointer = memory_host_pointer;
    backend->stream.create       = stream_create;
    backend->stream.destroy      = stream_destroy;
    backend->stream.copy         = stream_copy;
    backend->stream.copy_2d      = stream_copy_2d;
    backend->stream.fill         = stream_fill;
    backend->stream.launch       = stream_launch;
    backend->stream.wait_stream  = stream_wait_stream;
    backend->stream.prefetch     = stream_prefetch;
    backend->stream.query        = stream_query;
    backend->stream.wait         = stream_wait;
    backend->stream.notify       = stream_notify;
    backend->module.supports     = module_supports;
    backend->module.load         = module_load;
    backend->module.unload       = module_unload;
    backend->module.kernel       = module_kernel;
    backend->module.kernel_name  = module_kernel_name;
    backend->peer.can_access     = peer_can_access;
    backend->peer.copy           = peer_copy;
}

void store_open(struct store *store, struct trm_context *context)
{
    struct core_context *found = core_context_find(context);

    store->backend.context = found;
    ck_assert_int_eq(core_device_create(found, &store->backend, 0, &store->core), TRM_OK);
    store->device = core_object_publish(&store->core->object);
}

void store_close(struct store *store)
{
    trm_device_destroy(store->device);
    ck_assert_uint_eq(store->bytes, 0);
    ck_assert_uint_eq(store->allocations, store->frees);
    pthread_mutex_destroy(&store->lock);
    free(store->backend.instance);
}

struct trm_context *store_context(const struct trm_allocator *allocator)
{
    struct trm_context *context;
    struct trm_context_desc desc = {
        .struct_size = sizeof(desc),
        .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
        .allocator   = allocator,
    };

    ck_assert_int_eq(trm_context_create(&desc, &context), TRM_OK);
    return context;
}

struct trm_stream *store_stream(struct store *store)
{
    struct trm_stream *stream;

    ck_assert_int_eq(trm_stream_create(store->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream), TRM_OK);
    return stream;
}

void store_run(struct trm_stream *stream, uint64_t value)
{
    stream_run(core_stream_find(stream)->backend, value);
}

void store_fail(struct trm_stream *stream, int32_t status)
{
    struct trm_backend_stream *backend = core_stream_find(stream)->backend;

    queue_free(backend);
    backend->failure = status;
}

unsigned char *store_bytes(struct trm_buffer *buffer)
{
    const struct core_buffer *found = core_buffer_find(buffer);

    return found->memory == NULL ? NULL : found->memory->bytes + found->base;
}
