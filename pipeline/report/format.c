/* Formats of reports: to a function, and into a caller's buffer.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "core/object/object.h"
#include "pipeline/report/report_internal.h"

/* The part of the text that fits, and the length of all of it. */
struct room {
    char *text;
    size_t capacity, length;
};

static int32_t add_to_room(void *user, const char *text, size_t length)
{
    struct room *room = user;

    if (room->length < room->capacity) {
        size_t left = room->capacity - room->length;
        memcpy(room->text + room->length, text, length < left ? length : left);
    }
    room->length += length;
    return TRM_OK;
}

int32_t pipeline_report_check_format(int32_t format)
{
    if (format == TRM_REPORT_TEXT || format == TRM_REPORT_JSON)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%d is not a report format", format);
}

int32_t pipeline_report_write(const struct trm_report *report, int32_t format, trm_write_fn write, void *user)
{
    struct pipeline_writer writer;

    pipeline_writer_begin(&writer, write, user);
    if (format == TRM_REPORT_TEXT)
        pipeline_report_text(report, &writer);
    else
        pipeline_report_json(report, &writer);
    return pipeline_writer_end(&writer);
}

int32_t trm_report_format(const struct trm_report *report, int32_t format, char *text, size_t capacity,
                          size_t *needed)
{
    struct room room = {text, capacity, 0};
    struct trm_report ours;

    if (report == NULL || !core_struct_copy_in(&ours, sizeof(ours), report, PIPELINE_REPORT_LEAST))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the report is NULL, or its struct_size is too small");
    if (text == NULL && capacity != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_report_format: `text` is NULL, but `capacity` is %zu", capacity);
    int32_t status = pipeline_report_check_format(format);
    if (status != TRM_OK)
        return status;
    pipeline_report_write(&ours, format, add_to_room, &room);
    add_to_room(&room, "", 1);
    if (needed != NULL)
        *needed = room.length;
    /* A query of the size alone succeeds. */
    if (text == NULL || room.length <= room.capacity)
        return TRM_OK;
    if (room.capacity > 0)
        room.text[room.capacity - 1] = '\0';
    return base_fail(TRM_ERROR_OUT_OF_RANGE, "the report takes %zu bytes, but there is room for %zu",
                     room.length, room.capacity);
}
