/* Shaders in other languages.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "compiler/translate/translate.h"
#include "core/object/object.h"
#include "core/shader/shader_object.h"

#define DESC_MIN 24 /* bytes of struct trm_translate_desc in the first version */

/* One translation, kept with its shader. It is in its own arena. */
struct core_shader_text {
    struct core_shader_text *next;
    struct base_arena arena;
    int32_t language;
    uint32_t flags;
    uint8_t digest[BASE_SHA256_BYTES]; /* of the shader with its constants */
    const char *text;
    size_t length;
};

static void release_text(struct core_context *context, struct core_shader_text *text)
{
    base_arena_fini(&text->arena);
    core_free(context, text, sizeof(*text));
}

void core_shader_release_texts(struct core_shader *shader)
{
    while (shader->texts != NULL) {
        struct core_shader_text *text = shader->texts;
        shader->texts                 = text->next;
        release_text(shader->object.context, text);
    }
}

/* With the lock held. */
static struct core_shader_text *find_text(const struct core_shader *shader,
                                          const struct core_shader_text *like)
{
    for (struct core_shader_text *text = shader->texts; text != NULL; text = text->next)
        if (text->language == like->language && text->flags == like->flags &&
            memcmp(text->digest, like->digest, sizeof(like->digest)) == 0)
            return text;
    return NULL;
}

/* Another thread may have been as quick; its text is then the one that stays. */
static struct core_shader_text *keep_text(struct core_shader *shader, struct core_shader_text *made)
{
    base_lock_acquire(&shader->lock);
    struct core_shader_text *known = find_text(shader, made);
    if (known == NULL) {
        made->next    = shader->texts;
        shader->texts = made;
    }
    base_lock_release(&shader->lock);
    if (known == NULL)
        return made;
    release_text(shader->object.context, made);
    return known;
}

static int32_t translate_into(struct core_shader_text *made, const struct core_portable *portable)
{
    struct translate_result result;
    struct translate_request request = {
        .words          = portable->words,
        .word_count     = portable->word_count,
        .name           = portable->name,
        .language       = made->language,
        .flags          = made->flags,
        .constants      = portable->constants,
        .constant_count = portable->constant_count,
        .digest         = portable->digest,
    };

    int32_t status = translate(&made->arena, &request, &result);
    if (status != TRM_OK)
        return status == TRM_ERROR_OUT_OF_HOST_MEMORY
                   ? status
                   : base_fail(status, "shader \"%s\": %s", portable->name, trm_last_error().sentence);
    made->text   = result.text;
    made->length = result.length;
    return TRM_OK;
}

/* `portable` has the constants in force. */
static int32_t get_text(struct core_shader *shader, const struct core_portable *portable,
                        const struct trm_translate_desc *desc, const struct core_shader_text **text)
{
    struct core_context *context  = shader->object.context;
    struct core_shader_text *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("translating a shader");
    base_arena_init(&made->arena, &context->allocator);
    made->language = desc->language;
    made->flags    = desc->flags;
    memcpy(made->digest, portable->digest, sizeof(made->digest));

    base_lock_acquire(&shader->lock);
    *text = find_text(shader, made);
    base_lock_release(&shader->lock);
    if (*text != NULL) {
        release_text(context, made);
        return TRM_OK;
    }
    int32_t status = translate_into(made, portable);
    core_object_log(&shader->object, TRM_LOG_DEBUG, "translated to language %d: %s", desc->language,
                    trm_status_name(status));
    if (status != TRM_OK) {
        release_text(context, made);
        return status;
    }
    *text = keep_text(shader, made);
    return TRM_OK;
}

static int32_t translate_shader(struct core_shader *shader, const struct trm_translate_desc *desc,
                                const struct core_shader_text **text)
{
    struct core_portable portable;

    if (desc->constant_count == 0)
        return get_text(shader, &shader->portable, desc, text);
    core_portable_init(&portable, shader->object.context);
    int32_t status = core_portable_copy(&portable, &shader->portable, NULL);
    if (status == TRM_OK)
        status = core_portable_read(&portable, desc->constants, desc->constant_count);
    if (status == TRM_OK)
        status = get_text(shader, &portable, desc, text);
    core_portable_fini(&portable);
    return status;
}

static int32_t check_desc(const struct trm_translate_desc *desc)
{
    if (desc->language != TRM_LANGUAGE_C && desc->language != TRM_LANGUAGE_CUDA)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "there is no language %" PRId32, desc->language);
    if (desc->flags & ~(uint32_t)TRM_TRANSLATE_BOUNDS)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "the flags of a translation, 0x%" PRIx32 ", have bits that mean nothing",
                         desc->flags);
    return TRM_OK;
}

int32_t trm_shader_translate(struct trm_shader *handle, const struct trm_translate_desc *desc,
                             const char **text, uint64_t *length)
{
    struct trm_translate_desc own       = {.struct_size = sizeof(own)};
    const struct core_shader_text *made = NULL;
    struct core_shader *shader          = core_object_enter(handle, CORE_SHADER);
    if (shader == NULL)
        return base_last_status();

    int32_t status = core_output_check(text, "trm_shader_translate", "text");
    if (status == TRM_OK)
        status = core_output_check(length, "trm_shader_translate", "length");
    if (status == TRM_OK && (desc == NULL || !core_struct_copy_in(&own, sizeof(own), desc, DESC_MIN)))
        status =
            base_fail(TRM_ERROR_INVALID_ARGUMENT, "a translation needs a description with its struct_size");
    if (status == TRM_OK)
        status = check_desc(&own);
    if (status == TRM_OK)
        status = translate_shader(shader, &own, &made);
    if (status == TRM_OK) {
        *text   = made->text;
        *length = made->length;
    }
    core_object_leave(&shader->object);
    return status;
}
