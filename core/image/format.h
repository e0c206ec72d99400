/* Formats of texels: what the core has to know of them.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_IMAGE_FORMAT_H
#define CORE_IMAGE_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <trireme/image.h>

/* False for TRM_FORMAT_NONE and unknown formats. */
bool core_format_is_known(int32_t format);

/* What a kernel reads texels of the format as: TRM_TYPE_F32, I32 or U32; NONE for unknown formats. */
int32_t core_format_type(int32_t format);

#endif
