/* Trireme: element and scalar types.
 * SPDX-License-Identifier: MIT
 *
 * Unless a function says otherwise:
 *
 * type        any number
 * Blocks      no
 * Threads     any
 * Ownership   strings are static
 * Errors      none
 */
#ifndef TRIREME_TYPE_H
#define TRIREME_TYPE_H

#include <trireme/api.h>

TRM_API_BEGIN

enum trm_type {
    TRM_TYPE_NONE = 0,
    TRM_TYPE_U8   = 1,
    TRM_TYPE_I8   = 2,
    TRM_TYPE_U16  = 3,
    TRM_TYPE_I16  = 4,
    TRM_TYPE_F16  = 5,
    TRM_TYPE_U32  = 6,
    TRM_TYPE_I32  = 7,
    TRM_TYPE_F32  = 8,
    TRM_TYPE_U64  = 9,
    TRM_TYPE_I64  = 10,
    TRM_TYPE_F64  = 11,
    TRM_TYPE_BF16 =
        12, /* the upper half of an F32; elements of arrays and collectives, no kernel's parameter */
};

/* Get the bytes of one element of a type; 0 for TRM_TYPE_NONE and unknown types. */
TRM_API uint32_t trm_type_size(int32_t type);

/* Get the name of a type ("f32"); "none" for TRM_TYPE_NONE and unknown types. */
TRM_API const char *trm_type_name(int32_t type);

TRM_API_END

#endif
