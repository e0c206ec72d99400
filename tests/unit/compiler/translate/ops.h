/* Shared by the tests of translated instructions: random operands, and a shader run in each of its forms.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_COMPILER_TRANSLATE_OPS_H
#define TESTS_UNIT_COMPILER_TRANSLATE_OPS_H

#include "tests/check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/compiler/translate/translated.h"

/* gcc takes half as long as with the -O3 of the cpu backend, which the differential tests have. */
#ifndef OPS_LEVEL
#define OPS_LEVEL "-O1"
#endif

/* The other flags with which the cpu backend compiles. */
#define OPS_FAST OPS_LEVEL " -fno-math-errno -fno-trapping-math -ffp-contract=fast -fno-strict-aliasing"

/* Pseudo-random numbers, the same in each run (xorshift). */
static inline uint64_t ops_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* In [0, 1). */
static inline double ops_uniform(uint64_t *state)
{
    return (double)(ops_random(state) >> 11) * 0x1p-53;
}

static inline struct trm_cpu_buffer ops_buffer(void *data, uint64_t size)
{
    struct trm_cpu_buffer buffer = {data, size};
    return buffer;
}

static inline void ops_open(struct translated *translated, const char *name, uint32_t flags,
                            const struct trm_constant *constants, uint32_t constant_count)
{
    int32_t status =
        translated_text(translated, translated_path(name), TRM_LANGUAGE_C, flags, constants, constant_count);

    ck_assert_msg(status == TRM_OK, "%s: %s", name, trm_last_error().sentence);
    translated_compile(translated, OPS_FAST);
}

/* The forms of a shader that are tested: as the optimizer and as the front end wrote it, and with bounds
 * checks. */
enum {
    OPS_FORMS = 3
};

/* How many of them to run: under an emulator the first; the others differ before a compiler sees them. */
static inline int ops_forms(void)
{
    return getenv("TEST_EMULATOR") != NULL ? 1 : OPS_FORMS;
}

/* Runs a form; the kernel must not fail. */
static inline void ops_run(const char *stem, int form, uint32_t groups, const void *block)
{
    struct translated translated;
    char name[64];

    snprintf(name, sizeof(name), "%s%s.spv", stem, form == 1 ? "_plain" : "");
    ops_open(&translated, name, form == 2 ? TRM_TRANSLATE_BOUNDS : 0, NULL, 0);
    ck_assert_int_eq(translated_call(&translated, 0, groups, 1, 1, groups > 1 ? 2 : 1, block), 0);
    translated_close(&translated);
}

#endif
