/* Trireme: typed arrays, a buffer with an element type and a count. Synchronous convenience over
 * buffers and copies.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_ARRAY_H
#define TRIREME_ARRAY_H

#include <trireme/api.h>
#include <trireme/type.h>

TRM_API_BEGIN

/* Make an array of `count` elements of `type` (enum trm_type) in memory of `kind` (enum
 * trm_memory_kind).
 *
 * data        count elements to start with; NULL: all zero
 * Blocks      until the contents are there      Ownership  trm_array_destroy()
 * Errors      OUT_OF_RANGE when count × size overflows or exceeds the device; INVALID_ARGUMENT for
 *             no such type
 */
TRM_API int32_t trm_array_create(struct trm_device *device, int32_t type, uint64_t count, int32_t kind,
                                 const void *data, struct trm_array **array);
TRM_API void trm_array_destroy(struct trm_array *array);

TRM_API int32_t trm_array_type(struct trm_array *array, int32_t *type);
TRM_API int32_t trm_array_count(struct trm_array *array, uint64_t *count);

/* Size in bytes. */
TRM_API int32_t trm_array_bytes(struct trm_array *array, uint64_t *bytes);

/* The buffer behind the array, for copies and launches on streams. Not a new reference: it dies
 * with the array. */
TRM_API int32_t trm_array_buffer(struct trm_array *array, struct trm_buffer **buffer);

/* Copy `count` elements of `type` from the host to element `first` on, or back; wait until done.
 * Errors      TYPE_MISMATCH when `type` is not the array's; OUT_OF_RANGE */
TRM_API int32_t trm_array_upload(struct trm_array *array, int32_t type, uint64_t first, uint64_t count,
                                 const void *data);
TRM_API int32_t trm_array_download(struct trm_array *array, int32_t type, uint64_t first, uint64_t count,
                                   void *data);

/* Copy all elements; both have the same type and count. Waits until done. */
TRM_API int32_t trm_array_copy(struct trm_array *destination, struct trm_array *source);

TRM_API_END

#endif
