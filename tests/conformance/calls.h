/* Every function that takes a handle, as a list: for cases that give each of them a wrong one.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_CALLS_H
#define CONFORMANCE_CALLS_H

#include "harness.h"

enum handle_type {
    OF_CONTEXT,
    OF_DEVICE,
    OF_STREAM,
    OF_EVENT,
    OF_BUFFER,
    OF_ARRAY,
    OF_MODULE,
    OF_KERNEL,
    OF_GRAPH,
    OF_GRAPH_EXEC,
    OF_SEMAPHORE,
    OF_SHADER,
    OF_COORDINATOR,
    OF_PIPELINE,
    OF_IMAGE,
    OF_SAMPLER,
    OF_GROUP, /* from here on what is made over a group or belongs to the pipeline layer */
    OF_GROUP_KERNEL,
    OF_GROUP_BUFFER,
    OF_STREAM_POOL,
    OF_COLLECTIVE,
    OF_PROFILE,
    HANDLE_TYPES,
};

/* One live object of each type; NULL where the device takes no kernels, or has no semaphores. The group has
 * one device, on which all the others are. */
struct objects {
    void *handles[HANDLE_TYPES];
    struct trm_stream_pool *group_pool; /* a stream pool over the group */
};

/* Objects on a device and context of their own. */
void objects_make(struct objects *objects);
void objects_destroy(struct objects *objects);

/* Ends the group, what is made over it, the pool and the profile. */
void objects_destroy_groups(struct objects *objects);

/* Another object of a type from OF_GROUP on, with the others of `objects`. NULL: the device takes no
 * kernels. */
void *make_of_group(enum handle_type type, const struct objects *objects);

/* 4 x 4 texels of rgba8; nearest, clamped. */
extern const struct trm_image_desc small_image;
extern const struct trm_sampler_desc plain_sampler;
void make_small_image(struct trm_device *device, struct trm_image **image);
void make_plain_sampler(struct trm_device *device, struct trm_sampler **sampler);

/* End the object of any type. */
void destroy_handle(enum handle_type type, void *handle);

struct call {
    const char *name;
    enum handle_type type;
    /* Calls it with this handle and, where it takes others, with the live ones of `others`. */
    int32_t (*make)(void *handle, const struct objects *others);
};

/* The call of a number from 0 on; NULL after the last one. */
const struct call *call_at(size_t index);

#endif
