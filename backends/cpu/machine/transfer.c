/* cpu backend: copies and fills.
 *
 * Operations that fit the cache use memcpy(): its ordinary stores leave the data where the next kernel wants
 * it. For larger ones the fastest method differs between processors (non-temporal stores win on some and
 * lose on others), so the methods are timed on the real work.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cpu/machine/transfer.h"

#include "backends/cpu/machine/clock.h"

#include <string.h>

#define TRIALS (4u * CPU_METHODS) /* parts that are spread over all methods at first */
#define TRY_AGAIN 32u             /* afterwards, one part in this many tries a method again */
#define LEAST_MEASURED (64u << 10)
#define LEAST_BEYOND (4ull << 20)
#define MOST_BEYOND (16ull << 20)
#define FAR_BEYOND 3u /* times beyond_cache: from here on an operation is far larger than the cache */
#define NEVER_TICKS (UINT64_MAX / 2)

/* Half of the cache, since other threads use it too, within bounds. */
void cpu_transfers_init(struct cpu_transfers *transfers, uint64_t cache_bytes)
{
    uint64_t half           = cache_bytes / 2;
    transfers->beyond_cache = half < LEAST_BEYOND ? LEAST_BEYOND : half > MOST_BEYOND ? MOST_BEYOND : half;
}

static uint32_t choose(struct cpu_tuner *tuner)
{
    uint32_t turn = atomic_fetch_add_explicit(&tuner->turns, 1, memory_order_relaxed);
    if (turn < TRIALS)
        return turn % CPU_METHODS;
    if (turn % TRY_AGAIN == 0)
        return turn / TRY_AGAIN % CPU_METHODS;
    return atomic_load_explicit(&tuner->best, memory_order_relaxed);
}

/* Disturbances (first touches, a preempted thread) make measurements longer, so a shorter measurement weighs
 * more than a longer one. Longer ones weigh in slowly, so that one that was too short because its data was in
 * the cache is forgotten again. */
static uint64_t blend(uint64_t known, uint64_t ticks)
{
    if (known == 0 || ticks >= NEVER_TICKS)
        return ticks + 1;
    if (ticks < known)
        return known - (known - ticks) / 2;
    return known + ((ticks < 2 * known ? ticks : 2 * known) - known) / 8;
}

/* A race between threads loses one measurement and does no other harm. */
static void learn(struct cpu_tuner *tuner, uint32_t method, uint64_t ticks)
{
    uint64_t known = atomic_load_explicit(&tuner->ticks[method], memory_order_relaxed);
    atomic_store_explicit(&tuner->ticks[method], blend(known, ticks), memory_order_relaxed);
    uint32_t best  = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < CPU_METHODS; i++) {
        uint64_t its = atomic_load_explicit(&tuner->ticks[i], memory_order_relaxed);
        if (its != 0 && its < least) {
            least = its;
            best  = i;
        }
    }
    atomic_store_explicit(&tuner->best, best, memory_order_relaxed);
}

static uint64_t for_64_kib(uint64_t ticks, uint64_t size)
{
    return ticks < UINT64_MAX >> 17 ? (ticks << 16) / size : NEVER_TICKS;
}

void cpu_transfer_copy(struct cpu_transfers *transfers, uint8_t *destination, const uint8_t *source,
                       uint64_t size, uint64_t whole)
{
    if (whole < transfers->beyond_cache || size < LEAST_MEASURED) {
        memcpy(destination, source, size);
        return;
    }
    struct cpu_tuner *tuner = &transfers->copies[whole >= FAR_BEYOND * transfers->beyond_cache];
    uint32_t method         = choose(tuner);
    uint64_t start          = cpu_ticks();
    if (cpu_copy_with(method, destination, source, size)) {
        learn(tuner, method, for_64_kib(cpu_ticks() - start, size));
        return;
    }
    learn(tuner, method, NEVER_TICKS);
    memcpy(destination, source, size);
}

void cpu_transfer_fill(struct cpu_transfers *transfers, uint8_t *destination, uint64_t word, uint64_t size,
                       uint64_t whole)
{
    if (whole < transfers->beyond_cache || size < LEAST_MEASURED) {
        cpu_fill_with(CPU_FILL_PLAIN, destination, word, size);
        return;
    }
    struct cpu_tuner *tuner = &transfers->fills[whole >= FAR_BEYOND * transfers->beyond_cache];
    uint32_t method         = choose(tuner);
    uint64_t start          = cpu_ticks();
    if (cpu_fill_with(method, destination, word, size)) {
        learn(tuner, method, for_64_kib(cpu_ticks() - start, size));
        return;
    }
    learn(tuner, method, NEVER_TICKS);
    cpu_fill_with(CPU_FILL_PLAIN, destination, word, size);
}

void cpu_transfer_copy_2d(uint8_t *destination, uint64_t destination_pitch, const uint8_t *source,
                          uint64_t source_pitch, uint64_t width, uint64_t rows)
{
    if (destination_pitch == width && source_pitch == width) {
        memcpy(destination, source, width * rows);
        return;
    }
    for (uint64_t row = 0; row < rows; row++)
        memcpy(destination + row * destination_pitch, source + row * source_pitch, width);
}

uint64_t cpu_pattern_word(uint64_t pattern, uint32_t pattern_size)
{
    uint8_t bytes[8];
    uint64_t word;
    for (uint32_t i = 0; i < 8; i += pattern_size)
        memcpy(bytes + i, &pattern, pattern_size);
    memcpy(&word, bytes, sizeof(word));
    return word;
}
