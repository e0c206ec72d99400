/* cpu backend: copies and fills of any size, by the method that is fastest on this machine.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MACHINE_TRANSFER_H
#define BACKENDS_CPU_MACHINE_TRANSFER_H

#include "backends/cpu/machine/copy_loops.h"

#include <stdatomic.h>
#include <stdint.h>

/* Finds the fastest of several methods while they do real work: tries each in turn at first, and again now
 * and then. */
struct cpu_tuner {
    _Atomic uint32_t turns;
    _Atomic uint32_t best;
    _Atomic uint64_t ticks[CPU_METHODS]; /* for 64 KiB, recently; 0: not tried */
};

struct cpu_transfers {
    struct cpu_tuner copies[2]; /* [0]: operations about as large as the cache; [1]: far larger ones */
    struct cpu_tuner fills[2];
    uint64_t beyond_cache; /* bytes from which on an operation does not fit the cache, and a tuner chooses */
};

/* The tuners start from zeroed memory. */
void cpu_transfers_init(struct cpu_transfers *transfers, uint64_t cache_bytes);

/* Copy or fill one part of an operation. `whole` is the size of the operation. */
void cpu_transfer_copy(struct cpu_transfers *transfers, uint8_t *destination, const uint8_t *source,
                       uint64_t size, uint64_t whole);
void cpu_transfer_fill(struct cpu_transfers *transfers, uint8_t *destination, uint64_t word, uint64_t size,
                       uint64_t whole);
void cpu_transfer_copy_2d(uint8_t *destination, uint64_t destination_pitch, const uint8_t *source,
                          uint64_t source_pitch, uint64_t width, uint64_t rows);

/* A pattern of 1, 2, 4 or 8 bytes, repeated to 8. */
uint64_t cpu_pattern_word(uint64_t pattern, uint32_t pattern_size);

#endif
