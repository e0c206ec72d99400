/* vulkan backend: cooperative matrices, as a module has them and as the driver lists them.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_SPIRV_MATRICES_H
#define BACKENDS_VULKAN_SPIRV_MATRICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trm_backend_device;
struct trm_module_source;

/* A product that the driver supports: A of m by k times B of k by n plus C. Components are numbers of
 * VkComponentTypeNV. */
struct vulkan_matrix_row {
    uint32_t m, n, k;
    uint32_t a, b, c, result;
    uint32_t scope;
    bool saturates;
};

/* matrix_rows.c: the driver's list for VK_KHR_cooperative_matrix or VK_NV_cooperative_matrix; no rows where
 * it gives none. To be released by the caller. Errors: OUT_OF_HOST_MEMORY. */
int32_t vulkan_matrix_rows(const struct trm_backend_device *device, bool is_khr,
                           struct vulkan_matrix_row **rows, uint32_t *count);

/* Writes the first matrix or product of the module that the driver does not list; "": it lists all of them.
 * Errors: OUT_OF_HOST_MEMORY. */
int32_t vulkan_matrices_check(const struct trm_backend_device *device, const struct trm_module_source *source,
                              char *missing, size_t capacity);

#endif
