/* Lowers the module that a test builds, and looks at the result.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_COMPILER_LOWER_LOWER_FIXTURE_H
#define TESTS_UNIT_COMPILER_LOWER_LOWER_FIXTURE_H

#include <string.h>

#include "compiler/lower/lower.h"
#include "tests/unit/compiler/spirv/image_fixture.h"

static inline const uint32_t *lower(uint32_t *count)
{
    const uint32_t *words = builder_words(&builder, count);

    ck_assert_int_eq(lower_module(&builder.arena, &words, count), TRM_OK);
    return words;
}

static inline struct spirv_module *accept_lowered(void)
{
    struct spirv_module *module = NULL;
    uint32_t count;
    const uint32_t *words = lower(&count);
    int32_t status        = spirv_read(&builder.arena, words, count, NULL, 0, &module);

    ck_assert_msg(status == TRM_OK, "%s", trm_last_error().sentence);
    return module;
}

static inline void refuse_lowered(const char *part)
{
    struct spirv_module *module = NULL;
    uint32_t count;
    const uint32_t *words = lower(&count);

    int32_t status = spirv_read(&builder.arena, words, count, NULL, 0, &module);
    ck_assert_msg(status == UNSUPPORTED && strstr(trm_last_error().sentence, part) != NULL, "%s",
                  trm_last_error().sentence);
}

/* Lowers the module that the test builds with each word damaged in turn, also by `id`, and cut off before it.
 * Words that make no module, or another one, are followed as far as they lead and no further. */
static inline void lower_damaged(uint32_t id)
{
    const uint32_t values[] = {0, 1, 0xffffffffu, 0x10000u, RESULT, id};
    uint32_t count;
    const uint32_t *words = builder_words(&builder, &count);
    uint32_t *damaged     = base_arena_allocate(&builder.arena, count, sizeof(*damaged));

    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t k = 0; k < SPIRV_COUNT(values); k++) {
            const uint32_t *lowered = damaged;
            uint32_t length         = count;
            memcpy(damaged, words, count * sizeof(*words));
            damaged[i] = values[k];
            ck_assert_int_eq(lower_module(&builder.arena, &lowered, &length), TRM_OK);
        }
        const uint32_t *lowered = words;
        uint32_t length         = i;
        ck_assert_int_eq(lower_module(&builder.arena, &lowered, &length), TRM_OK);
    }
}

/* The parameter at a place; the test fails without one. */
static inline const struct trm_parameter *parameter_at(const struct spirv_module *module, uint32_t set,
                                                       uint32_t place)
{
    static struct spirv_reflection reflection;

    ck_assert_int_eq(spirv_reflect(module, NULL, &reflection), TRM_OK);
    for (uint32_t i = 0; i < reflection.kernels[0].parameter_count; i++) {
        const struct trm_parameter *parameter = &reflection.kernels[0].parameters[i];
        if (parameter->set == set && parameter->place == place)
            return parameter;
    }
    ck_abort_msg("there is no parameter at set %u, binding %u", set, place);
    return NULL;
}

/* A word of the OpTypeImage with this id. */
static inline uint32_t find_type_word(const uint32_t *words, uint32_t count, uint32_t id, uint32_t word)
{
    for (uint32_t i = 5; i < count; i += words[i] >> 16)
        if ((words[i] & 0xffff) == SpvOpTypeImage && words[i + 1] == id)
            return words[i + word];
    return UINT32_MAX;
}

#endif
