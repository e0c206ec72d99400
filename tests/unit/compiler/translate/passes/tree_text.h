/* A kernel's tree as text, for tests that compare it.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_COMPILER_TRANSLATE_PASSES_TREE_TEXT_H
#define TESTS_UNIT_COMPILER_TRANSLATE_PASSES_TREE_TEXT_H

#include "compiler/translate/passes/passes.h"
#include "compiler/translate/text/text.h"
#include "compiler/translate/translate.h"

/* The last pass to run. */
enum tree_pass {
    TREE_STRUCTURED = 1, /* flatten, promote, structure */
    TREE_BOUND,          /* and bound_loops */
    TREE_SPLIT,          /* and split_at_barriers */
    TREE_PLACED,         /* and place: values are written with their places */
};

/* Reads a module and makes the tree of its entry `index`. Returns the status of the first pass that
 * failed. */
int32_t tree_make(struct base_arena *arena, const void *bytes, size_t size, uint32_t index,
                  enum tree_pass pass, bool is_split, struct body **body);

/* The tree, a line for each node and instruction. Values have their names and are numbered in order of first
 * use. */
const char *tree_text(struct base_arena *arena, const struct body *body, bool with_places);

/* The bytes of tests/unit/shaders/passes/NAME. */
void *tree_file(struct base_arena *arena, const char *name, size_t *size);

#endif
