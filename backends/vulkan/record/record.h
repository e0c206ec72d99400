/* vulkan backend: the record room: records operations as commands, with the barriers that they need, for
 * streams and graphs.
 *
 *     record.c       the recorder: barriers and copies
 *     fill.c         fills
 *     copy_image.c   copies of images
 *     launch.c       launches: what is bound, dispatches
 *     arguments.c    arguments of launches
 *     descriptors.c  pools of descriptors, and views of texel buffers
 *     copy_kernel.c  copies with a kernel (copy.comp is its source, copy.inc its SPIR-V)
 *     access.c       hazards: which barrier is needed
 *
 * Operations of a stream appear to run in order, but operations on different bytes need no barrier. The
 * recorder remembers accesses (access.h) and puts one global memory barrier in front of an operation that
 * conflicts with them, for exactly the stages that conflict. Command buffers of a stream go to one queue in
 * order, so the accesses stay valid from one command buffer to the next.
 *
 * One thread at a time uses a recorder; a stream's recorder is used under the stream's lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_RECORD_RECORD_H
#define BACKENDS_VULKAN_RECORD_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include <trireme/backend.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/record/access.h"
#include "backends/vulkan/record/copy_kernel.h"
#include "backends/vulkan/record/descriptors.h"

/* vulkan_record_launch(): the descriptor pool is full; the next batch has a new one. */
#define VULKAN_RECORD_FULL 1

#define VULKAN_PUSHED_DESCRIPTORS 8u
#define VULKAN_PUSHED_BYTES 64u

union vulkan_descriptor {
    VkDescriptorBufferInfo buffer;
    VkDescriptorImageInfo image;
    VkBufferView texels;
};

/* What the last launch in the command buffer has pushed. Consecutive launches are often alike, and need not
 * push the same again. */
struct vulkan_pushed {
    VkPipelineLayout layout; /* null: nothing known */
    uint32_t count;          /* of descriptors; 0: unknown */
    uint32_t bytes;          /* 0: unknown */
    union vulkan_descriptor descriptors[VULKAN_PUSHED_DESCRIPTORS];
    unsigned char constants[VULKAN_PUSHED_BYTES];
};

struct vulkan_recorder {
    struct trm_backend_device *device;
    VkCommandBuffer command;
    bool can_compute; /* the family's queues run kernels */
    /* Stages that wrote to memory that the host can read; vulkan_record_end() makes it visible. */
    uint32_t host_written;
    VkPipeline bound; /* the pipeline that is bound */
    struct vulkan_pushed pushed;
    struct vulkan_descriptors *descriptors; /* of the command buffer */
    struct vulkan_pool_size pool_size;
    struct trm_backend_memory *scratch; /* patterns of fills; made when first needed */
    struct vulkan_accesses accesses;
};

/* Start with a new, open command buffer. Accesses of earlier ones on the same queue are kept. */
void vulkan_record_begin(struct vulkan_recorder *recorder, VkCommandBuffer command);

/* Before the command buffer is ended: make writes visible to the host. */
void vulkan_record_end(struct vulkan_recorder *recorder);

/* Order everything before against everything after. */
void vulkan_record_barrier_all(struct vulkan_recorder *recorder);
/* Commands that are recorded elsewhere may access anything: what follows needs a barrier. */
void vulkan_record_unknown_access(struct vulkan_recorder *recorder);
/* Forget all accesses, because a semaphore wait or the like orders them. */
void vulkan_record_clear_accesses(struct vulkan_recorder *recorder);

/* Free the recorder's memory. What it recorded has completed. */
void vulkan_record_fini(struct vulkan_recorder *recorder);

/* Operations between device memory; staging is up to the caller. On a failure nothing is recorded. */
int32_t vulkan_record_copy(struct vulkan_recorder *recorder, struct trm_backend_memory *destination,
                           uint64_t to, struct trm_backend_memory *source, uint64_t from, uint64_t size);
int32_t vulkan_record_copy_2d(struct vulkan_recorder *recorder, struct trm_backend_memory *destination,
                              uint64_t to, uint64_t destination_pitch, struct trm_backend_memory *source,
                              uint64_t from, uint64_t source_pitch, uint64_t width, uint64_t height);

/* copy_image.c: copy between an image and device memory. On a failure nothing is recorded. */
int32_t vulkan_record_copy_image(struct vulkan_recorder *recorder, const struct trm_image_copy_desc *desc);
int32_t vulkan_record_transfer_image(struct vulkan_recorder *recorder,
                                     const struct trm_image_transfer_desc *desc);
/* Bytes of memory from the first texel of a copy to its last. */
uint64_t vulkan_image_copy_extent(const struct trm_image_copy_desc *desc);
/* Replaces a host pointer by memory that the device reaches, if commands can copy texels from or to there. */
void vulkan_image_copy_find_host(const struct trm_backend_device *device, struct trm_image_copy_desc *desc);
/* Whether commands can copy texels from or to this place. */
bool vulkan_image_copy_reaches(const struct trm_image_copy_desc *desc,
                               const struct trm_backend_memory *memory, uint64_t offset);

/* fill.c */
int32_t vulkan_record_fill(struct vulkan_recorder *recorder, const struct trm_fill_desc *desc);

/* launch.c; can return VULKAN_RECORD_FULL. */
int32_t vulkan_record_launch(struct vulkan_recorder *recorder, const struct trm_launch_desc *desc);

/* launch.c: whether the device can run the launch: TRM_OK, or an explained error. */
int32_t vulkan_launch_check(struct trm_backend_device *device, const struct trm_launch_desc *desc);

/* launch.c: the same, and create the pipelines. */
int32_t vulkan_launch_prepare(struct trm_backend_device *device, const struct trm_launch_desc *desc);

/* Index of a queue's family in device->queues.families. */
uint32_t vulkan_family_index(const struct trm_backend_device *device, const struct vulkan_queue *queue);

/* Initialize the device's part; calls no driver. */
int32_t vulkan_record_init_device(struct trm_backend_device *device);
void vulkan_record_fini_device(struct trm_backend_device *device); /* before the heap is destroyed */

#endif
