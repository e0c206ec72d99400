/* Profiles as text, as JSON, and as a trace.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "pipeline/profile/profile.h"
#include "pipeline/report/report.h"

static const char *const words[TRM_PROFILE_WORKS] = {"upload", "download", "copy", "fill",
                                                     "launch", "graph",    "wait"};

/* ---- text ------------------------------------------------------------------------------------------- */

static uint64_t copies(const uint64_t *values)
{
    return values[TRM_PROFILE_UPLOAD] + values[TRM_PROFILE_DOWNLOAD] + values[TRM_PROFILE_COPY] +
           values[TRM_PROFILE_FILL];
}

static uint64_t kernels(const uint64_t *values)
{
    return values[TRM_PROFILE_LAUNCH] + values[TRM_PROFILE_GRAPH];
}

static void write_stream(struct pipeline_writer *writer, const struct trm_profile_stream *stream)
{
    char kernel[32], copy[32], wait[32], idle[32], p50[32], p99[32];
    pipeline_time_text(kernel, sizeof(kernel), (double)kernels(stream->busy_ns));
    pipeline_time_text(copy, sizeof(copy), (double)copies(stream->busy_ns));
    pipeline_time_text(wait, sizeof(wait), (double)stream->busy_ns[TRM_PROFILE_WAIT]);
    pipeline_time_text(idle, sizeof(idle), (double)stream->idle_ns);
    pipeline_time_text(p50, sizeof(p50), (double)stream->ran.p50_ns);
    pipeline_time_text(p99, sizeof(p99), (double)stream->ran.p99_ns);
    pipeline_writef(writer, "%6" PRIu32 " %7" PRIu64 " %9.9s %9.9s %9.9s %9.9s %9.9s %9.9s\n", stream->number,
                    stream->operations, kernel, copy, wait, idle, p50, p99);
}

/* Streams beyond these are left out, so that the text fits on a screen. */
#define MOST_LINES 12u

static void write_text(const struct core_profile *profile, const struct pipeline_profile_device *device,
                       struct pipeline_writer *writer)
{
    char wall[32], busy[32], peak[32];
    uint32_t count = pipeline_profile_count(profile);
    pipeline_time_text(wall, sizeof(wall), (double)device->wall_ns);
    pipeline_time_text(busy, sizeof(busy), (double)device->busy_ns);
    pipeline_bytes_text(peak, sizeof(peak), device->peak_bytes);
    pipeline_writef(writer, "profile of %.40s: %s, %" PRIu32 " streams\n", profile->device->id, wall, count);
    pipeline_writef(writer, "busy %s; overlap ", busy);
    if (device->overlap != 0)
        pipeline_write_scaled(writer, device->overlap, 3);
    else
        pipeline_write(writer, "unknown (not all operations are timed)");
    pipeline_writef(writer, "; memory at most %s\n\n", peak);
    pipeline_write(writer, "stream     ops   kernels    copies   waiting      idle   run p50   run p99\n");
    for (uint32_t i = 0; i < count && i < MOST_LINES; i++) {
        struct trm_profile_stream stream;
        pipeline_profile_sum(pipeline_profile_at(profile, i), &stream);
        write_stream(writer, &stream);
    }
    if (count > MOST_LINES)
        pipeline_writef(writer, "and %" PRIu32 " more streams\n", count - MOST_LINES);
}

/* ---- JSON ------------------------------------------------------------------------------------------- */

static void write_json_works(struct pipeline_writer *writer, const char *name, const uint64_t *values)
{
    pipeline_writef(writer, ",\"%s\":{", name);
    for (uint32_t i = 0; i < TRM_PROFILE_WORKS; i++)
        pipeline_writef(writer, "%s\"%s\":%" PRIu64, i == 0 ? "" : ",", words[i], values[i]);
    pipeline_write(writer, "}");
}

static void write_json_slots(struct pipeline_writer *writer, const char *name, const uint32_t *slots,
                             const struct trm_profile_times *times)
{
    bool is_first = true;
    pipeline_writef(writer, ",\"%s\":{\"p50_ns\":%" PRIu64 ",\"p99_ns\":%" PRIu64 ",\"histogram\":[", name,
                    times->p50_ns, times->p99_ns);
    for (uint32_t i = 0; i <= CORE_PROFILE_TIMES; i++) {
        if (slots[i] == 0)
            continue;
        pipeline_writef(writer, "%s[%" PRIu64 ",%" PRIu32 "]", is_first ? "" : ",", core_profile_slot_time(i),
                        slots[i]);
        is_first = false;
    }
    pipeline_write(writer, "]}");
}

static void write_json_stream(struct pipeline_writer *writer, const struct core_profile_result *result)
{
    struct trm_profile_stream stream;
    pipeline_profile_sum(result, &stream);
    pipeline_writef(writer,
                    "{\"number\":%" PRIu32 ",\"operations\":%" PRIu64 ",\"timed\":%" PRIu64
                    ",\"span_ns\":%" PRIu64 ",\"idle_ns\":%" PRIu64 ",\"peak_bytes\":%" PRIu64,
                    stream.number, stream.operations, stream.timed, stream.span_ns, stream.idle_ns,
                    stream.peak_bytes);
    write_json_works(writer, "count", stream.count);
    write_json_works(writer, "bytes", stream.bytes);
    write_json_works(writer, "busy_ns", stream.busy_ns);
    write_json_slots(writer, "queued", result->queued, &stream.queued);
    write_json_slots(writer, "ran", result->ran, &stream.ran);
    pipeline_write(writer, "}");
}

static void write_json(const struct core_profile *profile, const struct pipeline_profile_device *device,
                       struct pipeline_writer *writer)
{
    uint32_t count = pipeline_profile_count(profile);
    pipeline_write(writer, "{\"device\":");
    pipeline_write_json(writer, profile->device->id);
    pipeline_writef(
        writer, ",\"wall_ns\":%" PRIu64 ",\"busy_ns\":%" PRIu64 ",\"peak_bytes\":%" PRIu64 ",\"overlap\":",
        device->wall_ns, device->busy_ns, device->peak_bytes);
    if (device->overlap != 0)
        pipeline_write_scaled(writer, device->overlap, 3);
    else
        pipeline_write(writer, "null");
    pipeline_write(writer, ",\"streams\":[");
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0)
            pipeline_write(writer, ",");
        write_json_stream(writer, pipeline_profile_at(profile, i));
    }
    pipeline_write(writer, "]}\n");
}

/* ---- trace ------------------------------------------------------------------------------------------ */

static void write_record(struct pipeline_writer *writer, uint32_t thread,
                         const struct core_profile_record *record)
{
    pipeline_writef(writer, ",\n{\"ph\":\"X\",\"pid\":1,\"tid\":%" PRIu32 ",\"name\":\"%s\",\"ts\":", thread,
                    words[record->kind]);
    pipeline_write_scaled(writer, record->begin, 3);
    pipeline_write(writer, ",\"dur\":");
    pipeline_write_scaled(writer, record->end - record->begin, 3);
    pipeline_writef(writer, ",\"args\":{\"bytes\":%" PRIu64 ",\"queued_us\":", record->bytes);
    pipeline_write_scaled(writer, record->begin - record->called, 3);
    pipeline_write(writer, "}}");
}

static void write_trace(const struct core_profile *profile, struct pipeline_writer *writer)
{
    uint32_t count = pipeline_profile_count(profile);
    pipeline_write(writer, "{\"traceEvents\":[\n"
                           "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":");
    pipeline_write_json(writer, profile->device->id);
    pipeline_write(writer, "}}");
    for (uint32_t i = 0; i < count; i++) {
        const struct core_profile_result *result = pipeline_profile_at(profile, i);
        pipeline_writef(writer,
                        ",\n{\"ph\":\"M\",\"pid\":1,\"tid\":%" PRIu32 ",\"name\":\"thread_name\","
                        "\"args\":{\"name\":\"stream %" PRIu32 "\"}}",
                        i + 1, result->number);
        for (uint32_t j = 0; j < result->record_count; j++)
            write_record(writer, i + 1, &result->records[j]);
    }
    pipeline_write(writer, "\n],\"displayTimeUnit\":\"ns\"}\n");
}

int32_t pipeline_profile_write(const struct core_profile *profile, int32_t format, trm_write_fn write,
                               void *user)
{
    struct pipeline_writer writer;
    struct pipeline_profile_device device;
    int32_t status = pipeline_profile_sum_device(profile, &device);
    if (status != TRM_OK)
        return status;
    pipeline_writer_begin(&writer, write, user);
    if (format == TRM_PROFILE_TEXT)
        write_text(profile, &device, &writer);
    else if (format == TRM_PROFILE_JSON)
        write_json(profile, &device, &writer);
    else
        write_trace(profile, &writer);
    return pipeline_writer_end(&writer);
}
