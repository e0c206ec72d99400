/* Images for the cases.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_IMAGES_H
#define CONFORMANCE_IMAGES_H

#include "harness.h"
#include "shaders.h"

#define LAST_FORMAT TRM_FORMAT_RG11B10_FLOAT

static inline struct trm_image_desc image_desc(int32_t type, int32_t format, uint32_t width, uint32_t height,
                                               uint32_t depth)
{
    struct trm_image_desc desc = {.struct_size = sizeof(desc),
                                  .type        = type,
                                  .format      = format,
                                  .width       = width,
                                  .height      = height,
                                  .depth       = depth};
    return desc;
}

/* NULL, with the reason printed, where the device has no images of that type and format. */
static inline struct trm_image *image_make(const struct trm_image_desc *desc)
{
    struct trm_image *image = NULL;
    int32_t status          = trm_image_create(the.device, desc, &image);
    if (status == TRM_ERROR_UNSUPPORTED) {
        skip(trm_last_error().sentence);
        return NULL;
    }
    ck_ok(status);
    ck_assert_ptr_nonnull(image);
    return image;
}

/* The kernel, or NULL, with the reason printed, where the device cannot have it. */
static inline struct trm_kernel *image_shader(const char *name, const struct trm_constant *constants,
                                              uint32_t count)
{
    struct trm_module_desc desc = shader_desc(name);
    struct trm_module *module   = NULL;
    struct trm_kernel *kernel   = NULL;
    desc.constants              = constants;
    desc.constant_count         = count;
    int32_t status              = trm_module_load(the.device, &desc, &module);
    if (status == TRM_ERROR_UNSUPPORTED) {
        skip(trm_last_error().sentence);
        return NULL;
    }
    ck_ok(status);
    ck_ok(trm_kernel_get(module, NULL, &kernel));
    trm_module_destroy(module);
    return kernel;
}

#endif
