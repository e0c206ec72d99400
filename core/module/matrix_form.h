/* The form of a kernel for devices with cooperative matrices (matrix_form.c).
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_MODULE_MATRIX_FORM_H
#define CORE_MODULE_MATRIX_FORM_H

#include <stdbool.h>

#include "base/base.h"
#include "core/object/object.h"

/* Describes the form that the device may take instead of the kernel of this name; its bytes are in the arena,
 * and so is `stem`, its path without ".spv", beside which the backend may find code for it. False: there is
 * none. */
bool core_matrix_form_find(struct trm_device *device, struct core_context *context, struct base_arena *arena,
                           const struct trm_module_desc *named, struct trm_module_desc *form,
                           const char **stem);

#endif
