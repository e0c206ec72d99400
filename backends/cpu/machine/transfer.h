/* cpu backend: copies and fills of any size, by the way that is fastest here.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MACHINE_TRANSFER_H
#define BACKENDS_CPU_MACHINE_TRANSFER_H

#include "backends/cpu/machine/copy_loops.h"

#include <stdatomic.h>
#include <stdint.h>

/* Several ways to do the same, of which the fastest is found while working: each is tried in turn at
 * first, and again now and then. */
struct cpu_tuner {
    _Atomic uint32_t turns;
    _Atomic uint32_t best;
    _Atomic uint64_t ticks[CPU_WAYS]; /* for 64 KiB, lately; 0: not tried */
};

struct cpu_transfers {
    struct cpu_tuner copies[2]; /* of what is about as large as the cache, and of what is larger by far */
    struct cpu_tuner fills[2];
    uint64_t beyond_cache; /* from this size on an operation does not fit the cache, and the tuners choose */
};

void cpu_transfers_init(struct cpu_transfers *transfers, uint64_t cache_bytes);

/* `whole` is the size of the operation that this is a part of. */
void cpu_transfer_copy(struct cpu_transfers *transfers, uint8_t *destination, const uint8_t *source,
                       uint64_t size, uint64_t whole);
void cpu_transfer_fill(struct cpu_transfers *transfers, uint8_t *destination, uint64_t word, uint64_t size,
                       uint64_t whole);
void cpu_transfer_copy_2d(uint8_t *destination, uint64_t destination_pitch, const uint8_t *source,
                          uint64_t source_pitch, uint64_t width, uint64_t rows);

/* A pattern of 1, 2, 4 or 8 bytes repeated to 8. */
uint64_t cpu_pattern_word(uint64_t pattern, uint32_t pattern_size);

#endif
