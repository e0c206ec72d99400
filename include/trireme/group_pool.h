/* Trireme: stream pools over groups of devices. Such a pool chooses the device of a task, too: the one that
 * is predicted to end it first, with the copies of data that it needs there.
 *
 * A task takes a kernel and buffers of the group (<trireme/group.h>), by trm_group_stage_kernel() and
 * trm_group_port_buffer(). A buffer of a group exists on each device; the pool keeps track of which of these
 * copies are current. It brings what a task reads to the device, and after a task that writes, the copy there
 * is the only current one. Tasks that use the same buffers come after one another as they were submitted,
 * where one of them writes; the program need not say so.
 *
 *     trm_group_create(context, "cuda:0,cpu", &group);
 *     trm_group_pool_create(group, NULL, &pool);
 *     task.kernel = trm_group_stage_kernel(kernel);
 *     trm_stream_pool_submit(pool, &task, &point);
 *     trm_group_buffer_read(buffer, 0, numbers, sizeof(numbers));
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * pool        the pool of a group, or for trm_group_pool_create() receives it
 * buffer      the buffer of a group
 * index       of a device in the group, from 0
 * Blocks      no
 * Threads     any
 * Ownership   a pool keeps its group's devices open
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_GROUP_POOL_H
#define TRIREME_GROUP_POOL_H

#include <trireme/api.h>
#include <trireme/group.h>
#include <trireme/stream_pool.h>

TRM_API_BEGIN

/* What a task does with a span of a buffer of a group. */
struct trm_group_use {
    struct trm_group_buffer *buffer;
    /* enum trm_access. WRITE alone: the task overwrites the whole span, so what was in it need not be brought
     * to the device. */
    uint32_t access;
    uint32_t reserved;
    uint64_t offset; /* bytes */
    uint64_t length; /* bytes; 0: to the end of the buffer */
};

/* Make a pool of streams over all devices of a group. trm_stream_pool_submit(), trm_stream_pool_predict(),
 * trm_stream_pool_get_stats() and trm_stream_pool_destroy() take it, and so does a coordinator
 * (trm_coordinator_desc.pool).
 *
 * Where a task's kernel or arguments are of the group, each device gets its own. Spans of buffers of the
 * group in arguments are used as the kernel's parameters say (a parameter that is written may keep some
 * bytes, so it counts as read, too); trm_stream_task.uses tells otherwise, and tells what a function
 * enqueues: what it says of a buffer replaces all that the arguments say of it. Only the bytes that a task
 * uses are moved and waited for. The pool keeps the state of up to 256 parts of a buffer; beyond that, a task
 * also counts as using the parts next to its span. A task that has a buffer of one device among its arguments
 * runs there. Tasks whose time on a device is not known are run there to be measured, twice, whether or not
 * these have ended when the next one is submitted; others go to a device whose time is known, or while there
 * is none to one that needs the fewest bytes copied. If the pool could not measure these two tasks, as on a
 * busy machine, it tries the device again, ever more rarely. A device that has not had a kind of task for a
 * hundred times as long as it would take is measured again.
 *
 * While the function of a task that uses data enqueues, other tasks that use data of the group wait. Within
 * it, submitting such tasks and reading or writing such buffers fails with DEADLOCK; those of another group
 * may be used, and the call fails so only where a function of that group waits for this one.
 *
 * desc        as for trm_stream_pool_create(); `least` and `most` are for each device
 * Ownership   the caller destroys the pool with trm_stream_pool_destroy()
 * Errors      as of trm_stream_pool_create(); the sentence names the device
 */
TRM_API int32_t trm_group_pool_create(struct trm_group *group, const struct trm_stream_pool_desc *desc,
                                      struct trm_stream_pool **pool);

/* Get the pool of one device, which lends streams and takes tasks for that device alone. The pool of the
 * group takes into account what it has to do. It does not keep track of data.
 *
 * one         receives it
 * Ownership   it belongs to the pool of the group and ends with it
 * Errors      OUT_OF_RANGE for the index; INVALID_ARGUMENT for the pool of a single device
 */
TRM_API int32_t trm_group_pool_get(struct trm_stream_pool *pool, uint32_t index,
                                   struct trm_stream_pool **one);

/* Find the device on which a stream of the pool is: for functions of tasks, which take buffers of that device
 * (trm_group_buffer_get()).
 *
 * index       receives it
 * Errors      NOT_FOUND for a stream of another pool; INVALID_ARGUMENT for the pool of a single device
 */
TRM_API int32_t trm_group_pool_find(struct trm_stream_pool *pool, struct trm_stream *stream, uint32_t *index);

/* ---- data ----------------------------------------------------------------------------------- */

/* Find the devices whose copies of a whole buffer are current, or will be when the tasks that were submitted
 * have ended; there may be none where tasks on several devices have written spans of it. A new buffer is
 * current everywhere, and trm_group_buffer_write() of the whole buffer makes it so but for lost devices.
 *
 * devices     receives bit i for device i
 * Blocks      while other calls submit tasks with buffers of the group, or wait for, read, write or move one
 */
TRM_API int32_t trm_group_buffer_current(struct trm_group_buffer *buffer, uint32_t *devices);

/* Read bytes of a buffer where it is current.
 *
 * offset      in bytes
 * data        receives `size` bytes
 * Blocks      until the tasks that write the bytes have ended, and the bytes are there
 * Errors      OUT_OF_RANGE beyond the buffer; INVALID_ARGUMENT when data is NULL and size is not 0; the
 *             failure of the task that wrote the bytes; DEADLOCK in the function of a task that uses data of
 *             the group
 */
TRM_API int32_t trm_group_buffer_read(struct trm_group_buffer *buffer, uint64_t offset, void *data,
                                      uint64_t size);

/* Bring the contents of a buffer to a device, for work there that no pool submits.
 *
 * Blocks      until the tasks that use the buffer have ended, and the device has its contents
 * Errors      OUT_OF_RANGE for the index; the failure of the task that wrote the buffer; DEADLOCK in the
 *             function of a task that uses data of the group
 */
TRM_API int32_t trm_group_buffer_update(struct trm_group_buffer *buffer, uint32_t index);

/* Say that the program has written the buffer of one device, not by a pool: its copy becomes the only current
 * one, also after a task has failed. That work has ended.
 *
 * Blocks      until the tasks that use the buffer have ended
 * Errors      OUT_OF_RANGE for the index; DEADLOCK in the function of a task that uses data of the group
 */
TRM_API int32_t trm_group_buffer_changed(struct trm_group_buffer *buffer, uint32_t index);

TRM_API_END

#endif
