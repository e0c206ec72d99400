/* Reads the code of a shader with specialization constants.
 * SPDX-License-Identifier: MIT
 */
#include "core/shader/shader_code.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

#define VARIANT_MAX 160 /* a file's name holds it behind the kernel's name */

void core_shader_code_init(struct core_shader_code *code, struct core_context *context)
{
    memset(code, 0, sizeof(*code));
    code->context = context;
    base_arena_init(&code->arena, &context->allocator);
}

void core_shader_code_fini(struct core_shader_code *code)
{
    base_arena_fini(&code->arena);
}

int32_t core_shader_code_copy(struct core_shader_code *code, const struct core_shader_code *other,
                              const char *name)
{
    struct base_arena *arena = &code->arena;
    const char *new_name     = name != NULL ? name : other->name;

    uint32_t *words = base_arena_allocate(arena, other->word_count, sizeof(*words));
    if (words != NULL)
        memcpy(words, other->words, other->word_count * sizeof(*words));
    code->words      = words;
    code->word_count = other->word_count;
    code->name       = base_arena_text(arena, new_name, strlen(new_name));
    code->stem       = other->stem == NULL ? NULL : base_arena_text(arena, other->stem, strlen(other->stem));
    return arena->failed ? base_fail_memory("copying a shader") : TRM_OK;
}

/* ---- constants ----------------------------------------------------------------------------- */

/* The bits of a value that its type has. */
static uint64_t low_bits(int32_t type, uint64_t bits)
{
    uint64_t size = trm_type_size(type);

    return size >= 8 ? bits : bits & ((UINT64_C(1) << (8 * size)) - 1);
}

static uint64_t bits_of(const struct spirv_module *module, uint32_t id)
{
    const struct spirv_constant *constant = spirv_constant(module, id);

    return constant != NULL ? constant->bits : 0;
}

/* Finds the new value of the constant `info` if it differs from a default: constants that share an id share a
 * value, but each has its own default. `*at` is the first of them in the lists of both modules, which are
 * sorted by id, and becomes the first of the next id. */
static bool find_new_value(const struct core_shader_code *code, const struct spirv_module *plain,
                           const struct trm_constant_info *info, uint32_t *at, uint64_t *bits)
{
    const struct spirv_module *module = code->module;
    bool differs                      = false;

    for (; *at < module->constant_count; (*at)++) {
        const struct spirv_constant *constant = spirv_constant(module, module->constants[*at]);
        if (constant == NULL || constant->spec_id != info->id)
            break;
        *bits = low_bits(info->type, constant->bits);
        differs |= *bits != low_bits(info->type, bits_of(plain, plain->constants[*at]));
    }
    return differs;
}

/* Lists the constants that differ from their defaults. code->module has the new values, `plain` has the
 * defaults; both have the same ids in the same order. */
static int32_t list_constants(struct core_shader_code *code, const struct spirv_module *plain)
{
    uint32_t count = code->reflection.constant_count, at = 0;

    if (plain == NULL || count == 0 || plain->constant_count != code->module->constant_count)
        return TRM_OK;
    code->constants = base_arena_allocate(&code->arena, count, sizeof(*code->constants));
    if (code->constants == NULL)
        return base_fail_memory("reading a shader");
    for (uint32_t i = 0; i < count; i++) {
        const struct trm_constant_info *info = &code->reflection.constants[i];
        uint64_t bits;
        if (find_new_value(code, plain, info, &at, &bits))
            code->constants[code->constant_count++] =
                (struct trm_constant){.id = info->id, .type = info->type, .bits = bits};
    }
    return TRM_OK;
}

static void digest(struct core_shader_code *code)
{
    struct base_sha256 hash;

    base_sha256_init(&hash);
    base_sha256_update(&hash, code->words, code->word_count * sizeof(*code->words));
    for (uint32_t i = 0; i < code->constant_count; i++) {
        base_sha256_update(&hash, &code->constants[i].id, sizeof(code->constants[i].id));
        base_sha256_update(&hash, &code->constants[i].bits, sizeof(code->constants[i].bits));
    }
    base_sha256_final(&hash, code->digest);
}

/* ---- the variant --------------------------------------------------------------------------- */

static bool is_word(const char *name)
{
    return name[0] != '\0' && (name[0] < '0' || name[0] > '9') && strlen(name) <= 32 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(name);
}

/* Writes a value for the name of a file, the same in every locale. */
static void print_value(const struct trm_constant *constant, char text[32])
{
    uint64_t bits = constant->bits;
    double wide;
    float narrow;

    switch (constant->type) {
    case TRM_TYPE_F64:
        memcpy(&wide, &bits, sizeof(wide));
        snprintf(text, 32, "%.17g", wide);
        break;
    case TRM_TYPE_F32:
        memcpy(&narrow, &bits, sizeof(narrow));
        snprintf(text, 32, "%.9g", (double)narrow);
        break;
    case TRM_TYPE_I8:
        snprintf(text, 32, "%d", (int8_t)bits);
        break;
    case TRM_TYPE_I16:
        snprintf(text, 32, "%d", (int16_t)bits);
        break;
    case TRM_TYPE_I32:
        snprintf(text, 32, "%" PRId32, (int32_t)bits);
        break;
    case TRM_TYPE_I64:
        snprintf(text, 32, "%" PRId64, (int64_t)bits);
        break;
    default: /* unsigned; a half is written as its bits */
        snprintf(text, 32, "%" PRIu64, bits);
        break;
    }
    base_text_point(text);
}

static const char *name_of(const struct core_shader_code *code, uint32_t id)
{
    for (uint32_t i = 0; i < code->reflection.constant_count; i++)
        if (code->reflection.constants[i].id == id)
            return code->reflection.constants[i].name;
    return "";
}

/* Writes ".op=1,width=4". A constant whose name is not a plain word goes by its id, and a list that is too
 * long by the digest. */
static int32_t name_variant(struct core_shader_code *code)
{
    char text[VARIANT_MAX + 128] = "", value[32], number[16];
    size_t length                = 0;

    for (uint32_t i = 0; i < code->constant_count && length < VARIANT_MAX; i++) {
        const struct trm_constant *constant = &code->constants[i];
        const char *name                    = name_of(code, constant->id);
        print_value(constant, value);
        snprintf(number, sizeof(number), "%" PRIu32, constant->id);
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%c%s=%s", i == 0 ? '.' : ',',
                                   is_word(name) ? name : number, value);
    }
    if (length >= VARIANT_MAX) {
        char digits[2 * BASE_SHA256_BYTES + 1];
        base_sha256_text(code->digest, digits);
        length = (size_t)snprintf(text, sizeof(text), ".%s", digits);
    }
    code->variant = base_arena_text(&code->arena, text, length);
    return code->variant != NULL ? TRM_OK : base_fail_memory("reading a shader");
}

/* ---- reading ------------------------------------------------------------------------------- */

/* Refuses a shader without kernels or with two of one name, which would fail later with a less clear
 * message. */
static int32_t check_kernels(const struct core_shader_code *code)
{
    const struct spirv_reflection *reflection = &code->reflection;

    if (reflection->kernel_count == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "shader \"%s\" has no entry point that is a compute kernel", code->name);
    for (uint32_t i = 0; i < reflection->kernel_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(reflection->kernels[i].name, reflection->kernels[j].name) == 0)
                return base_fail(TRM_ERROR_INVALID_ARGUMENT, "shader \"%s\" has two kernels \"%s\"",
                                 code->name, reflection->kernels[i].name);
    return TRM_OK;
}

/* Adds the name of the shader to the message of the reader. */
static int32_t fail_read(const struct core_shader_code *code, int32_t status)
{
    if (status == TRM_ERROR_OUT_OF_HOST_MEMORY)
        return status;
    return base_fail(status, "shader \"%s\": %s", code->name, trm_last_error().sentence);
}

static int32_t read_words(struct core_shader_code *code, const struct trm_constant *constants,
                          uint32_t constant_count, struct spirv_module **module)
{
    int32_t status =
        spirv_read(&code->arena, code->words, code->word_count, constants, constant_count, module);

    return status == TRM_OK ? TRM_OK : fail_read(code, status);
}

static int32_t flatten(struct core_shader_code *code)
{
    uint32_t count               = code->reflection.kernel_count;
    struct trm_kernel_info *flat = base_arena_allocate(&code->arena, count, sizeof(*flat));

    if (flat == NULL)
        return base_fail_memory("reading a shader");
    memcpy(flat, code->reflection.kernels, count * sizeof(*flat));
    code->flat = flat;
    for (uint32_t i = 0; i < count; i++) {
        int32_t status = spirv_flatten(&code->arena, &flat[i]);
        if (status != TRM_OK)
            return status;
    }
    return TRM_OK;
}

int32_t core_shader_code_read(struct core_shader_code *code, const struct trm_constant *constants,
                              uint32_t constant_count)
{
    struct spirv_module *plain = NULL;
    int32_t status             = TRM_OK;

    if (constant_count != 0 && constants == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "`constants` is NULL, but `constant_count` is %" PRIu32,
                         constant_count);
    if (constant_count != 0)
        status = read_words(code, NULL, 0, &plain);
    if (status == TRM_OK)
        status = read_words(code, constants, constant_count, &code->module);
    if (status == TRM_OK) {
        status = spirv_reflect(code->module, code->name, &code->reflection);
        if (status != TRM_OK)
            return fail_read(code, status);
        status = check_kernels(code);
    }
    if (status == TRM_OK)
        status = flatten(code);
    if (status == TRM_OK)
        status = list_constants(code, plain);
    if (status != TRM_OK)
        return status;
    digest(code);
    return name_variant(code);
}

int32_t core_shader_code_check(const struct core_shader_code *code)
{
    int32_t status = spirv_check_fit(code->module);

    return status == TRM_OK ? TRM_OK : fail_read(code, status);
}

bool core_shader_code_has_arrays(const struct core_shader_code *code)
{
    return code->flat[0].parameters != code->reflection.kernels[0].parameters;
}

void core_shader_code_source(const struct core_shader_code *code, struct trm_module_source *source)
{
    *source = (struct trm_module_source){
        .struct_size    = sizeof(*source),
        .format         = TRM_MODULE_SPIRV,
        .data           = code->words,
        .size           = (uint64_t)code->word_count * sizeof(*code->words),
        .name           = code->name,
        .kernels        = code->flat,
        .kernel_count   = code->reflection.kernel_count,
        .constant_count = code->constant_count,
        .constants      = code->constants,
        .digest         = code->digest,
        .stem           = code->stem,
        .variant        = code->variant,
    };
}
