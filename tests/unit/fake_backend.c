/* A backend inside the test program, whose work is done when the test says so.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/fake_backend.h"

#include "tests/check.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/device/device.h"
#include "core/stream/stream_object.h"
#include "tests/unit/fake_stream.h"

int32_t fake_called(struct fake *fake, enum fake_call call)
{
    atomic_fetch_add(&fake->calls[call], 1);
    if (fake->hook != NULL)
        fake->hook(call);
    int32_t status = atomic_exchange(&fake->fail_next[call], TRM_OK);
    if (status == TRM_OK)
        return TRM_OK;
    return base_fail_native(status, 1000 + (int64_t)call, "the fake backend was told to fail");
}

/* ---- devices ------------------------------------------------------------------------------------- */

struct trm_backend_instance {
    int unused;
};

static struct fake *fake_of(struct trm_backend_instance *instance)
{
    return (struct fake *)instance;
}

static int32_t device_count(struct trm_backend_instance *instance, uint32_t *count)
{
    (void)instance;
    *count = 1;
    return TRM_OK;
}

static int32_t give(const void *fact, uint64_t size, void *value, uint64_t capacity, uint64_t *needed)
{
    if (needed != NULL)
        *needed = size;
    if (capacity < size)
        return base_fail(TRM_ERROR_OUT_OF_RANGE, "the fact does not fit");
    memcpy(value, fact, size);
    return TRM_OK;
}

static int32_t device_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key,
                               void *value, uint64_t capacity, uint64_t *needed)
{
    const uint64_t many[3] = {1 << 16, 1 << 16, 1 << 16};
    uint64_t number        = 0;
    (void)index;
    switch (key) {
    case TRM_DEVICE_NAME:
        return give("fake", 5, value, capacity, needed);
    case TRM_DEVICE_MAX_GROUPS:
    case TRM_DEVICE_MAX_GROUP_SIZE:
        return give(many, sizeof(many), value, capacity, needed);
    case TRM_DEVICE_KIND:
        number = fake_of(instance)->kind != 0 ? fake_of(instance)->kind : TRM_DEVICE_VIRTUAL;
        break;
    case TRM_DEVICE_UNIFIED:
        number = fake_of(instance)->unified;
        break;
    case TRM_DEVICE_SYNCHRONOUS:
        number = fake_of(instance)->synchronous;
        break;
    case TRM_DEVICE_MEMORY_TOTAL:
    case TRM_DEVICE_MAX_BUFFER_BYTES:
        number = 1 << 30;
        break;
    case TRM_DEVICE_UNITS:
    case TRM_DEVICE_MAX_GROUP_ITEMS:
    case TRM_DEVICE_MAX_SHARED_BYTES:
    case TRM_DEVICE_MAX_ARGUMENTS:
    case TRM_DEVICE_BUFFER_ALIGNMENT:
        number = 64;
        break;
    default:
        return base_fail(TRM_ERROR_NOT_FOUND, "the fake device does not know the fact %u", key);
    }
    return give(&number, sizeof(number), value, capacity, needed);
}

static int32_t device_open(struct trm_backend_instance *instance, uint32_t index,
                           struct trm_backend_device **out)
{
    struct fake *fake = fake_of(instance);
    (void)index;
    int32_t status = fake_called(fake, FAKE_CALL_OPEN);
    if (status != TRM_OK)
        return status;
    struct trm_backend_device *device = calloc(1, sizeof(*device));
    device->fake                      = fake;
    atomic_fetch_add(&fake->devices, 1);
    *out = device;
    return TRM_OK;
}

static void device_close(struct trm_backend_device *device)
{
    ck_assert_uint_eq(device->children, 0);
    atomic_fetch_sub(&device->fake->devices, 1);
    free(device);
}

static int32_t device_check_loss(struct trm_backend_device *device)
{
    return fake_called(device->fake, FAKE_CALL_CHECK_LOSS);
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static int32_t memory_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                               struct trm_backend_memory **out)
{
    int32_t status = fake_called(device->fake, FAKE_CALL_ALLOCATE);
    if (status != TRM_OK)
        return status;
    struct trm_backend_memory *memory = calloc(1, sizeof(*memory));
    memory->device                    = device;
    memory->kind                      = desc->kind;
    memory->owned                     = desc->kind != TRM_MEMORY_IMPORTED;
    memory->bytes                     = desc->host_pointer;
    if (memory->owned && posix_memalign((void **)&memory->bytes, 4096, desc->size) != 0)
        ck_abort_msg("no memory for the test");
    atomic_fetch_add(&device->fake->memories, 1);
    atomic_fetch_add(&device->children, 1);
    *out = memory;
    return TRM_OK;
}

static void memory_free(struct trm_backend_memory *memory)
{
    atomic_fetch_sub(&memory->device->fake->memories, 1);
    atomic_fetch_sub(&memory->device->children, 1);
    if (memory->owned)
        free(memory->bytes);
    free(memory);
}

static int32_t memory_host_pointer(struct trm_backend_memory *memory, void **pointer)
{
    if (memory->kind == TRM_MEMORY_DEVICE && !memory->device->fake->unified)
        return base_fail(TRM_ERROR_UNSUPPORTED, "the host does not reach the fake device's memory");
    *pointer = memory->bytes;
    return TRM_OK;
}

/* ---- modules: kernels that do nothing -------------------------------------------------------------- */

struct trm_backend_kernel {
    const char *name;
    struct trm_kernel_desc desc;
};

static const struct trm_parameter changes[] = {
    {.name = "cells", .kind = TRM_PARAMETER_BUFFER, .access = TRM_ACCESS_READ | TRM_ACCESS_WRITE}};

static const struct trm_parameter looks[] = {
    {.name = "cells", .kind = TRM_PARAMETER_BUFFER, .access = TRM_ACCESS_READ}};

static struct trm_backend_kernel kernels[] = {
    {"work", {.parameter_count = 0}},
    {"change", {.parameter_count = 1, .parameters = changes}},
    {"look", {.parameter_count = 1, .parameters = looks}},
};

static int32_t module_supports(struct trm_backend_device *device, int32_t format)
{
    (void)device;
    return format == TRM_MODULE_FUNCTIONS ? TRM_OK : TRM_ERROR_UNSUPPORTED;
}

static int32_t module_load(struct trm_backend_device *device, const struct trm_module_source *source,
                           struct trm_backend_module **module)
{
    (void)source;
    atomic_fetch_add(&device->children, 1);
    *module = (struct trm_backend_module *)device;
    return TRM_OK;
}

static void module_unload(struct trm_backend_module *module)
{
    atomic_fetch_sub(&((struct trm_backend_device *)module)->children, 1);
}

static int32_t module_kernel(struct trm_backend_module *module, const char *name,
                             struct trm_backend_kernel **kernel, struct trm_kernel_desc *desc)
{
    (void)module;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
        if (strcmp(kernels[i].name, name) != 0)
            continue;
        *kernel           = &kernels[i];
        *desc             = kernels[i].desc;
        desc->struct_size = sizeof(*desc);
        return TRM_OK;
    }
    return TRM_ERROR_NOT_FOUND;
}

/* ---- stamps ------------------------------------------------------------------------------------------ */

static int32_t stamp_create(struct trm_backend_device *device, struct trm_backend_stamp **out)
{
    struct trm_backend_stamp *stamp = calloc(1, sizeof(*stamp));
    stamp->device                   = device;
    atomic_fetch_add(&device->fake->stamps, 1);
    atomic_fetch_add(&device->children, 1);
    *out = stamp;
    return TRM_OK;
}

static void stamp_destroy(struct trm_backend_stamp *stamp)
{
    ck_assert_msg(!atomic_load(&stamp->in_flight), "a stamp was destroyed while it was being recorded");
    atomic_fetch_sub(&stamp->device->fake->stamps, 1);
    atomic_fetch_sub(&stamp->device->children, 1);
    free(stamp);
}

static int32_t stamp_read(struct trm_backend_stamp *stamp, uint64_t *nanoseconds)
{
    ck_assert_msg(!atomic_load(&stamp->in_flight), "a stamp was read before it was recorded");
    *nanoseconds = stamp->time;
    return TRM_OK;
}

/* ---- setting up ---------------------------------------------------------------------------------------- */

static void fill_tables(struct fake *fake)
{
    struct core_backend *backend = &fake->backend;
    uint32_t slots               = fake->slots;

    backend->name         = "fake";
    backend->instance     = (struct trm_backend_instance *)fake;
    backend->device_count = 1;
    backend->device.count = device_count;

    backend->device.get_info     = device_get_info;
    backend->device.open         = device_open;
    backend->device.close        = device_close;
    backend->device.check_loss   = slots & FAKE_CHECK_LOSS ? device_check_loss : NULL;
    backend->memory.allocate     = memory_allocate;
    backend->memory.free         = memory_free;
    backend->memory.host_pointer = memory_host_pointer;
    backend->module.supports     = module_supports;
    backend->module.load         = module_load;
    backend->module.unload       = module_unload;
    backend->module.kernel       = module_kernel;
    fake_stream_table(&backend->stream, slots);
    if (slots & FAKE_PROFILE) {
        backend->profile.stamp_create  = stamp_create;
        backend->profile.stamp_destroy = stamp_destroy;
        backend->profile.stamp_record  = fake_stamp_record;
        backend->profile.stamp_read    = stamp_read;
    }
}

void fake_init(struct fake *fake, uint32_t slots, const struct trm_context_desc *given)
{
    struct trm_context_desc desc = {
        .struct_size = sizeof(desc),
        .flags       = TRM_CONTEXT_NO_ENVIRONMENT | TRM_CONTEXT_NO_CONFIG,
    };
    pthread_condattr_t attributes;
    memset(fake, 0, sizeof(*fake));
    fake->slots = slots;
    pthread_mutex_init(&fake->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&fake->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    fill_tables(fake);
    ck_assert_int_eq(trm_context_create(given != NULL ? given : &desc, &fake->context), TRM_OK);
    fake->backend.context = core_context_find(fake->context);
}

struct trm_device *fake_open(struct fake *fake)
{
    struct core_device *device;
    ck_assert_int_eq(core_device_create(fake->backend.context, &fake->backend, 0, &device), TRM_OK);
    fake->device = core_object_publish(&device->object);
    return fake->device;
}

/* What a callback has ended goes on the library's own thread, a moment later. */
static void wait_until_closed(struct fake *fake)
{
    while (atomic_load(&fake->devices) != 0)
        usleep(1000);
}

void fake_fini(struct fake *fake)
{
    fake_let_run(fake);
    trm_device_destroy(fake->device);
    trm_context_destroy(fake->context);
    if (fake->ends_late)
        wait_until_closed(fake);
    ck_assert_uint_eq(atomic_load(&fake->streams), 0);
    ck_assert_uint_eq(atomic_load(&fake->stamps), 0);
    ck_assert_uint_eq(atomic_load(&fake->memories), 0);
    ck_assert_uint_eq(atomic_load(&fake->devices), 0);
    pthread_cond_destroy(&fake->changed);
    pthread_mutex_destroy(&fake->lock);
}

int32_t fake_enqueue(struct trm_stream *handle)
{
    struct core_stream *stream;
    int32_t status = core_stream_begin(handle, &stream);
    if (status != TRM_OK)
        return status;
    uint64_t value = core_stream_next(stream);
    return core_stream_commit_work(stream, value, "stream.copy", fake_stream_nothing(stream->backend, value),
                                   CORE_WORK_COPY, 1000);
}
