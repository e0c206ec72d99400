/* A memory barrier between two sides, of which the one that passes it rarely pays for both.
 *
 * Each side writes a word and then reads the word of the other side. With base_barrier_light() between the
 * two on one side, and base_barrier_heavy() on the other, at least one of them sees what the other has
 * written. The light side only keeps the compiler from moving anything across. The heavy side makes all other
 * threads of the process pass a barrier, by the system call membarrier().
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_BARRIER_H
#define BASE_BARRIER_H

#include <stdatomic.h>
#include <stdbool.h>

/* Whether there are such barriers. The process has to register for the system call, which takes 2 us while
 * it has one thread and 20 ms later; so this function registers only in the first case. */
bool base_barrier_is_supported(void);

/* Only where it is supported. */
static inline void base_barrier_light(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

/* Orders what all threads of the process did before and do after. Where the call works no more, it waits
 * until all processors have written out their stores. */
void base_barrier_heavy(void);

#endif
