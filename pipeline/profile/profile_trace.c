/* Profiles as traces for Perfetto: a process for each device, a track for each stream.
 *
 * Format: "Trace Event Format", Google, 2016. Members of the object that the format does not know, as
 * "profile" here, are metadata to its readers.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include "pipeline/profile/profile.h"

char *pipeline_profile_wait_text(char *text, size_t capacity, const struct core_wait *wait)
{
    switch (wait->kind) {
    case TRM_PROFILE_WAIT_STREAM:
        snprintf(text, capacity, "stream %" PRIu32, wait->stream);
        break;
    case TRM_PROFILE_WAIT_EVENT:
        snprintf(text, capacity, "event %" PRIu32 " (stream %" PRIu32 ")", wait->event, wait->stream);
        break;
    case TRM_PROFILE_WAIT_CALLBACK:
        snprintf(text, capacity, "a callback");
        break;
    case TRM_PROFILE_WAIT_SEMAPHORE:
        snprintf(text, capacity, "a semaphore");
        break;
    default:
        snprintf(text, capacity, "a native event");
        break;
    }
    return text;
}

static void write_name(struct pipeline_writer *writer, const struct core_profile_record *record)
{
    char target[64], name[80];
    if (record->kind == CORE_WORK_LAUNCH && record->subject != NULL) {
        pipeline_write_json(writer, record->subject->name);
        return;
    }
    if (record->kind == CORE_WORK_WAIT && record->subject != NULL) {
        pipeline_profile_wait_text(target, sizeof(target), &record->subject->wait);
        snprintf(name, sizeof(name), "wait for %s", target);
        pipeline_write_json(writer, name);
        return;
    }
    pipeline_write_json(writer, pipeline_profile_words[record->kind]);
}

static void write_record(struct pipeline_writer *writer, uint32_t process, uint32_t thread,
                         const struct core_profile_record *record)
{
    pipeline_writef(
        writer, ",\n{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"cat\":\"%s\",\"name\":", process,
        thread, pipeline_profile_words[record->kind]);
    write_name(writer, record);
    pipeline_write(writer, ",\"ts\":");
    pipeline_write_scaled(writer, record->begin, 3);
    pipeline_write(writer, ",\"dur\":");
    pipeline_write_scaled(writer, record->end - record->begin, 3);
    pipeline_writef(writer, ",\"args\":{\"bytes\":%" PRIu64 ",\"queued_us\":", record->bytes);
    pipeline_write_scaled(writer, record->begin - record->called, 3);
    pipeline_write(writer, "}}");
}

/* A range is written before what is inside it, which may begin at the same time. */
static void write_range(struct pipeline_writer *writer, uint32_t process, uint32_t thread,
                        const struct core_profile_range *range)
{
    if (range->end == 0)
        return;
    pipeline_writef(writer,
                    ",\n{\"ph\":\"X\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"cat\":\"range\",\"name\":",
                    process, thread);
    pipeline_write_json(writer, range->subject != NULL ? range->subject->name : range->name);
    pipeline_write(writer, ",\"ts\":");
    pipeline_write_scaled(writer, range->begin, 3);
    pipeline_write(writer, ",\"dur\":");
    pipeline_write_scaled(writer, range->end - range->begin, 3);
    pipeline_write(writer, "}");
}

/* "stream 3", or "stream 3: decode" */
static void write_track_name(struct pipeline_writer *writer, uint32_t process, uint32_t thread,
                             const struct core_profile_result *result)
{
    char name[24 + CORE_STREAM_NAME];
    snprintf(name, sizeof(name), "stream %" PRIu32 "%s%s", result->number,
             result->name[0] != '\0' ? ": " : "", result->name);
    pipeline_writef(writer,
                    ",\n{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32 ",\"name\":\"thread_name\","
                    "\"args\":{\"name\":",
                    process, thread);
    pipeline_write_json(writer, name);
    pipeline_write(writer, "}}");
}

static void write_track(struct pipeline_writer *writer, uint32_t process, uint32_t thread,
                        const struct core_profile_result *result)
{
    write_track_name(writer, process, thread, result);
    for (const struct core_profile_range *each = result->ranges; each != NULL; each = each->next)
        write_range(writer, process, thread, each);
    for (uint32_t i = 0; i < result->record_count; i++)
        write_record(writer, process, thread, &result->records[i]);
}

int32_t pipeline_profile_write_trace(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    uint32_t process = 0;
    pipeline_write(writer, "{\"traceEvents\":[\n");
    for (const struct core_profile_part *part = view->profile->parts; part != NULL; part = part->next) {
        pipeline_writef(writer,
                        "%s{\"ph\":\"M\",\"pid\":%" PRIu32 ",\"name\":\"process_name\",\"args\":{\"name\":",
                        process == 0 ? "" : ",\n", process + 1);
        pipeline_write_json(writer, part->device_id);
        pipeline_write(writer, "}}");
        process++;
    }
    for (uint32_t i = 0; i < view->stream_count; i++)
        write_track(writer, view->streams[i].device + 1, i + 1, view->streams[i].result);
    int32_t status = pipeline_profile_write_tasks(view, writer, view->stream_count + 1);
    pipeline_write(writer, "\n],\"displayTimeUnit\":\"ns\",\n\"profile\":");
    if (status == TRM_OK)
        status = pipeline_profile_write_json(view, writer);
    pipeline_write(writer, "}\n");
    return status;
}
