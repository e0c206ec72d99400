/* The entry of a fuzzer: reads a module, reflects it and, when it is accepted, translates it to all
 * languages. For any bytes each step must give TRM_OK, or an error with a sentence.
 * SPDX-License-Identifier: MIT
 */
#include "tests/fuzz/spirv_fuzzer.h"

#include <stdlib.h>
#include <string.h>

#include <trireme/trireme.h>

#include "base/allocate.h"
#include "base/arena.h"
#include "compiler/lower/lower.h"
#include "compiler/spirv/spirv.h"
#include "compiler/translate/translate.h"
#include "core/object/context.h"
#include "tests/fuzz/fuzz.h"

/* A refusal is one of these, and says why. */
static void check_refusal(int32_t status)
{
    if (status != TRM_ERROR_INVALID_ARGUMENT && status != TRM_ERROR_UNSUPPORTED &&
        status != TRM_ERROR_OUT_OF_HOST_MEMORY)
        abort();
    if (trm_last_error().status != status || trm_last_error().sentence[0] == 0)
        abort();
}

/* What reflection tells is whole: names that end, and sizes that are not beyond what a module may have. */
static void check_reflection(const struct spirv_reflection *reflection, bool is_fit)
{
    for (uint32_t k = 0; k < reflection->kernel_count; k++) {
        const struct trm_kernel_info *kernel = &reflection->kernels[k];
        uint64_t items = (uint64_t)kernel->group_size[0] * kernel->group_size[1] * kernel->group_size[2];
        if (kernel->name == NULL || (is_fit && (items == 0 || items > SPIRV_ITEMS_MOST)))
            abort();
        for (uint32_t p = 0; p < kernel->parameter_count; p++)
            if (kernel->parameters[p].name == NULL || strlen(kernel->parameters[p].name) > UINT16_MAX * 4 ||
                kernel->parameters[p].size > SPIRV_SIZE_MOST)
                abort();
    }
    for (uint32_t c = 0; c < reflection->constant_count; c++)
        if (reflection->constants[c].name == NULL || trm_type_size(reflection->constants[c].type) == 0)
            abort();
}

static void translate_to(const uint32_t *words, uint32_t count, int32_t language)
{
    struct translate_request request = {
        .words = words, .word_count = count, .name = "fuzzed", .language = language};
    struct translate_result result;
    struct base_arena arena;

    base_arena_init(&arena, &base_system_allocator);
    int32_t status = translate(&arena, &request, &result);
    if (status != TRM_OK)
        check_refusal(status);
    else if (result.text[result.length] != 0 || strlen(result.text) != result.length)
        abort();
    base_arena_fini(&arena);
}

int spirv_fuzz_one(const uint8_t *bytes, size_t size, int translates)
{
    struct spirv_reflection reflection;
    struct spirv_module *module;
    struct base_arena arena;
    uint32_t *words = NULL;
    uint32_t count  = 0;

    base_arena_init(&arena, &base_system_allocator);
    int32_t status           = spirv_words(&arena, bytes, size, &words, &count);
    const uint32_t *stripped = words;
    if (status == TRM_OK)
        status = lower_module(&arena, &stripped, &count);
    if (status == TRM_OK)
        status = spirv_read(&arena, stripped, count, NULL, 0, &module);
    if (status == TRM_OK)
        status = spirv_reflect(module, "fuzzed", &reflection);
    if (status != TRM_OK) {
        check_refusal(status);
        base_arena_fini(&arena);
        return 0;
    }
    check_reflection(&reflection, module->unfit == NULL);
    if (translates) {
        translate_to(stripped, count, TRM_LANGUAGE_C);
        translate_to(stripped, count, TRM_LANGUAGE_CUDA);
    }
    base_arena_fini(&arena);
    return 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    spirv_fuzz_one(bytes, size, 1);
    return 0;
}
