/* vulkan backend: operations as commands, with the barriers that they need. For streams and for graphs.
 *
 * Operations of a stream run in order as far as anybody can see: what does not touch the same bytes needs no barrier between.
 * The recorder remembers accesses (access.h); an operation that conflicts with one of them gets one global memory barrier of
 * exactly the stages that conflict, in front of it. Command buffers of one stream go to one queue, so what is remembered
 * stays true from one to the next.
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

/* record_launch(): the pool of descriptor sets has no room; the next batch has. */
#define VULKAN_RECORD_FULL 1

#define VULKAN_PUSHED_BUFFERS 8u
#define VULKAN_PUSHED_BYTES 64u

/* What the last launch of the command buffer pushed, so that the next need not push the same: launches that follow each
 * other are often alike. */
struct vulkan_pushed {
    VkPipelineLayout layout; /* null: nothing that is known */
    uint32_t buffer_count;   /* 0: unknown */
    uint32_t bytes;          /* 0: unknown */
    VkDescriptorBufferInfo infos[VULKAN_PUSHED_BUFFERS];
    unsigned char constants[VULKAN_PUSHED_BYTES];
};

struct vulkan_recorder {
    struct trm_backend_device *device;
    VkCommandBuffer command;
    bool can_compute; /* the family's queues run kernels */
    bool
        after_host; /* the host may have written memory since the last submission: see vulkan_staging_upload() */
    uint32_t
        host_written; /* stages that wrote memory which the host sees: vulkan_record_end() makes it visible */
    VkPipeline bound; /* what the command buffer has bound */
    struct vulkan_pushed pushed;
    VkDescriptorPool
        *descriptors; /* where descriptor sets come from without push descriptors; made when first needed */
    uint32_t pool_sets, pool_buffers;   /* that such a pool has room for; 0: as suits a batch */
    struct trm_backend_memory *scratch; /* patterns for fills; made when first needed */
    struct vulkan_accesses accesses;
};

/* For a new command buffer that is open. What earlier ones of the same queue did is kept. */
void vulkan_record_begin(struct vulkan_recorder *recorder, VkCommandBuffer command);

/* Before the command buffer is ended: what was written is made visible to the host, where the host sees it. */
void vulkan_record_end(struct vulkan_recorder *recorder);

/* All before is to be seen by all behind, whatever they do: around what others recorded. */
void vulkan_record_barrier_all(struct vulkan_recorder *recorder);
/* Other commands come in between, and may touch anything: what comes behind them needs a barrier. */
void vulkan_record_unknown_access(struct vulkan_recorder *recorder);
/* Accesses that were made in front of a semaphore wait or of an order made otherwise: nothing is in flight. */
void vulkan_record_clear_accesses(struct vulkan_recorder *recorder);

/* The recorder is used no more, and what it recorded is complete. */
void vulkan_record_fini(struct vulkan_recorder *recorder);

/* Operations. Both sides are memory of the device here: staging is its caller's. Nothing is recorded on a failure. */
int32_t vulkan_record_copy(struct vulkan_recorder *recorder, struct trm_backend_memory *destination,
                           uint64_t to, struct trm_backend_memory *source, uint64_t from, uint64_t size);
int32_t vulkan_record_copy_2d(struct vulkan_recorder *recorder, struct trm_backend_memory *destination,
                              uint64_t to, uint64_t destination_pitch, struct trm_backend_memory *source,
                              uint64_t from, uint64_t source_pitch, uint64_t width, uint64_t height);

/* record_fill.c */
int32_t vulkan_record_fill(struct vulkan_recorder *recorder, const struct trm_fill_desc *desc);

/* record_launch.c. May answer VULKAN_RECORD_FULL. */
int32_t vulkan_record_launch(struct vulkan_recorder *recorder, const struct trm_launch_desc *desc);

/* record_launch.c: can the device run it? TRM_OK, or why not. */
int32_t vulkan_launch_check(struct trm_backend_device *device, const struct trm_launch_desc *desc);

/* record_launch.c: likewise, and the pipelines that it takes are made. */
int32_t vulkan_launch_prepare(struct trm_backend_device *device, const struct trm_launch_desc *desc);

/* The place of a queue's family among those of the device. */
uint32_t vulkan_family_index(const struct trm_backend_device *device, const struct vulkan_queue *queue);

/* With the device: cheap, nothing of the driver is made. */
int32_t vulkan_record_init_device(struct trm_backend_device *device);
void vulkan_record_fini_device(struct trm_backend_device *device); /* before its heap goes */

#endif
