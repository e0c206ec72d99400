/* cuda backend: the trailer, which is the last line of code that was made from a shader.
 *
 *     // trireme DIGEST SYMBOL...
 *
 * DIGEST is that of the shader with its constants (struct trm_module_source) in hexadecimal. The symbols
 * are the functions of its kernels, in their order, followed by *COUNT where a thread computes COUNT items,
 * or /COUNT where the launch chooses whether it does (compiler/translate/targets/cuda_target.c). The
 * translation to CUDA C ends with a trailer, and so does a file of code that `trireme kc` makes.
 *
 * Code that was written by hand fits any version of the shader. It has "by-hand" in place of DIGEST, or no
 * trailer; then its functions have the names of the kernels. After symbol and count may follow :THREADS,
 * where a block has so many threads in x instead of the group's items, and then +BYTES, the dynamic shared
 * memory that a launch asks for.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_MODULE_TRAILER_H
#define CUDA_MODULE_TRAILER_H

#include <stdbool.h>
#include <stdint.h>

#define CUDA_TRAILER_SYMBOL_BYTES 256 /* bytes of a symbol, with its zero */

struct cuda_trailer {
    bool is_present;
    bool is_by_hand; /* it has no digest */
    uint8_t digest[32];
    const char *symbols; /* words, each behind a blank */
    uint64_t length;
};

/* Read the trailer at the end of `size` bytes. */
void cuda_trailer_read(const void *bytes, uint64_t size, struct cuda_trailer *trailer);

struct cuda_launch_shape; /* module.h */

/* Read symbol number `index`. False: there are fewer symbols, or it is malformed or too long. */
bool cuda_trailer_symbol(const struct cuda_trailer *trailer, uint32_t index,
                         char symbol[CUDA_TRAILER_SYMBOL_BYTES], struct cuda_launch_shape *shape);

#endif
