/* The profile room: profiles of devices and contexts as objects, their sums, and their texts.
 *
 *     profile.c        the object             profile_calls.c  the functions that read one
 *     profile_view.c   its streams in order   profile_sums.c   numbers from what streams recorded
 *     profile_advice.c what to change
 *     profile_text.c   text                   profile_json.c   JSON            profile_trace.c  the trace
 *     profile_tasks.c  the tracks of tasks in it
 *
 * An ended profile does not change any more.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_PROFILE_PROFILE_H
#define PIPELINE_PROFILE_PROFILE_H

#include <trireme/profile.h>

#include "core/object/object.h"
#include "core/stream/stream.h"
#include "pipeline/report/report.h"

/* ---- the object (profile.c) ---- */

/* Creates and begins a profile of a device, or of all devices of the context (NULL). The caller publishes or
 * abandons it. Errors: BUSY, OUT_OF_HOST_MEMORY. */
int32_t pipeline_profile_create(struct core_context *context, struct core_device *device, uint32_t interval,
                                struct core_profile **profile);

/* ---- an ended profile in order (profile_view.c) ---- */

struct pipeline_profile_entry {
    const struct core_profile_result *result;
    uint32_t device; /* index of its part */
};

/* The kernels, or ranges, of one name. */
struct pipeline_profile_named {
    char name[64];
    uint64_t count, timed, busy_ns; /* of kernels: busy_ns is scaled to all */
    uint64_t span_ns;               /* of ranges */
};

struct pipeline_profile_view {
    struct core_context *context;
    const struct core_profile *profile;
    struct pipeline_profile_entry *streams; /* that enqueued something, in the order of their first calls */
    struct pipeline_profile_named *kernels, *ranges; /* those that took the longest first */
    uint32_t stream_count, kernel_count, range_count, device_count;
    uint32_t stream_capacity, kernel_capacity, range_capacity;
};

/* Errors: OUT_OF_HOST_MEMORY. */
int32_t pipeline_profile_view_init(struct pipeline_profile_view *view, const struct core_profile *profile);
void pipeline_profile_view_fini(struct pipeline_profile_view *view);

const struct core_profile_part *pipeline_profile_part(const struct core_profile *profile, uint32_t index);

/* ---- sums (profile_sums.c) ---- */

/* `value` of `part` operations, for all of them. */
uint64_t pipeline_profile_scale(uint64_t value, uint64_t all, uint64_t part);

void pipeline_profile_sum(const struct pipeline_profile_entry *entry, struct trm_profile_stream *stream);

/* The thing of this rank, by time, that a stream waited for; NULL: there are fewer. */
const struct core_profile_subject *pipeline_profile_wait(const struct core_profile_result *result,
                                                         uint32_t rank);

/* index: TRM_PROFILE_ALL: of all devices. Errors: OUT_OF_HOST_MEMORY. */
int32_t pipeline_profile_sum_device(const struct pipeline_profile_view *view, uint32_t index,
                                    struct trm_profile_device *device);

/* ---- advice (profile_advice.c) ---- */

/* False: there is less. */
bool pipeline_profile_advise(const struct pipeline_profile_view *view, uint32_t index,
                             struct trm_profile_advice *advice);

/* Why there is none, as a sentence, of the first device that did something; "": no device did anything. */
void pipeline_profile_no_advice(const struct pipeline_profile_view *view, char *text, size_t capacity);

/* ---- writing ---- */

extern const char *const pipeline_profile_words[TRM_PROFILE_WORKS];

/* "stream 3", "event 5", "a callback": what a wait was for. text: at least 48 bytes; returned. */
char *pipeline_profile_wait_text(char *text, size_t capacity, const struct core_wait *wait);

int32_t pipeline_profile_write_text(const struct pipeline_profile_view *view, struct pipeline_writer *writer);
int32_t pipeline_profile_write_json(const struct pipeline_profile_view *view, struct pipeline_writer *writer);
int32_t pipeline_profile_write_trace(const struct pipeline_profile_view *view,
                                     struct pipeline_writer *writer);

/* The tracks of tasks, whose threads are numbered from `thread` on. Errors: OUT_OF_HOST_MEMORY. */
int32_t pipeline_profile_write_tasks(const struct pipeline_profile_view *view, struct pipeline_writer *writer,
                                     uint32_t thread);

/* Writes an ended profile. Errors: OUT_OF_HOST_MEMORY, those of `write`. */
int32_t pipeline_profile_write(const struct core_profile *profile, int32_t format, trm_write_fn write,
                               void *user);

#endif
