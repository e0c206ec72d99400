/* vulkan backend: SPIR-V as the driver gets it, a rewritten copy of a module:
 *
 *     Descriptors (buffers, images, samplers, texel buffers) are in set 0; the binding is the index among
 *         those parameters, where an array counts as one. The core reflects the same parameters for all
 *         kernels of a module, so one numbering fits all.
 *     Uniform blocks become read-only storage buffers, so that there is one kind of descriptor, and the
 *         limits of uniform buffers do not apply.
 *     Instructions that only carry names for tools, and hints about values, are dropped, since they would
 *     need
 *         device extensions.
 *
 * The words are valid and in host byte order: the core has checked them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_SHADER_H
#define BACKENDS_VULKAN_SPIRV_SHADER_H

#include <stdbool.h>
#include <stdint.h>

#include <trireme/backend_util.h>

struct trm_backend_device;
struct trm_backend_instance;
struct trm_module_source;

/* Is it the number of an array's elements, which the shader does not ask for? */
static inline bool vulkan_is_count(const struct trm_parameter *parameter)
{
    return parameter->kind == TRM_PARAMETER_SCALAR && parameter->set == UINT32_MAX;
}

struct vulkan_shader {
    uint32_t *words;
    uint64_t count;    /* words */
    uint64_t capacity; /* words allocated */
};

/* Errors: OUT_OF_HOST_MEMORY. */
int32_t vulkan_shader_create(const struct trm_backend_instance *instance,
                             const struct trm_module_source *source, struct vulkan_shader *shader);
/* Is the texel buffer at this binding one that the kernel may write (a storage texel buffer)? The reflection
 * does not tell them apart. */
bool vulkan_shader_stores_texels(const struct vulkan_shader *shader, uint32_t binding);

/* May the kernels reach memory through addresses (buffer references)? */
bool vulkan_shader_has_addresses(const struct vulkan_shader *shader);

void vulkan_shader_release(const struct trm_backend_instance *instance, struct vulkan_shader *shader);

/* The name of entry point number `index`, inside of the words; NULL after the last. Lives as long as the
 * words. */
const char *vulkan_shader_entry(const struct vulkan_shader *shader, uint32_t index);

/* capability.c: TRM_OK, or UNSUPPORTED, naming what the device lacks. */
int32_t vulkan_capabilities_check(const struct trm_backend_device *device,
                                  const struct trm_module_source *source);

#endif
