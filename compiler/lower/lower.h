/* Makes a module plainer before it is read, so that the reader, the translator and the backends know fewer
 * things:
 *
 *   trinary.c    the least, greatest and middle of three values become those of two
 *   samples.c    a multisampled image becomes an array, whose layers are the samples
 *   group*.c     a matrix of a work-group becomes an array, a tensor layout a struct
 *   bfloats.c    a bfloat16 becomes the integer of its bits
 *   bindings.c   variables of one binding that cannot be views of one buffer get bindings of their own
 *
 * In between, what no kernel uses is removed (spirv_strip()). The words may be anything: a module that cannot
 * be followed stays as it is, and the reader refuses it.
 * SPDX-License-Identifier: MIT
 */
#ifndef COMPILER_LOWER_LOWER_H
#define COMPILER_LOWER_LOWER_H

#include <stdint.h>

struct base_arena;

/* Lowers a module of SPIR-V, in host byte order. The new words are in the arena.
 * Errors: OUT_OF_HOST_MEMORY; UNSUPPORTED at the limit of an arena, and when the module declares a capability
 * of enum spirv_newer that is only the library's. */
int32_t lower_module(struct base_arena *arena, const uint32_t **words, uint32_t *count);

#endif
