/* Trireme: `trireme check` records events, and lets one stream wait for another.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/device.h"

#include <stdio.h>
#include <string.h>

enum {
    WORDS = 65536
};

#define PATTERN 0x01020304u /* what the memory is filled with */

struct events {
    struct trm_event *begin;
    struct trm_event *end;
    struct trm_stream *other;
    struct trm_buffer *buffer;
    uint32_t words[WORDS];
};

static int32_t make_objects(struct device_check *it, struct events *events)
{
    int32_t status = trm_event_create(it->device, TRM_EVENT_TIMING, &events->begin);

    if (status == TRM_OK)
        status = trm_event_create(it->device, TRM_EVENT_TIMING, &events->end);
    if (status == TRM_OK)
        status = trm_stream_create(it->device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &events->other);
    if (status == TRM_OK)
        status = trm_buffer_create(it->device, TRM_MEMORY_DEVICE, sizeof(events->words), &events->buffer);
    return status;
}

/* A fill between two events; another stream waits for the second one and downloads. */
static int32_t record(struct device_check *it, struct events *events)
{
    struct trm_span whole = trm_span_whole(events->buffer);
    int32_t status        = trm_event_record(events->begin, it->stream);

    if (status == TRM_OK)
        status = trm_fill(it->stream, whole, PATTERN, 4);
    if (status == TRM_OK)
        status = trm_event_record(events->end, it->stream);
    if (status == TRM_OK)
        status = trm_stream_wait_event(events->other, events->end);
    if (status == TRM_OK)
        status = trm_download(events->other, events->words, whole);
    if (status == TRM_OK)
        status = trm_stream_sync(events->other);
    return status == TRM_OK ? trm_event_wait(events->end, TRM_FOREVER) : status;
}

static void judge(struct device_check *it, struct events *events)
{
    int64_t elapsed = 0;

    for (uint32_t i = 0; i < WORDS; i++) {
        if (events->words[i] == PATTERN)
            continue;
        report_add(it->report, FINDING_FAILED, "events", device_remedy(it),
                   "a stream that waited for the event behind a fill read %#x as word %u instead of %#x",
                   events->words[i], i, PATTERN);
        return;
    }
    if (trm_event_elapsed(events->begin, events->end, &elapsed) != TRM_OK)
        report_failure(it->report, "events", "the time between two events cannot be read");
    else if (elapsed < 0)
        report_add(it->report, FINDING_FAILED, "events", "Profiles and reports of this device are wrong.",
                   "the second event was recorded %lld ns before the first one", (long long)-elapsed);
    else
        report_add(it->report, FINDING_OK, "events", NULL, "recorded, waited for by another stream, timed");
}

void device_check_events(struct device_check *it)
{
    static struct events events;

    memset(&events, 0, sizeof(events));
    report_begin(it->report, "recording events");
    if (make_objects(it, &events) != TRM_OK)
        report_failure(it->report, "events", "events and streams cannot be made");
    else if (record(it, &events) != TRM_OK)
        report_failure(it->report, "events", "work between two events failed");
    else
        judge(it, &events);
    trm_buffer_destroy(events.buffer);
    trm_stream_destroy(events.other);
    trm_event_destroy(events.end);
    trm_event_destroy(events.begin);
}
