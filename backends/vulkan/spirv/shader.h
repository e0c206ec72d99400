/* vulkan backend: SPIR-V as the driver gets it.
 *
 * A copy of a module's words in which
 *
 *     buffers are at set 0, each at the binding that is its place among the buffer parameters. The core reflects the same
 *         parameters for all kernels of a module, so there is one numbering for all of them
 *     uniform blocks are storage buffers that are only read: so there is one kind of descriptor, and neither the alignment
 *         nor the size of uniform buffers limits what may be given to a kernel
 *     nothing is left that only carries names for tools, which would need extensions of the device
 *
 * The words are valid and in this machine's order: the core has read them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_SHADER_H
#define BACKENDS_VULKAN_SPIRV_SHADER_H

#include <stdint.h>

struct trm_backend_device;
struct trm_backend_instance;
struct trm_module_source;

struct vulkan_shader {
    uint32_t *words;
    uint64_t count;    /* words */
    uint64_t capacity; /* words that were allocated */
};

/* Errors: OUT_OF_HOST_MEMORY. */
int32_t vulkan_shader_create(const struct trm_backend_instance *instance,
                             const struct trm_module_source *source, struct vulkan_shader *shader);
void vulkan_shader_release(const struct trm_backend_instance *instance, struct vulkan_shader *shader);

/* The name of entry point number `index`, in the words; NULL past the last. Lives as long as the words. */
const char *vulkan_shader_entry(const struct vulkan_shader *shader, uint32_t index);

/* capability.c: TRM_OK, or UNSUPPORTED naming what the module needs that the device has not. */
int32_t vulkan_capabilities_check(const struct trm_backend_device *device,
                                  const struct trm_module_source *source);

#endif
