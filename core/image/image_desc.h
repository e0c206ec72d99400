/* Descriptions of images: checked and completed.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_IMAGE_IMAGE_DESC_H
#define CORE_IMAGE_IMAGE_DESC_H

#include "core/image/image_object.h"

/* Copies the program's description, checks it and fills in sizes and usage. Errors: INVALID_ARGUMENT,
 * OUT_OF_RANGE, UNSUPPORTED. */
int32_t core_image_desc_complete(const struct core_device *device, const struct trm_image_desc *theirs,
                                 struct trm_image_desc *desc);

/* The name of a type for sentences: "2D image". */
const char *core_image_type_name(int32_t type);

#endif
