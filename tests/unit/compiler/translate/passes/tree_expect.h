/* Expectations of the tests of passes: the tree that a shader becomes, or why it is refused.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_COMPILER_TRANSLATE_PASSES_TREE_EXPECT_H
#define TESTS_UNIT_COMPILER_TRANSLATE_PASSES_TREE_EXPECT_H

#include "tests/check.h"
#include <string.h>
#include <trireme/status.h>

#include "base/allocate.h"
#include "tests/unit/compiler/translate/passes/tree_text.h"

static inline struct body *expect_tree(const char *file, enum tree_pass pass, bool is_split,
                                       struct base_arena *arena, int32_t expected)
{
    struct body *body = NULL;
    size_t size;

    base_arena_init(arena, &base_system_allocator);
    const void *bytes = tree_file(arena, file, &size);
    ck_assert_msg(bytes != NULL && size != 0, "%s is not there", file);
    ck_assert_int_eq(tree_make(arena, bytes, size, 0, pass, is_split, &body), expected);
    return body;
}

/* Expects the tree after the pass to be this text, line for line. */
static inline void expect(const char *file, enum tree_pass pass, bool is_split, const char *text)
{
    struct base_arena arena;
    const struct body *body = expect_tree(file, pass, is_split, &arena, TRM_OK);

    ck_assert_str_eq(tree_text(&arena, body, pass == TREE_PLACED), text);
    base_arena_fini(&arena);
}

/* A kernel after all passes, for C. base_arena_fini() ends it. */
static inline const struct body *expect_body(const char *file, struct base_arena *arena)
{
    return expect_tree(file, TREE_PLACED, true, arena, TRM_OK);
}

/* Expects a pass to fail with a message that contains these words. */
static inline void expect_refused(const char *file, int32_t status, const char *words)
{
    struct base_arena arena;

    expect_tree(file, TREE_PLACED, true, &arena, status);
    ck_assert_msg(strstr(trm_last_error().sentence, words) != NULL, "%s", trm_last_error().sentence);
    base_arena_fini(&arena);
}

#endif
