/* The state of a part of a group's buffer.
 * SPDX-License-Identifier: MIT
 */
#include "pipeline/group/data.h"

#include <string.h>

#include "base/base.h"
#include "core/object/object.h"

#define FIRST_CAPACITY 4u

static void clear(struct pipeline_data_point *point)
{
    if (point->stream != NULL)
        core_object_release(&point->stream->object);
    *point = (struct pipeline_data_point){.stream = NULL};
}

static void set(struct pipeline_data_point *point, const struct pipeline_data_point *other)
{
    core_object_retain(&other->stream->object);
    clear(point);
    *point = *other;
}

static bool has_failed(const struct pipeline_data_point *point)
{
    return point->stream != NULL && core_stream_failure_status(point->stream) != TRM_OK &&
           !core_stream_has_succeeded(point->stream, point->value);
}

/* No work up to the point touches memory any more. */
static bool has_finished(const struct pipeline_data_point *point)
{
    return point->stream == NULL || core_stream_has_finished(point->stream, point->value);
}

uint32_t pipeline_part_current(const struct pipeline_data_part *part)
{
    uint32_t sound = part->current;
    for (uint32_t left = part->current; left != 0; left &= left - 1) {
        uint32_t device = (uint32_t)__builtin_ctz(left);
        if (has_failed(&part->copies[device].made))
            sound &= ~(1u << device);
    }
    return sound != 0 ? sound : part->current;
}

/* ---- readers -------------------------------------------------------------------------------- */

static void forget_readers(struct pipeline_data_copy *copy)
{
    for (uint32_t i = 0; i < copy->reader_count; i++)
        clear(&copy->readers[i]);
    copy->reader_count = 0;
}

static void drop_finished(struct pipeline_data_copy *copy)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < copy->reader_count; i++)
        if (has_finished(&copy->readers[i]))
            clear(&copy->readers[i]);
        else
            copy->readers[left++] = copy->readers[i];
    copy->reader_count = left;
}

int32_t pipeline_part_reserve(const struct core_context *context, struct pipeline_data_part *part,
                              uint32_t device)
{
    struct pipeline_data_copy *copy = &part->copies[device];
    if (copy->reader_count == copy->reader_capacity)
        drop_finished(copy);
    if (copy->reader_count < copy->reader_capacity)
        return TRM_OK;
    uint32_t capacity = copy->reader_capacity == 0 ? FIRST_CAPACITY : 2 * copy->reader_capacity;
    struct pipeline_data_point *grown = core_allocate(context, capacity * sizeof(*grown));
    if (grown == NULL)
        return base_fail_memory("noting what uses a buffer of a group");
    if (copy->reader_count > 0)
        memcpy(grown, copy->readers, copy->reader_count * sizeof(*grown));
    core_free(context, copy->readers, copy->reader_capacity * sizeof(*grown));
    copy->readers         = grown;
    copy->reader_capacity = capacity;
    return TRM_OK;
}

void pipeline_part_note_reader(struct pipeline_data_part *part, uint32_t device,
                               const struct pipeline_data_point *point)
{
    struct pipeline_data_copy *copy = &part->copies[device];
    uint32_t place                  = 0;
    while (place < copy->reader_count && copy->readers[place].stream != point->stream)
        place++;
    if (place == copy->reader_count)
        copy->readers[copy->reader_count++] = (struct pipeline_data_point){.stream = NULL};
    set(&copy->readers[place], point);
}

void pipeline_part_note_made(struct pipeline_data_part *part, uint32_t device,
                             const struct pipeline_data_point *point, uint64_t ready_at)
{
    struct pipeline_data_copy *copy = &part->copies[device];
    forget_readers(copy);
    set(&copy->made, point);
    copy->ready_at = ready_at;
}

/* ---- waiting -------------------------------------------------------------------------------- */

/* What has failed and ended keeps no one from the memory; its contents are another matter. */
static int32_t wait_for(struct core_stream *stream, const struct pipeline_data_point *point, bool is_read)
{
    if (point->stream == NULL || (!is_read && has_failed(point) && has_finished(point)))
        return TRM_OK;
    return core_stream_wait_other(stream, point->stream, point->value);
}

int32_t pipeline_part_wait(struct pipeline_data_part *part, uint32_t device, uint32_t access,
                           struct core_stream *stream)
{
    struct pipeline_data_copy *copy = &part->copies[device];
    int32_t status                  = wait_for(stream, &copy->made, (access & TRM_ACCESS_READ) != 0);
    if ((access & TRM_ACCESS_WRITE) == 0)
        return status;
    for (uint32_t i = 0; status == TRM_OK && i < copy->reader_count; i++)
        status = wait_for(stream, &copy->readers[i], false);
    return status;
}

static bool is_reached(const struct pipeline_data_point *point)
{
    return point->stream == NULL ||
           atomic_load_explicit(&point->stream->completed, memory_order_acquire) >= point->value;
}

bool pipeline_part_is_in_time(const struct pipeline_data_part *part, uint32_t device, uint64_t now,
                              uint64_t *ready_at)
{
    const struct pipeline_data_copy *copy = &part->copies[device];
    *ready_at                             = copy->ready_at;
    return copy->ready_at > now || is_reached(&copy->made);
}

static bool presume(const struct pipeline_data_point *point, uint64_t *end)
{
    if (is_reached(point))
        return true;
    if (point->end > *end)
        *end = point->end;
    return point->end != 0;
}

bool pipeline_part_presume(const struct pipeline_data_part *part, uint32_t device, uint32_t access,
                           uint64_t *end)
{
    const struct pipeline_data_copy *copy = &part->copies[device];
    bool is_sure                          = presume(&copy->made, end);
    for (uint32_t i = 0; is_sure && (access & TRM_ACCESS_WRITE) != 0 && i < copy->reader_count; i++)
        is_sure = presume(&copy->readers[i], end);
    return is_sure;
}

static int32_t drain_point(const struct pipeline_data_point *point)
{
    return point->stream != NULL ? core_stream_wait_finished(point->stream, point->value, TRM_FOREVER)
                                 : TRM_OK;
}

static uint32_t pend(const struct pipeline_data_point *work, struct pipeline_data_point *point)
{
    if (has_finished(work))
        return 0;
    if (point->stream == NULL)
        set(point, work);
    return 1;
}

uint32_t pipeline_part_pending(const struct pipeline_data_part *part, uint32_t device, bool has_readers,
                               struct pipeline_data_point *point)
{
    const struct pipeline_data_copy *copy = &part->copies[device];
    uint32_t count                        = pend(&copy->made, point);
    for (uint32_t i = 0; has_readers && i < copy->reader_count; i++)
        count += pend(&copy->readers[i], point);
    return count;
}

int32_t pipeline_point_await(struct pipeline_data_point *point)
{
    int32_t status = drain_point(point);
    clear(point);
    return status;
}

int32_t pipeline_part_finish(struct pipeline_data_part *part, uint32_t device)
{
    struct pipeline_data_point *made = &part->copies[device].made;
    int32_t status                   = drain_point(made);
    if (status != TRM_OK)
        return status;
    if (has_failed(made))
        return core_stream_check_failure(made->stream);
    clear(made);
    return TRM_OK;
}

int32_t pipeline_part_drain(struct pipeline_data_part *part, uint32_t device)
{
    struct pipeline_data_copy *copy = &part->copies[device];
    int32_t status                  = drain_point(&copy->made);
    for (uint32_t i = 0; status == TRM_OK && i < copy->reader_count; i++)
        status = drain_point(&copy->readers[i]);
    if (status != TRM_OK)
        return status;
    if (!has_failed(&copy->made))
        clear(&copy->made);
    forget_readers(copy);
    return TRM_OK;
}

void pipeline_part_note_written(struct pipeline_data_part *part, uint32_t device)
{
    clear(&part->copies[device].made);
    part->current |= 1u << device;
}

/* ---- parts ---------------------------------------------------------------------------------- */

static bool copy_points(const struct core_context *context, const struct pipeline_data_copy *copy,
                        struct pipeline_data_copy *made)
{
    if (copy->reader_count > 0) {
        made->readers = core_allocate(context, copy->reader_count * sizeof(*made->readers));
        if (made->readers == NULL)
            return false;
        made->reader_capacity = copy->reader_count;
    }
    for (uint32_t i = 0; i < copy->reader_count; i++) {
        made->readers[i] = (struct pipeline_data_point){.stream = NULL};
        set(&made->readers[i], &copy->readers[i]);
    }
    made->reader_count = copy->reader_count;
    made->ready_at     = copy->ready_at;
    if (copy->made.stream != NULL)
        set(&made->made, &copy->made);
    return true;
}

bool pipeline_part_copy(const struct core_context *context, const struct pipeline_data_part *part,
                        struct pipeline_data_part *made)
{
    made->current = part->current;
    for (uint32_t i = 0; i < TRM_GROUP_DEVICES; i++)
        if (!copy_points(context, &part->copies[i], &made->copies[i])) {
            pipeline_part_fini(context, made);
            return false;
        }
    return true;
}

void pipeline_part_tidy(struct pipeline_data_part *part)
{
    for (uint32_t i = 0; i < TRM_GROUP_DEVICES; i++) {
        struct pipeline_data_point *made = &part->copies[i].made;
        if (has_finished(made) && !has_failed(made))
            clear(made);
        drop_finished(&part->copies[i]);
    }
}

static bool is_same_point(const struct pipeline_data_point *one, const struct pipeline_data_point *other)
{
    return one->stream == other->stream && one->value == other->value;
}

/* The same points in the same order: as neighbours that were used together have. */
static bool is_same_copy(const struct pipeline_data_copy *one, const struct pipeline_data_copy *other)
{
    if (!is_same_point(&one->made, &other->made) || one->reader_count != other->reader_count)
        return false;
    for (uint32_t i = 0; i < one->reader_count; i++)
        if (!is_same_point(&one->readers[i], &other->readers[i]))
            return false;
    return true;
}

bool pipeline_part_is_alike(const struct pipeline_data_part *part, const struct pipeline_data_part *other)
{
    bool is_alike = part->current == other->current;
    for (uint32_t i = 0; is_alike && i < TRM_GROUP_DEVICES; i++)
        is_alike = is_same_copy(&part->copies[i], &other->copies[i]);
    return is_alike;
}

void pipeline_part_fini(const struct core_context *context, struct pipeline_data_part *part)
{
    for (uint32_t i = 0; i < TRM_GROUP_DEVICES; i++) {
        struct pipeline_data_copy *copy = &part->copies[i];
        clear(&copy->made);
        forget_readers(copy);
        core_free(context, copy->readers, copy->reader_capacity * sizeof(*copy->readers));
    }
}
