/* An image as plain memory: where its levels are.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_IMAGE_IMAGE_PLAN_H
#define CORE_IMAGE_IMAGE_PLAN_H

#include <stdbool.h>
#include <trireme/image_layout.h>

/* Of an image's memory, and of its levels. */
#define CORE_IMAGE_ALIGNMENT UINT64_C(512)

/* Lays out an image whose description is complete; `*size` is all of its memory. False where 64 bits cannot
 * count it. */
bool core_image_plan(const struct trm_image_desc *desc, struct trm_image_layout *plan, uint64_t *size);

#endif
