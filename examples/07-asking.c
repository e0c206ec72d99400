/* Events: how long did the device take, and is it done yet?
 *
 * New here: events with timing, asking without blocking, waiting with a time-out.
 * SPDX-License-Identifier: MIT
 */
#include "example.h"

enum {
    SIZE = 16 << 20
};

int main(void)
{
    struct trm_context *context;
    struct trm_device *device;
    struct trm_stream *stream;
    struct trm_buffer *buffer;
    struct trm_event *start, *end;
    int64_t nanoseconds;
    int32_t status;

    must(trm_context_create(NULL, &context));
    must(trm_device_open(context, NULL, &device));
    must(trm_stream_create(device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    must(trm_buffer_create(device, TRM_MEMORY_DEVICE, SIZE, &buffer));

    /* An event holds a point. With TRM_EVENT_TIMING it also takes the device's time there. */
    must(trm_event_create(device, TRM_EVENT_TIMING, &start));
    must(trm_event_create(device, TRM_EVENT_TIMING, &end));
    must(trm_event_record(start, stream));
    must(trm_fill(stream, trm_span_whole(buffer), 0, 8));
    must(trm_event_record(end, stream));

    /* Asking never blocks: the answer is TRM_OK, or TRM_ERROR_TIMEOUT for "not yet". */
    status = trm_event_done(end);
    printf("right after enqueueing: %s\n", status == TRM_OK ? "done" : "not yet");
    expect(status == TRM_OK || status == TRM_ERROR_TIMEOUT, "one of the two answers");

    /* Wait for at most ten seconds. */
    must(trm_event_wait(end, UINT64_C(10000000000)));
    must(trm_event_done(end));
    must(trm_event_elapsed(start, end, &nanoseconds));
    expect(nanoseconds >= 0, "the end comes after the start");
    printf("filling %d MiB took %.3f ms\n", SIZE >> 20, (double)nanoseconds * 1e-6);

    trm_event_destroy(end);
    trm_event_destroy(start);
    trm_buffer_destroy(buffer);
    trm_stream_destroy(stream);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return 0;
}
