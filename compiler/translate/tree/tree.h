/* The body of a kernel as a tree: the form between SPIR-V's blocks and the text.
 *
 * For CUDA the tree is the kernel as one work-item sees it. For C the pass split_at_barriers rewrites it:
 * nodes outside of NODE_ITEMS run once for a work-group; a NODE_ITEMS is a loop over the work-items of the
 * group, around a region without barriers. So
 *
 *     OPS a; BARRIER; LOOP (uniform) { OPS b; BARRIER; OPS c }; OPS d
 * becomes
 *     ITEMS {a}; LOOP { ITEMS {b}; ITEMS {c} }; ITEMS {d}
 *
 * A kernel without barriers becomes one NODE_ITEMS, preceded by the OPS whose results are the same for the
 * whole group. No NODE_BARRIER is left after the pass: the end of the loop is the barrier.
 *
 *     access.c     pointers, resolved to a variable and indices
 *     node.c       nodes: making, appending, walking
 *     body.c       the kernel: new ids, constants, instructions; errors
 *     operation.c  properties of instructions; branches
 *     visit.h      the values that an instruction uses
 *     replace.c    replacing values
 *
 * Nothing here is shared between threads: a tree belongs to the translation that makes it.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_TREE_TREE_H
#define COMPILER_TRANSLATE_TREE_TREE_H

#include "compiler/translate/tree/access.h"
#include "compiler/translate/tree/body.h"
#include "compiler/translate/tree/node.h"
#include "compiler/translate/tree/operation.h"
#include "compiler/translate/tree/replace.h"
#include "compiler/translate/tree/visit.h"

#endif
