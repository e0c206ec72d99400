/* What programs write and read of a group's buffer, and move, beside pools.
 * SPDX-License-Identifier: MIT
 */
#include "base/base.h"
#include "core/memory/memory.h"
#include "pipeline/group/group.h"

/* Bytes that are moved through the host at once. */
#define PIECE (UINT64_C(4) << 20)

/* So often a call waits for what uses a buffer without the lock. */
#define UNLOCKED_WAITS 4u

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

/* A device whose copy is current and has been made. Where one fails while it is waited for, another may be
 * sound. */
static int32_t find_source(const struct pipeline_replica *replica, struct pipeline_data_part *part,
                           uint32_t *device)
{
    uint32_t tried = 0;
    int32_t status = TRM_OK;
    for (;;) {
        uint32_t sound   = pipeline_group_sound(replica->group) & ~tried;
        uint32_t current = pipeline_part_current(part) & sound;
        if (current == 0)
            break;
        uint32_t found = (uint32_t)__builtin_ctz(current);
        status         = pipeline_part_finish(part, found);
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

/* ---- waiting without the lock --------------------------------------------------------------- */

/* What a call needs of the parts of a span. */
struct need {
    uint64_t begin, end; /* bytes */
    uint32_t unused;     /* devices on which nothing uses the copy any more: bit i */
    bool is_source_made; /* the copy of one device that has the contents */
    bool is_update;      /* a copy that is current needs to be made only */
};

static uint32_t count_pending_of(const struct pipeline_replica *replica, const struct need *need,
                                 const struct pipeline_data_part *part, struct pipeline_data_point *point)
{
    uint32_t current = pipeline_part_current(part) & pipeline_group_sound(replica->group), count = 0;
    bool is_there = need->is_update && (current & need->unused) != 0;
    for (uint32_t i = 0; i < replica->count; i++)
        if ((need->unused >> i & 1) != 0)
            count += pipeline_part_pending(part, i, !is_there, point);
    if (need->is_source_made && !is_there && current != 0)
        count += pipeline_part_pending(part, (uint32_t)__builtin_ctz(current), false, point);
    return count;
}

static uint32_t count_pending(struct pipeline_replica *replica, const struct need *need,
                              struct pipeline_data_point *point)
{
    uint32_t count                  = 0;
    struct pipeline_data_part *part = pipeline_data_at(&replica->data, need->begin);
    *point                          = (struct pipeline_data_point){.stream = NULL};
    for (; part != NULL && part->begin < need->end; part = part->next)
        count += count_pending_of(replica, need, part, point);
    return count;
}

/* Waits without data_lock, so that tasks are submitted meanwhile. They may use the buffer anew; at last the
 * call waits with the lock, which is where a failure is told, too. */
static void wait_unlocked(struct pipeline_replica *replica, const struct need *need)
{
    struct pipeline_data_point point;
    int32_t status = TRM_OK;
    uint32_t most = 0, waits = 0;
    do {
        uint32_t count = count_pending(replica, need, &point);
        if (count == 0)
            return;
        if (most == 0)
            most = UNLOCKED_WAITS * count;
        pipeline_group_pause_data(replica->group);
        status = pipeline_point_await(&point);
        pipeline_group_resume_data(replica->group);
    } while (status == TRM_OK && ++waits < most);
}

static uint32_t all_devices(const struct pipeline_replica *replica)
{
    return (1u << replica->count) - 1;
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
static void note_written(struct pipeline_data_part *part, bool is_whole, uint32_t written, uint32_t failed)
{
    uint32_t current = pipeline_part_current(part), same = is_whole ? written : current & written;
    if (same == 0) {
        part->current = (current & ~failed) != 0 ? current & ~failed : current;
        return;
    }
    part->current = same;
    for (uint32_t i = 0; is_whole && i < TRM_GROUP_DEVICES; i++)
        if ((written >> i & 1) != 0)
            pipeline_part_note_written(part, i);
}

static bool is_whole(const struct pipeline_data_part *part, uint64_t begin, uint64_t end)
{
    return begin <= part->begin && part->end <= end;
}

/* Drains what is written; of a part of which some bytes stay, those are good. */
static int32_t drain_for_write(const struct pipeline_replica *replica, struct pipeline_data_part *part,
                               uint64_t begin, uint64_t end)
{
    uint32_t source;
    int32_t status = TRM_OK;
    for (uint32_t i = 0; status == TRM_OK && i < replica->count; i++)
        status = pipeline_part_drain(part, i);
    return status == TRM_OK && !is_whole(part, begin, end) ? find_source(replica, part, &source) : status;
}

/* With data_lock. Copies that are not current stay so, unless all of the part is written. */
static int32_t write_all(struct pipeline_replica *replica, uint64_t offset, const void *data, uint64_t size)
{
    struct pipeline_data_part *part, *first;
    uint32_t written = 0, failed = 0;
    int32_t status = check_range(replica, offset, size);
    if (status != TRM_OK)
        return status;
    uint64_t end = offset + size;
    wait_unlocked(replica, &(struct need){.begin = offset, .end = end, .unused = all_devices(replica)});
    first = pipeline_data_at(&replica->data, offset);
    for (part = first; status == TRM_OK && part != NULL && part->begin < end; part = part->next)
        status = drain_for_write(replica, part, offset, end);
    if (status != TRM_OK)
        return status;
    status = write_each(replica, offset, data, size, &written, &failed);
    for (part = first; part != NULL && part->begin < end; part = part->next)
        note_written(part, is_whole(part, offset, end), written, failed);
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

/* Reads from `begin` to `end` where one device has it all, else up to where that ends, which is the next
 * begin. */
static int32_t read_run(struct pipeline_replica *replica, struct pipeline_data_part *part, uint64_t *begin,
                        uint64_t end, char *data)
{
    uint32_t device = 0, next = 0;
    uint64_t until = part->end;
    int32_t status = find_source(replica, part, &device);
    for (part = part->next; status == TRM_OK && part != NULL && until < end; part = part->next) {
        status = find_source(replica, part, &next);
        if (next != device)
            break;
        until = part->end;
    }
    if (status != TRM_OK)
        return status;
    until  = until < end ? until : end;
    status = core_buffer_read(core_buffer_find(replica->ones[device]), *begin, data, until - *begin);
    *begin = until;
    return status;
}

static int32_t read_current(struct pipeline_replica *replica, uint64_t offset, void *data, uint64_t size)
{
    int32_t status = check_range(replica, offset, size);
    if (status != TRM_OK)
        return status;
    uint64_t end = offset + size;
    wait_unlocked(replica, &(struct need){.begin = offset, .end = end, .is_source_made = true});
    for (uint64_t at = offset; status == TRM_OK && at < end;)
        status =
            read_run(replica, pipeline_data_at(&replica->data, at), &at, end, (char *)data + (at - offset));
    return status;
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
static int32_t move(const struct pipeline_replica *replica, const struct pipeline_data_part *part,
                    uint32_t from, uint32_t to)
{
    struct core_context *context = replica->object.context;
    struct core_buffer *source   = core_buffer_find(replica->ones[from]);
    struct core_buffer *target   = core_buffer_find(replica->ones[to]);
    uint64_t size = part->end - part->begin, piece = size < PIECE ? size : PIECE;
    void *memory   = core_allocate(context, piece);
    int32_t status = TRM_OK;
    if (memory == NULL && piece > 0)
        return base_fail_memory("moving a buffer of a group");
    for (uint64_t at = part->begin; status == TRM_OK && at < part->end; at += piece) {
        uint64_t length = part->end - at < piece ? part->end - at : piece;
        status          = core_buffer_read(source, at, memory, length);
        if (status == TRM_OK)
            status = core_buffer_write(target, at, memory, length);
    }
    core_free(context, memory, piece);
    return status;
}

static int32_t update_part(const struct pipeline_replica *replica, struct pipeline_data_part *part,
                           uint32_t index)
{
    uint32_t source;
    if ((pipeline_part_current(part) >> index & 1) != 0 && pipeline_part_finish(part, index) == TRM_OK)
        return TRM_OK;
    int32_t status = find_source(replica, part, &source);
    if (status == TRM_OK)
        status = pipeline_part_drain(part, index);
    if (status == TRM_OK)
        status = move(replica, part, source, index);
    if (status == TRM_OK)
        pipeline_part_note_written(part, index);
    return status;
}

static int32_t update(struct pipeline_replica *replica, uint32_t index)
{
    struct pipeline_data *data = &replica->data;
    int32_t status             = check_index(replica, index);
    if (status != TRM_OK)
        return status;
    wait_unlocked(
        replica,
        &(struct need){.end = data->size, .unused = 1u << index, .is_source_made = true, .is_update = true});
    for (struct pipeline_data_part *part = &data->first; status == TRM_OK && part != NULL; part = part->next)
        status = update_part(replica, part, index);
    return status;
}

int32_t trm_group_buffer_update(struct trm_group_buffer *buffer, uint32_t index)
{
    struct pipeline_replica *replica = open_data(buffer);
    return replica == NULL ? base_last_status() : close_data(replica, update(replica, index));
}

static int32_t change(struct pipeline_replica *replica, uint32_t index)
{
    struct pipeline_data *data = &replica->data;
    struct pipeline_data_part *part;
    int32_t status = check_index(replica, index);
    if (status != TRM_OK)
        return status;
    wait_unlocked(replica, &(struct need){.end = data->size, .unused = 1u << index});
    for (part = &data->first; status == TRM_OK && part != NULL; part = part->next)
        status = pipeline_part_drain(part, index);
    for (part = &data->first; status == TRM_OK && part != NULL; part = part->next) {
        part->current = 0;
        pipeline_part_note_written(part, index);
    }
    return status;
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
