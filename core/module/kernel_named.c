/* Installed kernels, by name.
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "base/base.h"
#include "core/module/kernel.h"
#include "core/object/object.h"

int32_t trm_kernel_named(struct trm_device *device, const char *name, const struct trm_constant *constants,
                         uint32_t constant_count, struct trm_kernel **kernel)
{
    struct trm_module *module;

    if (name == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "trm_kernel_named: `name` is NULL");
    struct trm_module_desc desc = {.struct_size    = sizeof(desc),
                                   .format         = TRM_MODULE_NAMED,
                                   .data           = name,
                                   .size           = strlen(name) + 1,
                                   .constants      = constants,
                                   .constant_count = constant_count};
    int32_t status              = core_output_check(kernel, "trm_kernel_named", "kernel");
    if (status == TRM_OK)
        status = trm_module_load(device, &desc, &module);
    if (status != TRM_OK)
        return status;
    status = trm_kernel_get(module, NULL, kernel);
    trm_module_destroy(module); /* the kernel keeps the module */
    return status;
}
