/* Translates shaders to C and CUDA C.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <string.h>

#include "compiler/translate/translate.h"
#include "core/object/object.h"
#include "core/settings/settings.h"
#include "core/shader/shader_object.h"

#define DESC_MIN 24 /* bytes of struct trm_translate_desc in the first version */

/* A translation, which its shader keeps. */
struct core_shader_text {
    struct core_shader_text *next;
    struct base_arena arena;
    int32_t language;
    uint32_t flags;
    uint8_t digest[BASE_SHA256_BYTES]; /* of the code with its constants */
    const char *text;
    size_t length;
};

static void free_text(struct core_context *context, struct core_shader_text *text)
{
    base_arena_fini(&text->arena);
    core_free(context, text, sizeof(*text));
}

void core_shader_free_texts(struct core_shader *shader)
{
    while (shader->texts != NULL) {
        struct core_shader_text *text = shader->texts;
        shader->texts                 = text->next;
        free_text(shader->object.context, text);
    }
}

/* Requires the lock. */
static struct core_shader_text *find_text(const struct core_shader *shader,
                                          const struct core_shader_text *like)
{
    for (struct core_shader_text *text = shader->texts; text != NULL; text = text->next)
        if (text->language == like->language && text->flags == like->flags &&
            memcmp(text->digest, like->digest, sizeof(like->digest)) == 0)
            return text;
    return NULL;
}

/* Adds a translation to the shader, or frees it and returns the one that another thread has added
 * meanwhile. */
static struct core_shader_text *add_text(struct core_shader *shader, struct core_shader_text *made)
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
    free_text(shader->object.context, made);
    return known;
}

static int32_t translate_into(struct core_shader_text *made, const struct core_shader_code *code)
{
    struct translate_result result;
    struct translate_request request = {
        .words             = code->words,
        .word_count        = code->word_count,
        .name              = code->name,
        .language          = made->language,
        .flags             = made->flags,
        .constants         = code->constants,
        .constant_count    = code->constant_count,
        .digest            = code->digest,
        .instruction_limit = (uint32_t)core_setting_number(code->context, "kernel.instructions"),
        .text_limit        = core_setting_number(code->context, "kernel.text"),
    };

    int32_t status = translate(&made->arena, &request, &result);
    if (status != TRM_OK)
        return status == TRM_ERROR_OUT_OF_HOST_MEMORY
                   ? status
                   : base_fail(status, "shader \"%s\": %s", code->name, trm_last_error().sentence);
    made->text   = result.text;
    made->length = result.length;
    return TRM_OK;
}

/* `code` is read with the constants. */
static int32_t get_text(struct core_shader *shader, const struct core_shader_code *code,
                        const struct trm_translate_desc *desc, const struct core_shader_text **text)
{
    struct core_context *context  = shader->object.context;
    struct core_shader_text *made = core_allocate(context, sizeof(*made));
    if (made == NULL)
        return base_fail_memory("translating a shader");
    base_arena_init(&made->arena, &context->allocator);
    made->language = desc->language;
    made->flags    = desc->flags;
    memcpy(made->digest, code->digest, sizeof(made->digest));

    base_lock_acquire(&shader->lock);
    *text = find_text(shader, made);
    base_lock_release(&shader->lock);
    if (*text != NULL) {
        free_text(context, made);
        return TRM_OK;
    }
    int32_t status = translate_into(made, code);
    core_object_log(&shader->object, TRM_LOG_DEBUG, "translated to language %d: %s", desc->language,
                    trm_status_name(status));
    if (status != TRM_OK) {
        free_text(context, made);
        return status;
    }
    *text = add_text(shader, made);
    return TRM_OK;
}

static int32_t translate_shader(struct core_shader *shader, const struct trm_translate_desc *desc,
                                const struct core_shader_text **text)
{
    struct core_shader_code code;

    if (desc->constant_count == 0)
        return get_text(shader, &shader->code, desc, text);
    core_shader_code_init(&code, shader->object.context);
    int32_t status = core_shader_code_copy(&code, &shader->code, NULL);
    if (status == TRM_OK)
        status = core_shader_code_read(&code, desc->constants, desc->constant_count);
    if (status == TRM_OK)
        status = get_text(shader, &code, desc, text);
    core_shader_code_fini(&code);
    return status;
}

static int32_t check_desc(const struct trm_translate_desc *desc)
{
    if (desc->language != TRM_LANGUAGE_C && desc->language != TRM_LANGUAGE_CUDA)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "language %" PRId32 " is not supported", desc->language);
    if (desc->flags & ~(uint32_t)(TRM_TRANSLATE_BOUNDS | TRM_TRANSLATE_FUNCTIONS | TRM_TRANSLATE_BARRIERS))
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "trm_translate_desc: flags 0x%" PRIx32 " has unknown bits", desc->flags);
    if ((desc->flags & TRM_TRANSLATE_BARRIERS) != 0 &&
        (desc->language != TRM_LANGUAGE_C || (desc->flags & TRM_TRANSLATE_BOUNDS) == 0))
        return base_fail_static(TRM_ERROR_INVALID_ARGUMENT,
                                "trm_translate_desc: BARRIERS is for C, together with BOUNDS");
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
        status = base_fail(TRM_ERROR_INVALID_ARGUMENT,
                           "trm_shader_translate: `desc` is NULL or its struct_size is too small");
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
