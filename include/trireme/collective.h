/* Trireme: collectives, operations over one span on each device of a group.
 *
 * A call enqueues work on one stream of each device and returns. The work of a device begins when all the
 * streams have come to the call, and later operations of a stream come after the call on all devices:
 * completion is marked, polled and waited for as of any work (trm_stream_mark(), trm_stream_sync()).
 *
 *     trm_collective_create(group, 0, &collective);
 *     trm_all_reduce(collective, streams, gradients, gradients, 1, TRM_TYPE_F32, TRM_REDUCE_AVERAGE);
 *
 * A call takes any number of spans of each device, such as the gradients of all layers. They stand together
 * by number: spans[number * devices + device]. The spans of one number have one length on all devices; others
 * may have another. Small spans of one call share launches and copies, where the devices allow it.
 *
 * The library has several ways of doing a collective: each device reads its peers' memory in a kernel, peers
 * copy, data goes through pinned host memory, or a library of the backend's does it (NCCL). The first calls
 * of an operation and size try the ways that the devices allow; later ones use the fastest. The setting
 * `collective.way` chooses one.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * collective  the collective, or for trm_collective_create() receives it
 * streams     one stream for each device of the group, in the group's order
 * inputs      `count` spans of each device, which are read
 * outputs     as many spans, which are written. An output may be the same span as the input of its number and
 *             device; apart from that no output shares memory with another span of the call
 * count       spans of each device; 0 does nothing
 * type        enum trm_type, of the elements: F16, BF16, F32, F64, I32 or I64
 * operation   enum trm_reduction
 * root        index of a device in the group
 * Blocks      as trm_stream_wait(); the first call of a type or size also while kernels are compiled and
 *             memory is allocated
 * Threads     any, one at a time for each of the streams
 * Ownership   enqueued work keeps the memory of its buffers, though their handles may be destroyed
 * Errors      those of every function (<trireme/api.h>); INVALID_ARGUMENT for lengths that differ or are not
 *             a multiple of the element, offsets that are not, an unknown operation, or a span that overlaps
 *             with an output; OUT_OF_RANGE for a span past the end of its buffer, or a root that the group
 *             does not have; WRONG_DEVICE for a stream or span of another device; UNSUPPORTED for another
 *             type, for a stream that records into a graph, or when `collective.way` names a way that the
 *             devices do not allow; the first failure of a stream, with a sentence that names the stream and
 *             its device. A call that is refused enqueues nothing, and all other streams can still be used:
 *             so when a stream is known to have failed before. When a stream fails, or a device is lost,
 *             once the call has begun to enqueue and before it is done, all its streams fail with that
 *             first cause, whether the call returns an error or not
 */
#ifndef TRIREME_COLLECTIVE_H
#define TRIREME_COLLECTIVE_H

#include <trireme/api.h>
#include <trireme/buffer.h>
#include <trireme/group.h>
#include <trireme/type.h>

TRM_API_BEGIN

struct trm_collective;

/* What becomes of the elements of all devices, in the order of the devices. Floats of 16 bits are combined as
 * F32 and rounded after at most four devices. The average of integers is the sum, divided and rounded towards
 * zero. A minimum or a maximum with a NaN is a NaN. NCCL, which does not do all of this, is used where it
 * differs in the order of the devices alone, unless the setting `collective.way` asks for it. */
enum trm_reduction {
    TRM_REDUCE_SUM     = 0,
    TRM_REDUCE_MINIMUM = 1,
    TRM_REDUCE_MAXIMUM = 2,
    TRM_REDUCE_AVERAGE = 3,
};

enum trm_collective_flags {
    /* The same calls give the same bits in every run: the way depends on the operation and the sizes, not on
     * measured times. */
    TRM_COLLECTIVE_DETERMINISTIC = 1u << 0,
};

/* Make what collectives over the devices of a group need.
 *
 * flags       enum trm_collective_flags
 * Blocks      while the driver opens access between the devices
 * Ownership   the caller destroys the collective with trm_collective_destroy(); it keeps the group's devices
 * Errors      INVALID_ARGUMENT for unknown flags, or a `collective.way` that is no way
 */
TRM_API int32_t trm_collective_create(struct trm_group *group, uint32_t flags,
                                      struct trm_collective **collective);

/* Destroy a collective. What was sent and never received is dropped.
 *
 * Blocks      until its enqueued work is done
 */
TRM_API void trm_collective_destroy(struct trm_collective *collective);

/* Combine the inputs of all devices into the output of every device. */
TRM_API int32_t trm_all_reduce(struct trm_collective *collective, struct trm_stream *const *streams,
                               const struct trm_span *outputs, const struct trm_span *inputs, uint32_t count,
                               int32_t type, int32_t operation);

/* Combine the inputs of all devices into outputs of one device.
 *
 * outputs     `count` spans of the device `root`
 */
TRM_API int32_t trm_reduce(struct trm_collective *collective, struct trm_stream *const *streams,
                           const struct trm_span *outputs, const struct trm_span *inputs, uint32_t count,
                           int32_t type, int32_t operation, uint32_t root);

/* Combine the inputs of all devices, and give each device its part: of an output of n bytes, device d gets
 * the bytes from d * n on.
 *
 * inputs      each has as many times the length of its output as there are devices. An output may be its own
 *             device's part of the input
 */
TRM_API int32_t trm_reduce_scatter(struct trm_collective *collective, struct trm_stream *const *streams,
                                   const struct trm_span *outputs, const struct trm_span *inputs,
                                   uint32_t count, int32_t type, int32_t operation);

/* Copy the spans of one device to those of all others.
 *
 * spans       `count` spans of each device; those of the device `root` are read
 */
TRM_API int32_t trm_broadcast(struct trm_collective *collective, struct trm_stream *const *streams,
                              const struct trm_span *spans, uint32_t count, uint32_t root);

/* Put the inputs of all devices side by side into the output of every device: from an input of n bytes, that
 * of device d comes to the bytes from d * n on.
 *
 * outputs     each has as many times the length of its input as there are devices. An input may be its own
 *             device's part of the output
 */
TRM_API int32_t trm_all_gather(struct trm_collective *collective, struct trm_stream *const *streams,
                               const struct trm_span *outputs, const struct trm_span *inputs, uint32_t count);

/* Send part d of each device's input to device d, where the part from device s becomes part s of the output.
 *
 * inputs, outputs  spans of the same length, a multiple of the number of devices; they do not overlap
 */
TRM_API int32_t trm_all_to_all(struct trm_collective *collective, struct trm_stream *const *streams,
                               const struct trm_span *outputs, const struct trm_span *inputs, uint32_t count);

/* Send a span from one device to another, for trm_recv(). The call does not wait for it: the span is copied,
 * and later operations of the stream may change it.
 *
 * source      index of the device that sends
 * target      index of the device that receives; may be the same
 * stream      a stream of the device that sends
 * span        what is sent
 * Errors      OUT_OF_RANGE for an index; OUT_OF_DEVICE_MEMORY for the copy
 */
TRM_API int32_t trm_send(struct trm_collective *collective, uint32_t source, uint32_t target,
                         struct trm_stream *stream, struct trm_span span);

/* Receive what one device has sent to another: of several, the first.
 *
 * source      index of the device that sends
 * target      index of the device that receives
 * stream      a stream of the device that receives
 * span        as long as the span that was sent
 * timeout_ns  how long to wait for a call of trm_send() on another thread; 0: it must have been made
 * Blocks      until trm_send() has been called
 * Errors      OUT_OF_RANGE for an index; TIMEOUT when nothing was sent; INVALID_ARGUMENT for another length,
 *             after which it can still be received
 */
TRM_API int32_t trm_recv(struct trm_collective *collective, uint32_t source, uint32_t target,
                         struct trm_stream *stream, struct trm_span span, uint64_t timeout_ns);

TRM_API_END

#endif
