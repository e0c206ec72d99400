/* A check for public functions that cannot do without a descriptor.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_DESC_H
#define CORE_OBJECT_DESC_H

#include "base/base.h"
#include "core/object/abi.h"

/* Copies the caller's descriptor, a `struct name`, as core_struct_copy_in() does. INVALID_ARGUMENT when
 * it is NULL or its struct_size is too small. */
static inline int32_t core_desc_copy(void *ours, uint32_t our_size, const void *theirs, uint32_t least,
                                     const char *name)
{
    uint32_t size;

    if (theirs == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "the struct %s is NULL", name);
    if (LIKELY(core_struct_copy_in(ours, our_size, theirs, least)))
        return TRM_OK;
    memcpy(&size, theirs, sizeof(size));
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s.struct_size is %u, but its size is %u", name, size,
                     our_size);
}

#endif
