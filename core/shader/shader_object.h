/* A shader: portable code of a context, without a device.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SHADER_SHADER_OBJECT_H
#define CORE_SHADER_SHADER_OBJECT_H

#include "base/base.h"
#include "core/object/object.h"
#include "core/shader/shader_code.h"

struct core_shader_text;

struct core_shader {
    struct core_object object;
    struct core_shader_code code; /* without constants; constant once the shader is created */
    struct base_lock lock;        /* guards the list `texts`; its elements are constant */
    struct core_shader_text *texts;
};

static inline struct core_shader *core_shader_find(struct trm_shader *handle)
{
    return core_object_find(handle, CORE_SHADER);
}

/* Frees the translations (shader_translate.c). */
void core_shader_free_texts(struct core_shader *shader);

#endif
