/* Profiles as text of one screen: 24 lines of 80 columns.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "pipeline/profile/profile.h"

/* Lines beyond these are left out, so that the text fits on a screen. */
#define MOST_STREAMS 6u
#define MOST_KERNELS 3u
#define MOST_RANGES 3u
#define MOST_DEVICES 3u

static uint64_t copies(const uint64_t *values)
{
    return values[TRM_PROFILE_UPLOAD] + values[TRM_PROFILE_DOWNLOAD] + values[TRM_PROFILE_COPY] +
           values[TRM_PROFILE_FILL];
}

static uint64_t kernels(const uint64_t *values)
{
    return values[TRM_PROFILE_LAUNCH] + values[TRM_PROFILE_GRAPH];
}

/* "-": nothing was timed, or there was nothing. */
static const char *time_of(char text[32], uint64_t nanoseconds)
{
    return nanoseconds != 0 ? pipeline_time_text(text, 32, (double)nanoseconds) : "-";
}

/* ---- devices ---------------------------------------------------------------------------------------- */

static void write_times(struct pipeline_writer *writer, const struct trm_profile_device *device)
{
    char busy[32], kernel[32], copy[32], peak[32];
    pipeline_writef(writer, "busy %s; overlap ",
                    time_of(busy, kernels(device->busy_ns) + copies(device->busy_ns)));
    if (device->active_ns != 0) {
        pipeline_write_scaled(writer, device->overlap, 3);
        pipeline_writef(writer, "; kernels %s, copies %s", time_of(kernel, device->kernels_ns),
                        time_of(copy, device->copies_ns));
    } else {
        pipeline_write(writer,
                       device->operations != 0 ? "unknown (not all are timed)" : "unknown (nothing ran)");
    }
    pipeline_bytes_text(peak, sizeof(peak), device->peak_bytes);
    pipeline_writef(writer, "; memory %s\n", peak);
}

static int32_t write_head(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    struct trm_profile_device device;
    char wall[32];
    int32_t status = pipeline_profile_sum_device(view, TRM_PROFILE_ALL, &device);
    pipeline_time_text(wall, sizeof(wall), (double)device.wall_ns);
    if (view->device_count == 1)
        pipeline_writef(writer, "profile of %.40s", device.id);
    else
        pipeline_writef(writer, "profile of %" PRIu32 " devices", view->device_count);
    pipeline_writef(writer, ": %s, %" PRIu32 " stream%s\n", wall, view->stream_count,
                    base_plural(view->stream_count));
    write_times(writer, &device);
    for (uint32_t i = 0; status == TRM_OK && view->device_count > 1 && i < view->device_count; i++) {
        if (i == MOST_DEVICES) {
            pipeline_writef(writer, "and %" PRIu32 " more devices\n", view->device_count - i);
            break;
        }
        status = pipeline_profile_sum_device(view, i, &device);
        pipeline_writef(writer, "%.12s: ", device.id);
        write_times(writer, &device);
    }
    return status;
}

/* A name of the program's: characters that would break the line become question marks. */
static void make_plain(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            *text = '?';
}

/* ---- streams ---------------------------------------------------------------------------------------- */

/* The stream that is waited for the longest, "host" or "driver"; "-": nothing is. */
static void write_longest_wait(struct pipeline_writer *writer, const struct core_profile_result *result)
{
    const struct core_profile_subject *wait = pipeline_profile_wait(result, 0);
    if (wait == NULL)
        pipeline_write(writer, "     -");
    else if (wait->wait.stream != 0)
        pipeline_writef(writer, " %5" PRIu32, wait->wait.stream);
    else
        pipeline_write(writer, wait->wait.kind == TRM_PROFILE_WAIT_CALLBACK ? "  host" : " other");
}

/* "3 upload"; with several devices "3 cpu:1 upload", cut at the width of the column, which the number always
 * fits into. */
static void name_stream(const struct pipeline_profile_view *view, const struct trm_profile_stream *stream,
                        char *text, size_t capacity)
{
    const struct core_profile_part *part =
        view->device_count > 1 ? pipeline_profile_part(view->profile, stream->device) : NULL;
    snprintf(text, capacity, "%" PRIu32 " %s%s%s", stream->number, part != NULL ? part->device_id : "",
             part != NULL ? " " : "", stream->name);
    make_plain(text);
}

static void write_stream(const struct pipeline_profile_view *view, const struct pipeline_profile_entry *entry,
                         struct pipeline_writer *writer)
{
    struct trm_profile_stream stream;
    char kernel[32], copy[32], wait[32], idle[32], p50[32], p99[32], name[80 + sizeof(stream.name)];
    pipeline_profile_sum(entry, &stream);
    name_stream(view, &stream, name, sizeof(name));
    pipeline_writef(writer, "%-12.12s %7" PRIu64 " %8.8s %8.8s %8.8s", name, stream.operations,
                    time_of(kernel, kernels(stream.busy_ns)), time_of(copy, copies(stream.busy_ns)),
                    time_of(wait, stream.busy_ns[TRM_PROFILE_WAIT]));
    write_longest_wait(writer, entry->result);
    pipeline_writef(writer, " %8.8s %8.8s %8.8s\n", time_of(idle, stream.idle_ns),
                    time_of(p50, stream.ran.p50_ns), time_of(p99, stream.ran.p99_ns));
}

static void write_streams(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    pipeline_write(writer,
                   "\nstream           ops  kernels   copies  waiting   for     idle  run p50  run p99\n");
    for (uint32_t i = 0; i < view->stream_count && i < MOST_STREAMS; i++)
        write_stream(view, &view->streams[i], writer);
    if (view->stream_count > MOST_STREAMS)
        pipeline_writef(writer, "and %" PRIu32 " more streams\n", view->stream_count - MOST_STREAMS);
}

/* ---- kernels and ranges
 * ---------------------------------------------------------------------------------------- */

static void write_named(struct pipeline_writer *writer, const struct pipeline_profile_named *named,
                        uint64_t spent)
{
    char time[32], each[32], name[40];
    snprintf(name, sizeof(name), "%.34s", named->name);
    make_plain(name);
    pipeline_time_text(each, sizeof(each), (double)spent / (double)named->count);
    pipeline_writef(writer, "%-34s %9" PRIu64 " %9.9s  %s\n", name, named->count, time_of(time, spent),
                    spent != 0 ? each : "-");
}

static void write_kernels(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    if (view->kernel_count != 0)
        pipeline_write(writer, "\nkernel                              launches      time  each\n");
    for (uint32_t i = 0; i < view->kernel_count && i < MOST_KERNELS; i++)
        write_named(writer, &view->kernels[i], view->kernels[i].busy_ns);
    if (view->kernel_count > MOST_KERNELS)
        pipeline_writef(writer, "and %" PRIu32 " more kernels\n", view->kernel_count - MOST_KERNELS);
}

static void write_ranges(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    if (view->range_count != 0)
        pipeline_write(writer, "\nrange                                  times      time  each\n");
    for (uint32_t i = 0; i < view->range_count && i < MOST_RANGES; i++)
        write_named(writer, &view->ranges[i], view->ranges[i].span_ns);
    if (view->range_count > MOST_RANGES)
        pipeline_writef(writer, "and %" PRIu32 " more ranges\n", view->range_count - MOST_RANGES);
}

/* ---- advice ----------------------------------------------------------------------------------------- */

static void write_advice(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    struct trm_profile_advice advice;
    char gain[32], text[320], reason[300];
    if (!pipeline_profile_advise(view, 0, &advice)) {
        pipeline_profile_no_advice(view, reason, sizeof(reason));
        if (reason[0] == '\0')
            return;
        snprintf(text, sizeof(text), "No advice: %s", reason);
        pipeline_write(writer, "\n");
        pipeline_write_wrapped(writer, text, 0, 0);
        return;
    }
    for (uint32_t i = 0; i < MOST_DEVICES && pipeline_profile_advise(view, i, &advice); i++) {
        pipeline_number_text(gain, sizeof(gain), advice.gain, 2);
        snprintf(text, sizeof(text), "Advice: %s: %s x.", advice.sentence, gain);
        pipeline_write(writer, i == 0 ? "\n" : "");
        pipeline_write_wrapped(writer, text, 0, 0);
    }
}

int32_t pipeline_profile_write_text(const struct pipeline_profile_view *view, struct pipeline_writer *writer)
{
    int32_t status = write_head(view, writer);
    write_streams(view, writer);
    write_kernels(view, writer);
    write_ranges(view, writer);
    write_advice(view, writer);
    return status;
}

int32_t pipeline_profile_write(const struct core_profile *profile, int32_t format, trm_write_fn write,
                               void *user)
{
    struct pipeline_writer writer;
    struct pipeline_profile_view view;
    int32_t status = pipeline_profile_view_init(&view, profile);
    if (status != TRM_OK)
        return status;
    pipeline_writer_begin(&writer, write, user);
    if (format == TRM_PROFILE_TEXT)
        status = pipeline_profile_write_text(&view, &writer);
    else if (format == TRM_PROFILE_JSON)
        status = pipeline_profile_write_json(&view, &writer);
    else
        status = pipeline_profile_write_trace(&view, &writer);
    pipeline_profile_view_fini(&view);
    int32_t written = pipeline_writer_end(&writer);
    return status != TRM_OK ? status : written;
}
