/* A check that every function with an output makes.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_OUTPUT_H
#define CORE_OBJECT_OUTPUT_H

#include "base/base.h"

/* Is there somewhere to write what `name` is called in the header? */
static inline int32_t core_output_check(const void *output, const char *name)
{
    if (__builtin_expect(output != NULL, 1))
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "there is nowhere to write the result: %s is NULL", name);
}

#endif
