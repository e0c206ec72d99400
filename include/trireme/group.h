/* Trireme: groups of devices, and what exists once on each device of a group.
 *
 * A pipeline of a group (trm_group_pipeline_create()) passes its tokens over all devices of the group. It is
 * a struct trm_pipeline, and all functions of <trireme/pipeline.h> and <trireme/report.h> work with it. Where
 * its descriptor has a kernel or a buffer, it takes one of the group: a single handle for the kernel, or the
 * buffer, of each device.
 *
 *     trm_group_create(context, "cuda:0,cuda:1", &group);
 *     trm_group_kernel_named(group, "axpy", NULL, 0, &kernel);
 *     stage = trm_stage_launch(trm_group_stage_kernel(kernel), arguments, count, 0, 4);
 *     trm_group_pipeline_create(group, &desc, &pipeline);
 *     trm_pipeline_run(pipeline, &source, &sink);
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * group       the group, or for trm_group_create() receives it
 * kernel      the kernel of a group, or for a function that loads one receives it
 * buffer      the buffer of a group, or for trm_group_buffer_create() receives it
 * index       of a device in the group, from 0
 * Blocks      no
 * Threads     any
 * Ownership   a group keeps its devices open; its kernels, buffers and pipelines keep the group's devices
 *             open. The handles may be destroyed in any order
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_GROUP_H
#define TRIREME_GROUP_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/device.h>
#include <trireme/kernel.h>
#include <trireme/pipeline.h>

TRM_API_BEGIN

struct trm_group;
struct trm_group_kernel;
struct trm_group_buffer;

/* The most devices of a group. */
#define TRM_GROUP_DEVICES 16

/* Make a group of devices.
 *
 * context     in which the devices are opened
 * devices     ids as for trm_device_open(), separated by commas. "cuda:*" stands for all devices of a
 *             backend, "*" for all devices of all backends that the settings allow. NULL: the setting
 *             `devices` (TRIREME_DEVICES); where that is not set, the default device alone
 * Blocks      as trm_device_open()
 * Ownership   the caller destroys the group with trm_group_destroy()
 * Errors      as of trm_device_open(); NOT_FOUND when a pattern matches no device; INVALID_ARGUMENT for an
 *             empty name, or for a device that is named twice; OUT_OF_RANGE for more than TRM_GROUP_DEVICES
 */
TRM_API int32_t trm_group_create(struct trm_context *context, const char *devices, struct trm_group **group);

/* Destroy a group. Its devices stay open as long as other objects need them. */
TRM_API void trm_group_destroy(struct trm_group *group);

/* Get the number of devices.
 *
 * count       receives it
 */
TRM_API int32_t trm_group_size(struct trm_group *group, uint32_t *count);

/* Get a device of the group, for whatever is done on a single device.
 *
 * device      receives it
 * Ownership   the caller destroys the device with trm_device_destroy(); the group keeps it
 * Errors      OUT_OF_RANGE for the index
 */
TRM_API int32_t trm_group_device(struct trm_group *group, uint32_t index, struct trm_device **device);

/* ---- kernels -------------------------------------------------------------------------------- */

/* Load a kernel on every device of a group: from a module, or by the name of an installed kernel.
 *
 * desc        as for trm_module_load()
 * name        in the module; NULL: its only kernel. Of an installed kernel: its name
 * constants   `constant_count` specialization constants; NULL and 0: all have their defaults
 * Blocks      while code is compiled
 * Ownership   the caller destroys the kernel with trm_group_kernel_destroy()
 * Errors      as of trm_module_load(), trm_kernel_get() and trm_kernel_named(); the sentence names the device
 */
TRM_API int32_t trm_group_kernel_load(struct trm_group *group, const struct trm_module_desc *desc,
                                      const char *name, struct trm_group_kernel **kernel);
TRM_API int32_t trm_group_kernel_named(struct trm_group *group, const char *name,
                                       const struct trm_constant *constants, uint32_t constant_count,
                                       struct trm_group_kernel **kernel);

/* Destroy a kernel of a group. Pipelines keep what they use. */
TRM_API void trm_group_kernel_destroy(struct trm_group_kernel *kernel);

/* Get the kernel of one device.
 *
 * one         receives it
 * Ownership   the kernel belongs to the kernel of the group and ends with it
 * Errors      OUT_OF_RANGE for the index
 */
TRM_API int32_t trm_group_kernel_get(struct trm_group_kernel *kernel, uint32_t index,
                                     struct trm_kernel **one);

/* ---- buffers -------------------------------------------------------------------------------- */

/* Make a buffer on every device of a group, each with memory of its own.
 *
 * desc        as for trm_buffer_create_from(); its data goes to every device
 * Blocks      with TRM_BUFFER_ZEROED or data: until the buffers have their contents; else no
 * Ownership   the caller destroys the buffer with trm_group_buffer_destroy()
 * Errors      as of trm_buffer_create_from(); the sentence names the device
 */
TRM_API int32_t trm_group_buffer_create(struct trm_group *group, const struct trm_buffer_desc *desc,
                                        struct trm_group_buffer **buffer);

/* Destroy a buffer of a group. Pipelines keep what they use. */
TRM_API void trm_group_buffer_destroy(struct trm_group_buffer *buffer);

/* Get the buffer of one device.
 *
 * one         receives it
 * Ownership   the buffer belongs to the buffer of the group and ends with it
 * Errors      OUT_OF_RANGE for the index
 */
TRM_API int32_t trm_group_buffer_get(struct trm_group_buffer *buffer, uint32_t index,
                                     struct trm_buffer **one);

/* Write the same bytes into the buffer of every device that is not lost.
 *
 * offset      in bytes
 * data        `size` bytes; needed during the call only
 * Blocks      until the tasks of pools that use the bytes have ended, and these devices have the bytes. No
 *             other work (a pipeline, a collective, a stream) may use the buffer meanwhile
 * Errors      OUT_OF_RANGE beyond the buffer; INVALID_ARGUMENT when data is NULL and size is not 0; for a
 *             part of the buffer the failure of the task that wrote it (<trireme/group_pool.h>). Where
 *             writing fails on a device, the buffer is current only on those that were written. DEVICE_LOST
 *             when every device is lost; DEADLOCK in the function of a task that uses data of the group
 */
TRM_API int32_t trm_group_buffer_write(struct trm_group_buffer *buffer, uint64_t offset, const void *data,
                                       uint64_t size);

/* ---- pipelines ------------------------------------------------------------------------------ */

/* A kernel or a buffer of a group, as a member of a descriptor of trm_group_pipeline_create(), of a struct
 * trm_stream_task for a pool over the group, or of a struct trm_task for a coordinator over such a pool.
 * Every other function refuses it. */
static inline struct trm_kernel *trm_group_stage_kernel(struct trm_group_kernel *kernel)
{
    return (struct trm_kernel *)kernel;
}

static inline struct trm_buffer *trm_group_port_buffer(struct trm_group_buffer *buffer)
{
    return (struct trm_buffer *)buffer;
}

/* Make a pipeline over all devices of a group.
 *
 * A token is processed by one device. It goes to the device that is expected to finish it first, by the times
 * of earlier tokens and by what the device still has to do; a device that is so slow that the others finish
 * everything earlier gets the token by which it is measured, and now and then another one in case it has
 * become faster. Results come in the order of submission all the same, unless the pipeline is UNORDERED. The
 * report has a line for each device.
 *
 * When a device is lost, the other devices repeat the tokens that it had, as long as these can be repeated
 * (no host stage has begun, and no kernel may have changed inputs in place); the report says so. The pipeline
 * fails when no device is left.
 *
 * Host stages, sources and sinks are called as for one device: in the order of tokens. Strategy, pieces and
 * depth are each device's own.
 *
 * desc        as for trm_pipeline_create(), with trm_group_stage_kernel() as the kernel of stages and
 *             trm_group_port_buffer() as the buffer of shared ports and of spans in arguments, but not within
 *             trm_arg_array(); depth is that of each device. A group of one device also takes that device's
 *             kernels and buffers
 * pipeline    receives the pipeline
 * Blocks      as trm_pipeline_create()
 * Ownership   the caller destroys the pipeline with trm_pipeline_destroy()
 * Errors      as of trm_pipeline_create(); WRONG_DEVICE for a kernel or buffer of one device or of another
 *             group; INVALID_ARGUMENT for more than 64 slots on all devices together; UNSUPPORTED when a
 *             kernel writes an image, or a shared port that no join names (<trireme/join.h>): each device
 *             would have one of its own
 */
TRM_API int32_t trm_group_pipeline_create(struct trm_group *group, const struct trm_pipeline_desc *desc,
                                          struct trm_pipeline **pipeline);

TRM_API_END

#endif
