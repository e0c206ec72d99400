/* Profiles as JSON.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "pipeline/profile/profile.h"

const char *const pipeline_profile_words[TRM_PROFILE_WORKS] = {"upload", "download", "copy", "fill",
                                                               "launch", "graph",    "wait"};

static const char *const kinds[] = {"stream", "event", "callback", "semaphore", "native"};

/* ---- parts of an object ----------------------------------------------------------------------------- */

static void write_works(struct pipeline_writer *writer, const char *name, const uint64_t *values)
{
    pipeline_writef(writer, ",\"%s\":{", name);
    for (uint32_t i = 0; i < TRM_PROFILE_WORKS; i++)
        pipeline_writef(writer, "%s\"%s\":%" PRIu64, i == 0 ? "" : ",", pipeline_profile_words[i], values[i]);
    pipeline_write(writer, "}");
}

static void write_slots(struct pipeline_writer *writer, const char *name, const uint32_t *slots,
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

static void write_waits(struct pipeline_writer *writer, const struct core_profile_result *result)
{
    const struct core_profile_subject *wait;
    pipeline_write(writer, ",\"waits\":[");
    for (uint32_t i = 0; (wait = pipeline_profile_wait(result, i)) != NULL; i++)
        pipeline_writef(writer,
                        "%s{\"kind\":\"%s\",\"stream\":%" PRIu32 ",\"event\":%" PRIu32 ",\"count\":%" PRIu64
                        ",\"timed\":%" PRIu64 ",\"wait_ns\":%" PRIu64 "}",
                        i == 0 ? "" : ",", kinds[wait->wait.kind], wait->wait.stream, wait->wait.event,
                        wait->count, wait->timed,
                        pipeline_profile_scale(wait->busy_ns, wait->count, wait->timed));
    pipeline_write(writer, "]");
}

static void write_stream(struct pipeline_writer *writer, const struct pipeline_profile_entry *entry)
{
    struct trm_profile_stream stream;
    pipeline_profile_sum(entry, &stream);
    pipeline_writef(writer, "{\"number\":%" PRIu32 ",\"name\":", stream.number);
    pipeline_write_json(writer, stream.name);
    pipeline_writef(writer,
                    ",\"device\":%" PRIu32 ",\"operations\":%" PRIu64 ",\"timed\":%" PRIu64
                    ",\"span_ns\":%" PRIu64 ",\"idle_ns\":%" PRIu64 ",\"peak_bytes\":%" PRIu64,
                    stream.device, stream.operations, stream.timed, stream.span_ns, stream.idle_ns,
                    stream.peak_bytes);
    write_works(writer, "count", stream.count);
    write_works(writer, "bytes", stream.bytes);
    write_works(writer, "busy_ns", stream.busy_ns);
    write_slots(writer, "queued", entry->result->queued, &stream.queued);
    write_slots(writer, "ran", entry->result->ran, &stream.ran);
    write_waits(writer, entry->result);
    pipeline_write(writer, "}");
}

/* ---- devices and kernels ---------------------------------------------------------------------------- */

/* The members of a device, up to the end of the object. */
static void write_sum(struct pipeline_writer *writer, const struct trm_profile_device *device)
{
    uint64_t busy = 0;
    for (uint32_t i = 0; i < TRM_PROFILE_WAIT; i++)
        busy += device->busy_ns[i];
    pipeline_write(writer, "\"device\":");
    pipeline_write_json(writer, device->id);
    pipeline_writef(writer,
                    ",\"wall_ns\":%" PRIu64 ",\"busy_ns\":%" PRIu64 ",\"peak_bytes\":%" PRIu64
                    ",\"operations\":%" PRIu64 ",\"timed\":%" PRIu64,
                    device->wall_ns, busy, device->peak_bytes, device->operations, device->timed);
    if (device->active_ns == 0) {
        pipeline_write(writer, ",\"active_ns\":null,\"kernels_ns\":null,\"copies_ns\":null,\"overlap\":null");
        return;
    }
    pipeline_writef(writer,
                    ",\"active_ns\":%" PRIu64 ",\"kernels_ns\":%" PRIu64 ",\"copies_ns\":%" PRIu64
                    ",\"overlap\":",
                    device->active_ns, device->kernels_ns, device->copies_ns);
    pipeline_write_scaled(writer, device->overlap, 3);
}

static int32_t write_device(const struct pipeline_profile_view *view, struct pipeline_writer *writer,
                            uint32_t index)
{
    struct trm_profile_device device;
    int32_t status = pipeline_profile_sum_device(view, index, &device);
    if (status == TRM_OK)
        write_sum(writer, &device);
    return status;
}

static void write_kernels(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    pipeline_write(writer, ",\"kernels\":[");
    for (uint32_t i = 0; i < view->kernel_count; i++) {
        const struct pipeline_profile_named *kernel = &view->kernels[i];
        pipeline_write(writer, i == 0 ? "{\"name\":" : ",{\"name\":");
        pipeline_write_json(writer, kernel->name);
        pipeline_writef(writer, ",\"count\":%" PRIu64 ",\"timed\":%" PRIu64 ",\"busy_ns\":%" PRIu64 "}",
                        kernel->count, kernel->timed, kernel->busy_ns);
    }
    pipeline_write(writer, "]");
}

static void write_ranges(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    pipeline_write(writer, ",\"ranges\":[");
    for (uint32_t i = 0; i < view->range_count; i++) {
        const struct pipeline_profile_named *range = &view->ranges[i];
        pipeline_write(writer, i == 0 ? "{\"name\":" : ",{\"name\":");
        pipeline_write_json(writer, range->name);
        pipeline_writef(writer,
                        ",\"count\":%" PRIu64 ",\"operations\":%" PRIu64 ",\"busy_ns\":%" PRIu64
                        ",\"span_ns\":%" PRIu64 "}",
                        range->count, range->timed, range->busy_ns, range->span_ns);
    }
    pipeline_write(writer, "]");
}

/* Why there is no advice; null if there is some, or if no device did anything. */
static void write_no_advice(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    struct trm_profile_advice advice;
    char reason[320] = "";
    if (!pipeline_profile_advise(view, 0, &advice))
        pipeline_profile_no_advice(view, reason, sizeof(reason));
    if (reason[0] == '\0')
        pipeline_write(writer, "null");
    else
        pipeline_write_json(writer, reason);
}

static void write_advice(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    static const char *const advice_kinds[] = {
        [TRM_PROFILE_ADVICE_AHEAD]         = "ahead",
        [TRM_PROFILE_ADVICE_STREAMS]       = "streams",
        [TRM_PROFILE_ADVICE_STREAMS_AHEAD] = "streams and ahead",
    };
    struct trm_profile_advice advice;
    pipeline_write(writer, ",\"advice\":[");
    for (uint32_t i = 0; pipeline_profile_advise(view, i, &advice); i++) {
        pipeline_writef(writer,
                        "%s{\"kind\":\"%s\",\"stream\":%" PRIu32 ",\"device\":%" PRIu32
                        ",\"streams\":%" PRIu32 ",\"buffers\":%" PRIu32 ",\"gain\":",
                        i == 0 ? "" : ",", advice_kinds[advice.kind], advice.stream, advice.device,
                        advice.streams, advice.buffers);
        pipeline_write_number(writer, advice.gain, 3);
        pipeline_write(writer, ",\"sentence\":");
        pipeline_write_json(writer, advice.sentence);
        pipeline_write(writer, "}");
    }
    pipeline_write(writer, "],\"no_advice\":");
    write_no_advice(view, writer);
}

int32_t pipeline_profile_write_json(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    pipeline_write(writer, "{");
    int32_t status = write_device(view, writer, TRM_PROFILE_ALL);
    pipeline_write(writer, ",\"devices\":[");
    for (uint32_t i = 0; status == TRM_OK && i < view->device_count; i++) {
        pipeline_write(writer, i == 0 ? "{" : ",{");
        status = write_device(view, writer, i);
        pipeline_write(writer, "}");
    }
    pipeline_write(writer, "]");
    write_kernels(view, writer);
    write_ranges(view, writer);
    write_advice(view, writer);
    pipeline_write(writer, ",\"streams\":[");
    for (uint32_t i = 0; i < view->stream_count; i++) {
        pipeline_write(writer, i == 0 ? "" : ",");
        write_stream(writer, &view->streams[i]);
    }
    pipeline_write(writer, "]}\n");
    return status;
}
