/* What the cases of collectives share: a group of all devices of the backend under test with a stream of
 * each, and elements of all types as numbers.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_COLLECTIVES_H
#define CONFORMANCE_COLLECTIVES_H

#include "harness.h"

struct team {
    struct trm_context *context;
    struct trm_group *group;
    struct trm_collective *collective;
    uint32_t count;
    struct trm_device *devices[TRM_GROUP_DEVICES];
    struct trm_stream *streams[TRM_GROUP_DEVICES];
};

/* The values of the setting collective.way; "auto" first. */
#define WAYS 7u
extern const char *const ways[WAYS];

void team_open(struct team *team, const char *way, uint32_t flags);
void team_close(struct team *team);

/* Can kernels of each device take buffers of all others? */
bool team_reaches(const struct team *team);

/* Is the way done by kernels that access the memory of all devices? */
bool way_is_direct(const char *way);

/* Whether the way may refuse a call: where the kernels cannot access what it needs, or where there is no NCCL
 * (CONFORMANCE_NCCL in the environment: there is). */
bool way_may_refuse(const struct team *team, const char *way);

void team_sync(const struct team *team);

/* A buffer on each device. */
void team_buffers(const struct team *team, uint64_t size, struct trm_buffer *buffers[TRM_GROUP_DEVICES]);
void team_free(const struct team *team, struct trm_buffer *buffers[TRM_GROUP_DEVICES]);

/* Elements of any type that collectives combine. */
void element_write(int32_t type, void *memory, uint64_t index, double value);
double element_read(int32_t type, const void *memory, uint64_t index);

#endif
