/* cpu backend: the inner loops of copies and fills.
 *
 * All take any alignment and any size, and are safe to publish with a release store when they return
 * (the non-temporal ones end with a fence). A way that this processor lacks answers false and touches
 * nothing.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MACHINE_COPY_LOOPS_H
#define BACKENDS_CPU_MACHINE_COPY_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#define CPU_WAYS 4

enum cpu_copy_way {
    CPU_COPY_PLAIN,    /* memcpy() */
    CPU_COPY_STREAMED, /* loads far ahead, non-temporal stores */
    CPU_COPY_PREFETCH, /* loads far ahead, ordinary stores */
    CPU_COPY_STRING,   /* the processor's own block move */
};

enum cpu_fill_way {
    CPU_FILL_PLAIN,
    CPU_FILL_STREAMED,
    CPU_FILL_STRING,
    CPU_FILL_NONE, /* so that both have CPU_WAYS */
};

bool cpu_copy_by(uint32_t way, uint8_t *destination, const uint8_t *source, uint64_t size);

/* Byte i becomes byte i mod 8 of `word` as it lies in memory. */
bool cpu_fill_by(uint32_t way, uint8_t *destination, uint64_t word, uint64_t size);

#endif
