/* Writing a tree as C or CUDA C.
 *
 *     emitter.h    struct emit, the state of a translation that writes; how values look in the text
 *       emit.c       errors, parameters          name.c       identifiers of ids
 *       type.c       types and constants         unit.c       the element types of buffers
 *       value.c      values and statements       declare.c    results and variables
 *       address.c    layouts and offsets         memory.c     loads and stores
 *     op.h         instructions
 *       op.c         the table of instructions   pattern.c    expressions from patterns
 *       op_*.c       families of instructions    constant.c   constants
 *     flow.h       the position in the tree while it is written
 *       control_flow.c  nodes as statements      jump.c       break, continue, return, goto
 *       switch.c     switches                    parallel_copy.c  the values of phis
 *       unroll.c     which loops count            flow.c       frames and captured text
 *     rows.h       rows of work-items in C
 *       row_index.c  indices along a row         row_value.c  how values grow along a row
 *       row_guard.c  guards become loop bounds
 *
 * The targets (compiler/translate/targets/) fill in what differs between the languages. One translation is
 * one thread; nothing here is shared.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_TRANSLATE_EMIT_EMIT_H
#define COMPILER_TRANSLATE_EMIT_EMIT_H

#include "compiler/translate/emit/emitter.h"
#include "compiler/translate/emit/flow.h"
#include "compiler/translate/emit/rows.h"

#endif
