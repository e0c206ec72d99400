/* Element types by name.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_TYPE_H
#define BASE_TYPE_H

#include <stdint.h>

#include <trireme/type.h>

/* The type of a name such as "f32"; TRM_TYPE_NONE: there is none. */
int32_t base_type_parse(const char *name);

#endif
