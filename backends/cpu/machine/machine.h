/* cpu backend: the machine, as far as the other rooms need it. This room knows nothing of the backend's
 * objects.
 *
 *     machine.c     facts: processors, memory, caches, the model
 *     clock.h       a cheap clock for short stretches
 *     transfer.c    copies and fills by the fastest method
 *     copy_loops.c  the methods: inner loops of copies and fills
 *
 * The tuners of transfer.c and the rate of the clock are atomics; nothing here takes a lock. All functions
 * may be called from any thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MACHINE_MACHINE_H
#define BACKENDS_CPU_MACHINE_MACHINE_H

#include "backends/cpu/machine/clock.h"
#include "backends/cpu/machine/transfer.h"

#include <stddef.h>

#define CPU_LINE 64 /* bytes of a cache line */

/* Processors that this process may run on; at least 1. */
uint32_t cpu_processor_count(void);

/* Bytes of memory: of the machine, or of the control group of this process where that has less. */
uint64_t cpu_physical_bytes(void);

/* Bytes of memory that are available now; at most `physical_bytes`. */
uint64_t cpu_available_bytes(uint64_t physical_bytes);

/* Bytes of the last-level cache; 0: unknown. */
uint64_t cpu_cache_bytes(void);

/* The highest frequency of a processor; 0: unknown. */
uint64_t cpu_clock_hertz(void);

/* "AMD EPYC 7763 64-Core Processor"; "CPU" where the system does not say. */
void cpu_model_name(char *name, size_t capacity);

/* A text on which code for this very machine depends: two machines with the same text can run the same code.
 * Never empty. */
#define CPU_MODEL_BYTES 8192
void cpu_machine_model(char model[CPU_MODEL_BYTES]);

#endif
