/* Portable code: reading it with constants in force.
 * SPDX-License-Identifier: MIT
 */
#include "core/shader/shader_code.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"

#define VARIANT_MOST 160 /* a file's name has to hold it besides a kernel's name */

void core_portable_init(struct core_portable *portable, struct core_context *context)
{
    memset(portable, 0, sizeof(*portable));
    portable->context = context;
    base_arena_init(&portable->arena, &context->allocator);
}

void core_portable_fini(struct core_portable *portable)
{
    base_arena_fini(&portable->arena);
}

int32_t core_portable_copy(struct core_portable *portable, const struct core_portable *other,
                           const char *name)
{
    struct base_arena *arena = &portable->arena;
    const char *called       = name != NULL ? name : other->name;

    uint32_t *words = base_arena_allocate(arena, other->word_count, sizeof(*words));
    if (words != NULL)
        memcpy(words, other->words, other->word_count * sizeof(*words));
    portable->words      = words;
    portable->word_count = other->word_count;
    portable->name       = base_arena_text(arena, called, strlen(called));
    portable->stem = other->stem == NULL ? NULL : base_arena_text(arena, other->stem, strlen(other->stem));
    return arena->failed ? base_fail_memory("copying a shader") : TRM_OK;
}

/* ---- constants ----------------------------------------------------------------------------- */

/* The low bytes of a value, as many as its type has. */
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

/* Those whose value is not the default's. `module` has the constants in force, `plain` has the defaults;
 * both know them by the same ids, in the same order. */
static int32_t keep_constants(struct core_portable *portable, const struct spirv_module *plain)
{
    const struct spirv_module *module = portable->module;
    uint32_t count                    = portable->reflection.constant_count;

    if (plain == NULL || count == 0 || plain->constant_count != module->constant_count ||
        count > module->constant_count)
        return TRM_OK;
    portable->constants = base_arena_allocate(&portable->arena, count, sizeof(*portable->constants));
    if (portable->constants == NULL)
        return base_fail_memory("reading a shader");
    for (uint32_t i = 0; i < count; i++) {
        const struct trm_constant_info *info = &portable->reflection.constants[i];
        uint64_t bits                        = low_bits(info->type, bits_of(module, module->constants[i]));
        if (bits == low_bits(info->type, bits_of(plain, plain->constants[i])))
            continue;
        portable->constants[portable->constant_count++] =
            (struct trm_constant){.id = info->id, .type = info->type, .bits = bits};
    }
    return TRM_OK;
}

static void digest(struct core_portable *portable)
{
    struct base_sha256 hash;

    base_sha256_init(&hash);
    base_sha256_update(&hash, portable->words, portable->word_count * sizeof(*portable->words));
    for (uint32_t i = 0; i < portable->constant_count; i++) {
        base_sha256_update(&hash, &portable->constants[i].id, sizeof(portable->constants[i].id));
        base_sha256_update(&hash, &portable->constants[i].bits, sizeof(portable->constants[i].bits));
    }
    base_sha256_final(&hash, portable->digest);
}

/* ---- the variant --------------------------------------------------------------------------- */

static int32_t is_word(const char *name)
{
    return name[0] != '\0' && (name[0] < '0' || name[0] > '9') && strlen(name) <= 32 &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(name);
}

/* As a file's name may have it: the same in every locale. */
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
    default: /* of halfs the bits */
        snprintf(text, 32, "%" PRIu64, bits);
        break;
    }
    char *comma = strchr(text, ',');
    if (comma != NULL)
        *comma = '.';
}

static const char *name_of(const struct core_portable *portable, uint32_t id)
{
    for (uint32_t i = 0; i < portable->reflection.constant_count; i++)
        if (portable->reflection.constants[i].id == id)
            return portable->reflection.constants[i].name;
    return "";
}

/* ".op=1,width=4"; a constant without a decent name goes by its number, and too many of them by the
 * digest. */
static int32_t name_variant(struct core_portable *portable)
{
    char text[VARIANT_MOST + 128] = "", value[32], number[16];
    size_t length                 = 0;

    for (uint32_t i = 0; i < portable->constant_count && length < VARIANT_MOST; i++) {
        const struct trm_constant *constant = &portable->constants[i];
        const char *name                    = name_of(portable, constant->id);
        print_value(constant, value);
        snprintf(number, sizeof(number), "%" PRIu32, constant->id);
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%c%s=%s", i == 0 ? '.' : ',',
                                   is_word(name) ? name : number, value);
    }
    if (length >= VARIANT_MOST) {
        char digits[2 * BASE_SHA256_BYTES + 1];
        base_sha256_text(portable->digest, digits);
        length = (size_t)snprintf(text, sizeof(text), ".%s", digits);
    }
    portable->variant = base_arena_text(&portable->arena, text, length);
    return portable->variant != NULL ? TRM_OK : base_fail_memory("reading a shader");
}

/* ---- reading ------------------------------------------------------------------------------- */

/* A shader without a kernel, or with two of one name, would only fail later and less clearly. */
static int32_t check_kernels(const struct core_portable *portable)
{
    const struct spirv_reflection *reflection = &portable->reflection;

    if (reflection->kernel_count == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "shader \"%s\" has no entry point that is a compute kernel", portable->name);
    for (uint32_t i = 0; i < reflection->kernel_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (strcmp(reflection->kernels[i].name, reflection->kernels[j].name) == 0)
                return base_fail(TRM_ERROR_INVALID_ARGUMENT, "shader \"%s\" has two kernels \"%s\"",
                                 portable->name, reflection->kernels[i].name);
    return TRM_OK;
}

/* The sentences of the reader do not know what the module is called. */
static int32_t fail_read(const struct core_portable *portable, int32_t status)
{
    if (status == TRM_ERROR_OUT_OF_HOST_MEMORY)
        return status;
    return base_fail(status, "shader \"%s\": %s", portable->name, trm_last_error().sentence);
}

static int32_t read_words(struct core_portable *portable, const struct trm_constant *constants,
                          uint32_t constant_count, struct spirv_module **module)
{
    int32_t status = spirv_read(&portable->arena, portable->words, portable->word_count, constants,
                                constant_count, module);

    return status == TRM_OK ? TRM_OK : fail_read(portable, status);
}

int32_t core_portable_read(struct core_portable *portable, const struct trm_constant *constants,
                           uint32_t constant_count)
{
    struct spirv_module *plain = NULL;
    int32_t status             = TRM_OK;

    if (constant_count != 0 && constants == NULL)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "%" PRIu32 " constants were announced, but they are NULL", constant_count);
    if (constant_count != 0)
        status = read_words(portable, NULL, 0, &plain);
    if (status == TRM_OK)
        status = read_words(portable, constants, constant_count, &portable->module);
    if (status == TRM_OK) {
        status = spirv_reflect(portable->module, portable->name, &portable->reflection);
        if (status != TRM_OK)
            return fail_read(portable, status);
        status = check_kernels(portable);
    }
    if (status == TRM_OK)
        status = keep_constants(portable, plain);
    if (status != TRM_OK)
        return status;
    digest(portable);
    return name_variant(portable);
}

void core_portable_source(const struct core_portable *portable, struct trm_module_source *source)
{
    *source = (struct trm_module_source){
        .struct_size    = sizeof(*source),
        .format         = TRM_MODULE_SPIRV,
        .data           = portable->words,
        .size           = (uint64_t)portable->word_count * sizeof(*portable->words),
        .name           = portable->name,
        .kernels        = portable->reflection.kernels,
        .kernel_count   = portable->reflection.kernel_count,
        .constant_count = portable->constant_count,
        .constants      = portable->constants,
        .digest         = portable->digest,
        .stem           = portable->stem,
        .variant        = portable->variant,
    };
}
