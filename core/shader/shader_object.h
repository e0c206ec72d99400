/* Shaders: portable code of a context, without a device.
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
    struct core_portable portable; /* without constants; nothing in it changes any more */
    struct base_lock lock;         /* guards the list that follows; texts in it stay as they are */
    struct core_shader_text *texts;
};

static inline struct core_shader *core_shader_find(struct trm_shader *handle)
{
    return core_object_find(handle, CORE_SHADER);
}

/* Translations (core/shader/shader_translate.c). */
void core_shader_release_texts(struct core_shader *shader);

#endif
