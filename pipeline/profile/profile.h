/* The profile room: profiles of devices as objects, their sums, and their texts.
 *
 *     profile.c       the object            profile_sums.c   numbers from what streams recorded
 *     profile_text.c  text, JSON, trace
 *
 * An ended profile does not change any more.
 * SPDX-License-Identifier: MIT
 */
#ifndef PIPELINE_PROFILE_PROFILE_H
#define PIPELINE_PROFILE_PROFILE_H

#include <trireme/profile.h>

#include "core/object/object.h"
#include "core/stream/stream.h"

/* What the whole device did. */
struct pipeline_profile_device {
    uint64_t wall_ns; /* of the profile */
    uint64_t busy_ns; /* of all streams together, without waits */
    /* busy_ns / the time in which at least one stream was busy, in thousandths; 0: not every operation is
     * known with its times */
    uint64_t overlap;
    uint64_t peak_bytes;
};

/* Streams that enqueued something, and one of them in the order of their first calls. */
uint32_t pipeline_profile_count(const struct core_profile *profile);
const struct core_profile_result *pipeline_profile_at(const struct core_profile *profile, uint32_t index);

void pipeline_profile_sum(const struct core_profile_result *result, struct trm_profile_stream *stream);

/* Errors: OUT_OF_HOST_MEMORY. */
int32_t pipeline_profile_sum_device(const struct core_profile *profile,
                                    struct pipeline_profile_device *device);

/* Writes an ended profile. Errors: OUT_OF_HOST_MEMORY, those of `write`. */
int32_t pipeline_profile_write(const struct core_profile *profile, int32_t format, trm_write_fn write,
                               void *user);

#endif
