/* The check of an output pointer, the same in every public function.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_OBJECT_OUTPUT_H
#define CORE_OBJECT_OUTPUT_H

#include "base/base.h"

/* INVALID_ARGUMENT when the parameter `name` of the public function `function`, which receives a result, is
 * NULL. */
static inline int32_t core_output_check(const void *output, const char *function, const char *name)
{
    if (LIKELY(output != NULL))
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT, "%s: `%s`, which receives the result, is NULL", function,
                     name);
}

#endif
