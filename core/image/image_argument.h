/* Images, samplers and texel buffers as arguments of a launch.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_IMAGE_IMAGE_ARGUMENT_H
#define CORE_IMAGE_IMAGE_ARGUMENT_H

#include "core/image/image_object.h"

/* What an argument uses: at most an image and a sampler of the backend's, or two buffers of an image. */
#define CORE_IMAGE_SETS 2

/* Is it an image or a sampler? A texel buffer is a span. */
static inline bool core_argument_is_image(const struct trm_argument *argument)
{
    return argument->kind >= TRM_PARAMETER_IMAGE && argument->kind <= TRM_PARAMETER_SAMPLED_IMAGE;
}

/* Checks an argument that has the parameter's kind, IMAGE to SAMPLED_IMAGE, and describes it for the backend.
 * `objects` is the place of what argument->block points to, where the backend has images. `sets` are what the
 * launch is added to; NULL where there is none. Errors: those of handles; TYPE_MISMATCH, INVALID_ARGUMENT,
 * OUT_OF_RANGE, WRONG_DEVICE, in sentences that the caller completes with the argument's place. */
int32_t core_image_argument(const struct core_device *device, const struct trm_parameter *parameter,
                            const struct trm_argument *given, struct trm_launch_argument *argument,
                            struct trm_launch_image *objects, struct core_in_flight *sets[CORE_IMAGE_SETS]);

/* The part of these checks that needs no image, but its complete description: the type, the format, the usage
 * and the level that `given` names. `sampler`: NULL where there is none. */
int32_t core_image_check(const struct trm_parameter *parameter, const struct trm_argument *given,
                         const struct trm_image_desc *desc, const struct core_sampler *sampler);

/* The same as core_image_argument() of a texel buffer: checks the format and the place of a span that has
 * been resolved, and sets the argument's type and scalar. */
int32_t core_texels_argument(const struct trm_parameter *parameter, const struct trm_argument *given,
                             struct trm_launch_argument *argument);

#endif
