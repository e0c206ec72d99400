/* vulkan backend: the arguments of a launch as descriptors, accesses and push constants.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_RECORD_ARGUMENTS_H
#define BACKENDS_VULKAN_RECORD_ARGUMENTS_H

#include "backends/vulkan/record/record.h"

#define VULKAN_CONSTANT_BYTES_MOST 1024u

struct vulkan_arguments {
    uint32_t descriptor_count, access_count;
    union vulkan_descriptor descriptors[VULKAN_MAX_ARGUMENTS];
    struct vulkan_access accesses[VULKAN_MAX_ARGUMENTS];
    unsigned char constants[VULKAN_CONSTANT_BYTES_MOST];
};

/* Whether shaders of the device reach the arguments: TRM_OK, or an explained error. */
int32_t vulkan_arguments_check(struct trm_backend_device *device, const struct trm_launch_desc *desc);

/* Describe the arguments, which have been checked. Records no commands. After a failure the recorder may have
 * more views of texel buffers than before. */
int32_t vulkan_arguments_take(struct vulkan_recorder *recorder, const struct trm_launch_desc *desc,
                              struct vulkan_arguments *arguments);

#endif
