/* What programs write and read of a group's buffer, and move, beside pools.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "core/memory/memory.h"
#include "pipeline/group/group.h"

/* Bytes that are moved through the host at once. */
#define PIECE (UINT64_C(4) << 20)

/* So often a read waits without the lock. */
#define UNLOCKED_WAITS 4

/* Enters the buffer and takes data_lock. NULL: the last error tells why. */
static struct pipeline_replica *open_data(struct trm_group_buffer *handle)
{
    struct pipeline_replica *replica = core_object_enter(handle, CORE_GROUP_BUFFER);
    if (replica == NULL)
        return NULL;
    if (pipeline_group_lock_data(replica->group) == TRM_OK)
        return replica;
    core_object_leave(&replica->object);
    return NULL;
}

static int32_t close_data(struct pipeline_replica *replica, int32_t status)
{
    pipeline_group_unlock_data(replica->group);
    core_object_leave(&replica->object);
    return status;
}

static int32_t check_index(const struct pipeline_replica *replica, uint32_t index)
{
    return index < replica->count ? TRM_OK : pipeline_group_fail_index(replica->group, index);
}

/* A size is that of the program's memory, so TRM_WHOLE does not stand for the rest of the buffer. */
static int32_t check_range(const struct pipeline_replica *replica, uint64_t offset, uint64_t size)
{
    struct core_buffer *buffer;
    uint64_t length;
    const struct trm_span span = trm_span_of(replica->ones[0], offset, size);
    int32_t status             = core_span_resolve(span, &buffer, &length);
    if (status != TRM_OK || length == size)
        return status;
    core_span_fail(&span, buffer);
    return TRM_ERROR_OUT_OF_RANGE;
}

/* A device whose copy is current and has been made. Where one fails while it is waited for, another may be sound. */
static int32_t find_source(struct pipeline_replica *replica, uint32_t *device)
{
    uint32_t tried = 0;
    int32_t status = TRM_OK;
    for (;;) {
        uint32_t sound   = pipeline_group_sound(replica->group) & ~tried;
        uint32_t current = pipeline_data_current(&replica->data) & sound;
        if (current == 0)
            break;
        uint32_t found = (uint32_t)__builtin_ctz(current);
        status         = pipeline_data_finish(&replica->data, found);
        if (status == TRM_OK) {
            *device = found;
            return TRM_OK;
        }
        tried |= 1u << found;
    }
    return tried != 0 ? status
                      : base_fail_static(TRM_ERROR_DEVICE_LOST,
                                         "the devices that had the contents of the buffer are lost");
}

/* ---- writing -------------------------------------------------------------------------------- */

static int32_t write_one(const struct pipeline_replica *replica, uint32_t device, uint64_t offset,
                         const void *data, uint64_t size)
{
    struct core_buffer *buffer = core_object_enter(replica->ones[device], CORE_BUFFER);
    if (buffer == NULL)
        return base_last_status();
    int32_t status = core_buffer_write(buffer, offset, data, size);
    core_object_leave(&buffer->object);
    return status;
}

static bool is_lost(const struct pipeline_group *group, uint32_t device)
{
    return (pipeline_group_sound(group) >> device & 1) == 0;
}

/* Leaves lost devices out, and stops at the first one that fails otherwise. */
static int32_t write_each(const struct pipeline_replica *replica, uint64_t offset, const void *data,
                          uint64_t size, uint32_t *written, uint32_t *failed)
{
    for (uint32_t i = 0; i < replica->count; i++) {
        if (is_lost(replica->group, i))
            continue;
        int32_t status = write_one(replica, i, offset, data, size);
        if (status == TRM_OK) {
            *written |= 1u << i;
        } else if (!is_lost(replica->group, i)) {
            *failed = 1u << i;
            return pipeline_group_fail(replica->group, i, status);
        }
    }
    return *written != 0 ? TRM_OK
                         : base_fail_static(TRM_ERROR_DEVICE_LOST, "every device of the group is lost");
}

/* Copies that are current have the same contents: those that were written, or where none was, the others. */
static void note_written(struct pipeline_data *data, bool is_whole, uint32_t written, uint32_t failed)
{
    uint32_t current = pipeline_data_current(data), same = is_whole ? written : current & written;
    if (same == 0) {
        data->current = (current & ~failed) != 0 ? current & ~failed : current;
        return;
    }
    data->current = same;
    for (uint32_t i = 0; is_whole && i < TRM_GROUP_DEVICES; i++)
        if ((written >> i & 1) != 0)
            pipeline_data_note_written(data, i);
}

/* With data_lock. Copies that are not current stay so, unless all of the buffer is written. */
static int32_t write_all(struct pipeline_replica *replica, uint64_t offset, const void *data, uint64_t size)
{
    uint32_t source, written = 0, failed = 0;
    int32_t status = check_range(replica, offset, size);
    bool is_whole  = offset == 0 && size == replica->data.size;
    for (uint32_t i = 0; status == TRM_OK && i < replica->count; i++)
        status = pipeline_data_drain(&replica->data, i);
    if (status == TRM_OK && !is_whole)
        status = find_source(replica, &source);
    if (status != TRM_OK)
        return status;
    status = write_each(replica, offset, data, size, &written, &failed);
    note_written(&replica->data, is_whole, written, failed);
    return status;
}

int32_t trm_group_buffer_write(struct trm_group_buffer *handle, uint64_t offset, const void *data,
                               uint64_t size)
{
    struct pipeline_replica *replica = core_object_enter(handle, CORE_GROUP_BUFFER);
    if (replica == NULL)
        return base_last_status();
    int32_t status = TRM_OK;
    if (data == NULL && size != 0)
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_group_buffer_write: `data` is NULL");
    if (status == TRM_OK)
        status = pipeline_group_lock_data(replica->group);
    if (status == TRM_OK) {
        status = write_all(replica, offset, data, size);
        pipeline_group_unlock_data(replica->group);
    }
    core_object_leave(&replica->object);
    return status;
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Waits for the copy that a read takes without data_lock, so that tasks are submitted meanwhile. They may
 * make the copy anew; at last the read waits with the lock. */
static void wait_unlocked(const struct pipeline_replica *replica)
{
    struct pipeline_data_point point;
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < UNLOCKED_WAITS; i++) {
        uint32_t current = pipeline_data_current(&replica->data) & pipeline_group_sound(replica->group);
        if (current == 0 || !pipeline_data_pending(&replica->data, (uint32_t)__builtin_ctz(current), &point))
            return;
        pipeline_group_unlock_data(replica->group);
        status = pipeline_data_await(&point);
        pipeline_group_lock_data(replica->group);
    }
}

static int32_t read_current(struct pipeline_replica *replica, uint64_t offset, void *data, uint64_t size)
{
    uint32_t device;
    int32_t status = check_range(replica, offset, size);
    if (status == TRM_OK) {
        wait_unlocked(replica);
        status = find_source(replica, &device);
    }
    if (status != TRM_OK)
        return status;
    return core_buffer_read(core_buffer_find(replica->ones[device]), offset, data, size);
}

int32_t trm_group_buffer_read(struct trm_group_buffer *buffer, uint64_t offset, void *data, uint64_t size)
{
    if (data == NULL && size != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_group_buffer_read: `data` is NULL");
    struct pipeline_replica *replica = open_data(buffer);
    return replica == NULL ? base_last_status()
                           : close_data(replica, read_current(replica, offset, data, size));
}

/* ---- moving --------------------------------------------------------------------------------- */

/* No work uses either copy. */
static int32_t move(const struct pipeline_replica *replica, uint32_t from, uint32_t to)
{
    struct core_context *context = replica->object.context;
    struct core_buffer *source   = core_buffer_find(replica->ones[from]);
    struct core_buffer *target   = core_buffer_find(replica->ones[to]);
    uint64_t size = replica->data.size, piece = size < PIECE ? size : PIECE;
    void *memory   = core_allocate(context, piece);
    int32_t status = TRM_OK;
    if (memory == NULL && piece > 0)
        return base_fail_memory("moving a buffer of a group");
    for (uint64_t at = 0; status == TRM_OK && at < size; at += piece) {
        uint64_t length = size - at < piece ? size - at : piece;
        status          = core_buffer_read(source, at, memory, length);
        if (status == TRM_OK)
            status = core_buffer_write(target, at, memory, length);
    }
    core_free(context, memory, piece);
    return status;
}

static int32_t update(struct pipeline_replica *replica, uint32_t index)
{
    struct pipeline_data *data = &replica->data;
    uint32_t source;
    int32_t status = check_index(replica, index);
    if (status != TRM_OK)
        return status;
    if ((pipeline_data_current(data) >> index & 1) != 0 && pipeline_data_finish(data, index) == TRM_OK)
        return TRM_OK;
    status = find_source(replica, &source);
    if (status == TRM_OK)
        status = pipeline_data_drain(data, index);
    if (status == TRM_OK)
        status = move(replica, source, index);
    if (status == TRM_OK)
        pipeline_data_note_written(data, index);
    return status;
}

int32_t trm_group_buffer_update(struct trm_group_buffer *buffer, uint32_t index)
{
    struct pipeline_replica *replica = open_data(buffer);
    return replica == NULL ? base_last_status() : close_data(replica, update(replica, index));
}

static int32_t change(struct pipeline_replica *replica, uint32_t index)
{
    int32_t status = check_index(replica, index);
    if (status == TRM_OK)
        status = pipeline_data_drain(&replica->data, index);
    if (status != TRM_OK)
        return status;
    replica->data.current = 0;
    pipeline_data_note_written(&replica->data, index);
    return TRM_OK;
}

int32_t trm_group_buffer_changed(struct trm_group_buffer *buffer, uint32_t index)
{
    struct pipeline_replica *replica = open_data(buffer);
    return replica == NULL ? base_last_status() : close_data(replica, change(replica, index));
}

int32_t trm_group_buffer_current(struct trm_group_buffer *buffer, uint32_t *devices)
{
    struct pipeline_replica *replica = open_data(buffer);
    if (replica == NULL)
        return base_last_status();
    int32_t status = core_output_check(devices, "trm_group_buffer_current", "devices");
    if (status == TRM_OK)
        *devices = pipeline_data_current(&replica->data);
    return close_data(replica, status);
}
