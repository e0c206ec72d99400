/* What the core lends to backends besides the small things: translations and the cache.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SHADER_HOST_TRANSLATE_H
#define CORE_SHADER_HOST_TRANSLATE_H

#include <trireme/backend.h>

/* As the functions of struct trm_host. */
int32_t core_host_translate(void *context, const struct trm_module_source *source, int32_t language,
                            uint32_t flags, struct trm_translation *translation);
void core_host_release_translation(void *context, struct trm_translation *translation);

#endif
