/* Translations for backends: two functions of struct trm_host.
 * SPDX-License-Identifier: MIT
 */
#ifndef CORE_SHADER_HOST_TRANSLATE_H
#define CORE_SHADER_HOST_TRANSLATE_H

#include <trireme/backend.h>

/* struct trm_host: translate and release_translation. */
int32_t core_host_translate(void *context, const struct trm_module_source *source, int32_t language,
                            uint32_t flags, struct trm_translation *translation);
void core_host_release_translation(void *context, struct trm_translation *translation);

#endif
