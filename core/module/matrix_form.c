/* A kernel's second form, NAME.matrix.spv beside NAME.spv, which multiplies with cooperative matrices and has
 * the same interface. A device that is no cpu gets that one if it takes it: a driver of Vulkan that lacks
 * them refuses the module, and a cpu is as fast without.
 * SPDX-License-Identifier: MIT
 */
#include "core/module/matrix_form.h"

#include <string.h>
#include <trireme/device.h>

#include "base/base.h"
#include "core/shader/shader.h"

#define FILE_MOST ((uint64_t)64 << 20)

static bool is_cpu(struct trm_device *device)
{
    uint64_t kind = TRM_DEVICE_CPU;

    return trm_device_get_u64(device, TRM_DEVICE_KIND, &kind) != TRM_OK || kind == TRM_DEVICE_CPU;
}

bool core_matrix_form_find(struct trm_device *device, struct core_context *context, struct base_arena *arena,
                           const struct trm_module_desc *named, struct trm_module_desc *form,
                           const char **stem)
{
    const char *path = NULL;

    if (named->format != TRM_MODULE_NAMED || memchr(named->data, 0, named->size) == NULL || is_cpu(device))
        return false;
    *form = *named;
    if (core_kernel_path_find(context, arena, named->data, &path) == TRM_OK)
        path = core_kernel_path_matrix(arena, path);
    if (path == NULL || base_read_file(arena, path, FILE_MOST, &form->data, &form->size) != 0)
        return false;
    form->format = TRM_MODULE_SPIRV;
    form->name   = named->name != NULL ? named->name : named->data;
    *stem        = base_arena_text(arena, path, strlen(path) - strlen(".spv"));
    return *stem != NULL;
}
