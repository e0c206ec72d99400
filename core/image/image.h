/* Images and samplers.
 *
 *     image.c, image_object.h    an image's life; the functions that create, end and describe it
 *     image_desc.c               checks of a description; what it leaves out
 *     image_plan.c               an image as plain memory: where its levels are
 *     image_over.c               images whose texels are in a buffer of the program's
 *     image_copy.c               copies; image_region.c: the part of an image that is copied, and pitches
 *     image_argument.c           images, samplers and texel buffers as arguments of a launch
 *     sampler.c                  samplers
 *     format.c                   formats of texels
 *
 * A backend with a table for images (struct trm_image_ops) makes images and samplers of its own. With any
 * other an image is a buffer that begins with its layout (<trireme/image_layout.h>), its copies are copies of
 * rows, and a sampler is a few bits of a launch. The checks are the same.
 *
 * Threads: every function may be called on any thread at once, copies on one stream one at a time. The room
 * has no lock.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_IMAGE_IMAGE_H
#define CORE_IMAGE_IMAGE_H

#include "core/image/format.h"
#include "core/image/image_argument.h"
#include "core/image/image_desc.h"
#include "core/image/image_object.h"
#include "core/image/image_plan.h"

#endif
