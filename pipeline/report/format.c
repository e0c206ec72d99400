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

/* ---- a report that the program may have changed ----------------------------------------------- */

#define END_TEXT(member) ((member)[sizeof(member) - 1] = '\0')

/* Bounds what is used as a count or as a text: any bytes give some text and no more. */
static void bound_members(struct trm_report *report)
{
    if (report->launch_count > TRM_REPORT_LAUNCHES)
        report->launch_count = TRM_REPORT_LAUNCHES;
    if (report->device_count > TRM_REPORT_DEVICES)
        report->device_count = TRM_REPORT_DEVICES;
    if (report->critical >= TRM_STAGES)
        report->critical = -1;
    for (uint32_t i = 0; i < TRM_REPORT_LAUNCHES; i++) {
        END_TEXT(report->launches[i].name);
        report->launch_after[i] &= (UINT64_C(1) << i) - 1;
        if (report->launch_device[i] > report->device_count)
            report->launch_device[i] = 0;
    }
    for (uint32_t i = 0; i < TRM_REPORT_DEVICES; i++) {
        END_TEXT(report->devices[i].device);
        END_TEXT(report->device_loss[i]);
    }
    END_TEXT(report->name);
    END_TEXT(report->backend);
    END_TEXT(report->device);
    END_TEXT(report->reason);
    END_TEXT(report->advice);
    END_TEXT(report->failure);
    END_TEXT(report->loss);
    END_TEXT(report->shared);
    END_TEXT(report->token_word);
    END_TEXT(report->tokens_word);
}

/* ---- to a caller's buffer ---------------------------------------------------------------------- */

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
    bound_members(&ours);
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
