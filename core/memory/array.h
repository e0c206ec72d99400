/* Typed arrays.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MEMORY_ARRAY_H
#define CORE_MEMORY_ARRAY_H

#include <trireme/array.h>

#include "core/memory/buffer.h"

struct core_array {
    struct core_object object;
    struct core_buffer *buffer; /* its own; a reference */
    int32_t type;
    uint64_t count;
};

#endif
