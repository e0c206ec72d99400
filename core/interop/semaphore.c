/* Semaphores shared with other APIs and processes; see <trireme/interop.h>.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <trireme/interop.h>

#include "core/interop/interop.h"
#include "core/object/object.h"
#include "core/stream/stream.h"

struct core_semaphore {
    struct core_object object;
    struct core_device *device;
    struct trm_backend_semaphore *semaphore; /* NULL during creation and after the end */
    struct core_in_flight in_flight;
    struct core_deferred deferred;
};

static const struct trm_interop_ops *ops_of(const struct core_semaphore *semaphore)
{
    return &semaphore->device->backend->interop;
}

/* ---- life ------------------------------------------------------------------------------------- */

static void destroy_in_backend(struct core_semaphore *semaphore)
{
    core_in_flight_fini(semaphore->object.context, &semaphore->in_flight);
    if (semaphore->semaphore != NULL)
        ops_of(semaphore)->semaphore_destroy(semaphore->semaphore);
    semaphore->semaphore = NULL;
}

static void deferred_destroy(struct core_deferred *item)
{
    struct core_semaphore *semaphore = base_container_of(item, struct core_semaphore, deferred);
    destroy_in_backend(semaphore);
    core_object_release(&semaphore->object);
}

/* The backend's semaphore stays until the work that waits for it or signals it has completed. */
static void semaphore_retire(struct core_object *object)
{
    struct core_semaphore *semaphore = base_container_of(object, struct core_semaphore, object);
    core_device_uncount_child(semaphore->device, CORE_SEMAPHORE);
    if (core_in_flight_is_done(&semaphore->in_flight)) {
        destroy_in_backend(semaphore);
        return;
    }
    core_object_retain(object);
    semaphore->deferred.in_flight = &semaphore->in_flight;
    semaphore->deferred.destroy   = deferred_destroy;
    core_device_defer(semaphore->device, &semaphore->deferred);
}

static void semaphore_release(struct core_object *object)
{
    struct core_device *device = ((struct core_semaphore *)object)->device;
    core_free(object->context, object, sizeof(struct core_semaphore));
    core_object_release(&device->object);
}

static const char *semaphore_device_id(const struct core_object *object)
{
    return ((const struct core_semaphore *)object)->device->id;
}

static const struct core_object_ops semaphore_object_ops = {
    .type      = CORE_SEMAPHORE,
    .name      = "semaphore",
    .source    = __FILE__,
    .device_id = semaphore_device_id,
    .retire    = semaphore_retire,
    .release   = semaphore_release,
};

static int32_t semaphore_make(struct core_device *device, struct core_semaphore **semaphore)
{
    struct core_context *context = device->object.context;
    struct core_semaphore *made  = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("making a semaphore");
    made->device   = device;
    int32_t status = core_object_init(&made->object, &semaphore_object_ops, context);
    if (status != TRM_OK) {
        core_free(context, made, sizeof(*made));
        return status;
    }
    core_device_add_child(device, CORE_SEMAPHORE);
    *semaphore = made;
    return TRM_OK;
}

/* Completes creation with the status of the backend; ends the object if it failed. */
static int32_t semaphore_finish(struct core_semaphore *semaphore, int32_t status,
                                struct trm_semaphore **handle)
{
    if (status != TRM_OK) {
        status = core_device_latch_loss(semaphore->device, base_fail_backend(status));
        core_object_abandon(&semaphore->object);
        return status;
    }
    *handle = core_object_publish(&semaphore->object);
    return TRM_OK;
}

static int32_t create(struct core_device *device, struct trm_semaphore **out)
{
    struct core_semaphore *semaphore;
    const struct trm_interop_ops *ops = &device->backend->interop;
    if (ops->semaphore_create == NULL)
        return core_interop_missing(device, "exportable semaphores");
    int32_t status = core_device_check(device);
    if (status == TRM_OK)
        status = core_output_check(out, "trm_semaphore_create", "semaphore");
    if (status == TRM_OK)
        status = semaphore_make(device, &semaphore);
    if (status != TRM_OK)
        return status;
    base_error_clear();
    status = core_answer_object(device->backend, "interop.semaphore_create",
                                ops->semaphore_create(device->device, &semaphore->semaphore), "semaphore",
                                &semaphore->semaphore);
    return semaphore_finish(semaphore, status, out);
}

int32_t trm_semaphore_create(struct trm_device *handle, struct trm_semaphore **out)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = create(device, out);
    core_object_leave(&device->object);
    return status;
}

static int32_t import(struct core_device *device, int32_t type, int32_t fd, struct trm_semaphore **out)
{
    struct core_semaphore *semaphore;
    const struct trm_interop_ops *ops = &device->backend->interop;
    if (ops->semaphore_import == NULL)
        return core_interop_missing(device, "import of semaphores");
    int32_t status = core_device_check(device);
    if (status == TRM_OK)
        status = core_interop_check_fd(type, fd);
    if (status == TRM_OK)
        status = core_output_check(out, "trm_semaphore_import", "semaphore");
    if (status == TRM_OK)
        status = semaphore_make(device, &semaphore);
    if (status != TRM_OK)
        return status;
    base_error_clear();
    status = core_answer_object(device->backend, "interop.semaphore_import",
                                ops->semaphore_import(device->device, type, fd, &semaphore->semaphore),
                                "semaphore", &semaphore->semaphore);
    return semaphore_finish(semaphore, status, out);
}

int32_t trm_semaphore_import(struct trm_device *handle, int32_t type, int32_t fd, struct trm_semaphore **out)
{
    struct core_device *device = core_object_enter(handle, CORE_DEVICE);
    if (device == NULL)
        return base_last_status();
    int32_t status = import(device, type, fd, out);
    core_object_leave(&device->object);
    return status;
}

void trm_semaphore_destroy(struct trm_semaphore *handle)
{
    core_object_kill_handle(handle, CORE_SEMAPHORE);
}

/* ---- export and value ------------------------------------------------------------------------- */

static int32_t export_semaphore(const struct core_semaphore *semaphore, int32_t type, int32_t *fd)
{
    const struct trm_interop_ops *ops = ops_of(semaphore);
    int32_t status                    = core_output_check(fd, "trm_semaphore_export", "fd");
    if (status != TRM_OK)
        return status;
    if (ops->semaphore_export == NULL)
        return core_interop_missing(semaphore->device, "export of semaphores");
    const struct core_backend *backend = semaphore->device->backend;
    int32_t made                       = -1;
    base_error_clear();
    status = core_answer(backend, "interop.semaphore_export",
                         ops->semaphore_export(semaphore->semaphore, type, &made));
    if (status == TRM_OK && made < 0)
        status = core_answer_refuse_nothing(backend, "interop.semaphore_export", "file descriptor");
    if (status != TRM_OK)
        return core_device_latch_loss(semaphore->device, base_fail_backend(status));
    *fd = made;
    return TRM_OK;
}

int32_t trm_semaphore_export(struct trm_semaphore *handle, int32_t type, int32_t *fd)
{
    struct core_semaphore *semaphore = core_object_enter(handle, CORE_SEMAPHORE);
    if (semaphore == NULL)
        return base_last_status();
    int32_t status = export_semaphore(semaphore, type, fd);
    core_object_leave(&semaphore->object);
    return status;
}

static int32_t read_value(const struct core_semaphore *semaphore, uint64_t *value)
{
    const struct trm_interop_ops *ops = ops_of(semaphore);
    int32_t status                    = core_output_check(value, "trm_semaphore_value", "value");
    if (status != TRM_OK)
        return status;
    if (ops->semaphore_value == NULL)
        return core_interop_missing(semaphore->device, "values of semaphores");
    uint64_t current = 0;
    base_error_clear();
    status = core_answer(semaphore->device->backend, "interop.semaphore_value",
                         ops->semaphore_value(semaphore->semaphore, &current));
    if (status != TRM_OK)
        return core_device_latch_loss(semaphore->device, base_fail_backend(status));
    *value = current;
    return TRM_OK;
}

int32_t trm_semaphore_value(struct trm_semaphore *handle, uint64_t *value)
{
    struct core_semaphore *semaphore = core_object_enter(handle, CORE_SEMAPHORE);
    if (semaphore == NULL)
        return base_last_status();
    int32_t status = read_value(semaphore, value);
    core_object_leave(&semaphore->object);
    return status;
}

/* ---- use on streams --------------------------------------------------------------------------- */

typedef int32_t (*enqueue_fn)(struct trm_backend_stream *stream, uint64_t value,
                              struct trm_backend_semaphore *semaphore, uint64_t semaphore_value);

/* `call` may be NULL: the backend has no such function. */
static int32_t enqueue(struct core_stream *stream, struct core_semaphore *semaphore, const char *slot,
                       enqueue_fn call, uint64_t semaphore_value, uint64_t *counter)
{
    if (semaphore->device != stream->device)
        return base_fail(TRM_ERROR_WRONG_DEVICE,
                         "the semaphore is on device %s, but the stream is on device %s",
                         semaphore->device->id, stream->device->id);
    if (call == NULL)
        return core_interop_missing(stream->device, "semaphores in streams");
    uint64_t value = core_stream_next(stream);
    base_error_clear();
    int32_t status = call(stream->backend, value, semaphore->semaphore, semaphore_value);
    if (counter != NULL)
        status = core_stream_commit_wait(stream, value, slot, status,
                                         (struct core_wait){.kind = TRM_PROFILE_WAIT_SEMAPHORE});
    else
        status = core_stream_commit(stream, value, slot, status);
    if (status != TRM_OK)
        return status;
    core_in_flight_add(&semaphore->in_flight, stream, value);
    core_stream_count(stream, counter);
    return TRM_OK;
}

static int32_t enqueue_by_handle(struct trm_stream *stream_handle, struct trm_semaphore *handle,
                                 uint64_t value, bool is_signal)
{
    struct core_stream *stream;
    int32_t status = core_stream_begin_live(
        stream_handle, is_signal ? "signalling a semaphore" : "waiting for a semaphore", &stream);
    if (status != TRM_OK)
        return status;
    struct core_semaphore *semaphore = core_object_enter(handle, CORE_SEMAPHORE);
    if (semaphore == NULL)
        return base_last_status();
    const struct trm_interop_ops *ops = ops_of(semaphore);
    if (is_signal)
        status = enqueue(stream, semaphore, "interop.semaphore_signal", ops->semaphore_signal, value, NULL);
    else
        status = enqueue(stream, semaphore, "interop.semaphore_wait", ops->semaphore_wait, value,
                         &stream->stats->waits);
    core_object_leave(&semaphore->object);
    return status;
}

int32_t trm_stream_wait_semaphore(struct trm_stream *stream, struct trm_semaphore *semaphore, uint64_t value)
{
    return enqueue_by_handle(stream, semaphore, value, false);
}

int32_t trm_stream_signal_semaphore(struct trm_stream *stream, struct trm_semaphore *semaphore,
                                    uint64_t value)
{
    return enqueue_by_handle(stream, semaphore, value, true);
}
