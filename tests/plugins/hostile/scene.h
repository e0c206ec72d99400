/* A program that uses the hostile backend: objects on it, and for each of its slots a call of the library
 * that needs that slot. Without Check, since a fuzzer uses it too.
 * SPDX-License-Identifier: MIT
 */
#ifndef HOSTILE_SCENE_H
#define HOSTILE_SCENE_H

#include <stddef.h>
#include <trireme/trireme.h>

#include "hostile.h"

enum {
    SCENE_BYTES = 4096
};

struct scene {
    struct hostile_control *control;
    struct trm_context *context;
    struct trm_device *devices[2];
    struct trm_stream *streams[2]; /* of devices[0] */
    struct trm_buffer *buffers[2]; /* one on each device */
    struct trm_buffer *unified, *shared;
    struct trm_module *module;
    struct trm_kernel *kernel;
    struct trm_graph *graph;
    struct trm_graph_exec *exec;
    struct trm_semaphore *semaphore;
    struct trm_image *image;
    struct trm_event *events[2];
    unsigned char bytes[SCENE_BYTES];
    void *spirv; /* a portable module */
    size_t spirv_bytes;
    const char *folder; /* for files */
};

/* Makes all objects. A failure leaves those that are not there NULL; scene_close() takes what there is. */
int32_t scene_open(struct scene *scene);
void scene_close(struct scene *scene);

/* 4 x 4 texels of four bytes. */
extern const struct trm_image_desc scene_image_desc;

/* The module with the kernel "nothing". */
extern const struct trm_module_desc scene_module_desc;

/* A call that needs a slot. It leaves the scene as it was, but for streams that fail. */
struct use {
    enum hostile_slot slot;
    const char *name;                     /* of the slot, as the library's sentences have it */
    int32_t (*run)(struct scene *scene);  /* the status that the program sees */
    void (*prepare)(struct scene *scene); /* NULL, or changes tables before the context is made */
    void (*before)(struct scene *scene);  /* NULL, or sets answers of other slots */
};

extern const struct use scene_uses[];
extern const size_t scene_use_count;

#endif
