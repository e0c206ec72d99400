/* Trireme: typed arrays. An array is a buffer with an element type and a count; its functions wait for what
 * they do.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * array       the array, or for trm_array_create() receives it
 * type        enum trm_type, of one element
 * count       elements
 * Blocks      no
 * Threads     any
 * Ownership   an array keeps its memory and its device alive
 * Errors      those of every function (<trireme/api.h>)
 */
#ifndef TRIREME_ARRAY_H
#define TRIREME_ARRAY_H

#include <trireme/api.h>
#include <trireme/type.h>

TRM_API_BEGIN

/* Make an array of `count` elements.
 *
 * device      where its memory is
 * type        enum trm_type; TRM_TYPE_NONE: that of the setting array.type, f32 unless it is set
 * kind        enum trm_memory_kind, except TRM_MEMORY_IMPORTED
 * data        count elements to start with; NULL: the elements are zero
 * Blocks      until the array has its contents
 * Ownership   the caller destroys the array with trm_array_destroy()
 * Errors      INVALID_ARGUMENT for an unknown type or kind; OUT_OF_RANGE when count times the element size
 *             overflows or exceeds TRM_DEVICE_MAX_BUFFER_BYTES; else as of trm_buffer_create_from()
 */
TRM_API int32_t trm_array_create(struct trm_device *device, int32_t type, uint64_t count, int32_t kind,
                                 const void *data, struct trm_array **array);

/* Destroy an array. The memory is freed when no enqueued work uses it any more. */
TRM_API void trm_array_destroy(struct trm_array *array);

/* Get the element type, or the number of elements. */
TRM_API int32_t trm_array_type(struct trm_array *array, int32_t *type);
TRM_API int32_t trm_array_count(struct trm_array *array, uint64_t *count);

/* Get the size in `bytes`. */
TRM_API int32_t trm_array_bytes(struct trm_array *array, uint64_t *bytes);

/* Get the `buffer` of an array, for copies and launches on streams.
 *
 * Ownership   the handle is not a new reference: trm_buffer_destroy() refuses it with INVALID_ARGUMENT. It is
 *             valid until the array is destroyed; trm_buffer_retain() keeps the buffer longer
 */
TRM_API int32_t trm_array_buffer(struct trm_array *array, struct trm_buffer **buffer);

/* Copy elements from the host into an array, or from an array to the host.
 *
 * type        must be the array's
 * first       number of the first element
 * data        host memory of `count` elements
 * Blocks      until work that was enqueued on the array's buffer is done, and then until the copy is
 * Errors      TYPE_MISMATCH; OUT_OF_RANGE past the end of the array; INVALID_ARGUMENT when data is NULL; the
 *             first failure of a stream that used the buffer; DEADLOCK inside a host callback that this work
 *             waits for
 */
TRM_API int32_t trm_array_upload(struct trm_array *array, int32_t type, uint64_t first, uint64_t count,
                                 const void *data);
TRM_API int32_t trm_array_download(struct trm_array *array, int32_t type, uint64_t first, uint64_t count,
                                   void *data);

/* Copy all elements of `source` to `destination`, which have the same type and count.
 *
 * Blocks      until work that was enqueued on either buffer is done, and then until the copy is
 * Errors      TYPE_MISMATCH for other types; OUT_OF_RANGE for other counts; WRONG_DEVICE for arrays of two
 *             contexts; the first failure of a stream that used one of the buffers; DEADLOCK as above
 */
TRM_API int32_t trm_array_copy(struct trm_array *destination, struct trm_array *source);

TRM_API_END

#endif
