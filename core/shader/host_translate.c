/* Translations for backends: two functions of struct trm_host.
 * SPDX-License-Identifier: MIT
 */
#include "core/shader/host_translate.h"

#include <stddef.h>
#include <string.h>

#include "compiler/translate/translate.h"
#include "core/object/object.h"
#include "core/settings/settings.h"

#define TRANSLATION_MIN 32 /* bytes of struct trm_translation in the first version */

/* A translation that a backend holds. The backend releases it by its list of symbols. */
struct held_translation {
    struct base_arena arena;
    uint64_t size; /* bytes of this structure with its list */
    const char *symbols[];
};

static struct held_translation *allocate_held(struct core_context *context, uint32_t symbol_count)
{
    uint64_t size = sizeof(struct held_translation) + (uint64_t)symbol_count * sizeof(const char *);
    struct held_translation *held = core_allocate(context, size);

    if (held == NULL)
        return NULL;
    held->size = size;
    return held;
}

static int32_t translate_source(const struct core_context *context, struct base_arena *arena,
                                const struct trm_module_source *source, int32_t language, uint32_t flags,
                                struct translate_result *result)
{
    struct translate_request request = {
        .words             = source->data,
        .word_count        = (uint32_t)(source->size / sizeof(uint32_t)),
        .name              = source->name,
        .language          = language,
        .flags             = flags,
        .constants         = source->constants,
        .constant_count    = source->constant_count,
        .digest            = source->digest,
        .instruction_limit = (uint32_t)core_setting_number(context, "kernel.instructions"),
        .text_limit        = core_setting_number(context, "kernel.text"),
    };

    return translate(arena, &request, result);
}

int32_t core_host_translate(void *user, const struct trm_module_source *source, int32_t language,
                            uint32_t flags, struct trm_translation *translation)
{
    struct core_context *context = user;
    struct translate_result result;
    struct base_arena arena;

    if (source->format != TRM_MODULE_SPIRV)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "a module of format %d cannot be translated, only SPIR-V", (int)source->format);
    base_arena_init(&arena, &context->allocator);
    int32_t status = translate_source(context, &arena, source, language, flags, &result);
    core_log(context, TRM_LOG_DEBUG, "translated \"%s\" to %s: %s", source->name != NULL ? source->name : "",
             language == TRM_LANGUAGE_C ? "C" : "CUDA C", trm_status_name(status));
    if (status != TRM_OK)
        goto free_arena;
    struct held_translation *held = allocate_held(context, result.symbol_count);
    struct trm_translation ours   = {.struct_size = sizeof(ours)};
    if (held == NULL) {
        status = base_fail_memory("translating a shader");
        goto free_arena;
    }
    memcpy(held->symbols, result.symbols, result.symbol_count * sizeof(*result.symbols));
    held->arena       = arena;
    ours.symbol_count = result.symbol_count;
    ours.text         = result.text;
    ours.length       = result.length;
    ours.symbols      = held->symbols;
    if (core_struct_copy_out(translation, &ours, sizeof(ours), TRANSLATION_MIN))
        return TRM_OK;
    status = base_fail(TRM_ERROR_ABI, "trm_translation.struct_size is %u, but its size is %zu",
                       translation->struct_size, sizeof(ours));
    core_free(context, held, held->size);

free_arena:
    base_arena_fini(&arena);
    return status;
}

void core_host_release_translation(void *user, struct trm_translation *translation)
{
    struct core_context *context = user;

    if (translation == NULL || translation->symbols == NULL)
        return;
    struct held_translation *held = base_container_of(translation->symbols, struct held_translation, symbols);
    struct base_arena arena       = held->arena;
    translation->text             = NULL;
    translation->length           = 0;
    translation->symbols          = NULL;
    translation->symbol_count     = 0;
    core_free(context, held, held->size);
    base_arena_fini(&arena);
}
