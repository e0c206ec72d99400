/* cuda backend: the line at the end of what was made of a shader: whose code it is.
 *
 *     // trireme DIGEST SYMBOL...
 *
 * DIGEST is that of the shader with its constants (struct trm_module_source) in hexadecimal, the symbols are the functions
 * of its kernels in their order, with *COUNT behind those whose threads do several items (compiler/translate/targets/cuda_target.c).
 * The translation to CUDA C ends with it, and so does a file of code that `trireme kc` makes. Code that was written by hand is of
 * any version of the shader: it has "by-hand" in the place of DIGEST; or no such line, and its functions are called as the kernels are.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MODULE_TRAILER_H
#define CUDA_MODULE_TRAILER_H

#include <stdbool.h>
#include <stdint.h>

#define CUDA_TRAILER_SYMBOL_BYTES 256 /* bytes of a symbol, at most */

struct cuda_trailer {
    bool is_present;
    bool is_by_hand; /* there is no digest */
    uint8_t digest[32];
    const char *symbols; /* words, with blanks between them */
    uint64_t length;
};

/* What the end of some bytes says. */
void cuda_trailer_read(const void *bytes, uint64_t size, struct cuda_trailer *trailer);

/* Symbol number `index`, and how many items a thread of it does, 0 where that is not said. false: there are not so many, or it is too long. */
bool cuda_trailer_symbol(const struct cuda_trailer *trailer, uint32_t index,
                         char symbol[CUDA_TRAILER_SYMBOL_BYTES], uint32_t *coarsening);

#endif
