/* cpu backend: the inner loops of copies and fills.
 *
 * All take any alignment and any size. When one returns, the bytes may be published with a release store
 * (the non-temporal loops end with a fence). A method that this processor lacks returns false and writes
 * nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MACHINE_COPY_LOOPS_H
#define BACKENDS_CPU_MACHINE_COPY_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#define CPU_METHODS 4

enum cpu_copy_method {
    CPU_COPY_PLAIN,    /* memcpy() */
    CPU_COPY_STREAMED, /* loads far ahead, non-temporal stores */
    CPU_COPY_PREFETCH, /* loads far ahead, ordinary stores */
    CPU_COPY_STRING,   /* the processor's block move */
};

enum cpu_fill_method {
    CPU_FILL_PLAIN,
    CPU_FILL_STREAMED,
    CPU_FILL_STRING,
    CPU_FILL_NONE, /* so that both have CPU_METHODS */
};

bool cpu_copy_with(uint32_t method, uint8_t *destination, const uint8_t *source, uint64_t size);

/* Byte i becomes byte i mod 8 of `word` as it lies in memory. */
bool cpu_fill_with(uint32_t method, uint8_t *destination, uint64_t word, uint64_t size);

#endif
