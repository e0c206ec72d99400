/* cpu backend: the C compiler.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_COMPILER_H
#define BACKENDS_CPU_MODULE_COMPILER_H

#include "backends/cpu/device/device.h"

struct cpu_compiler {
    char path[TRM_PATH_MOST];
    char identity[128]; /* tells it from what may stand in its place tomorrow */
};

/* The one that the setting cpu.compiler means. `what` is what needs it, for the sentence: "Kernel 'saxpy'".
 * Errors: UNSUPPORTED, saying what to install; PERMISSION. */
int32_t cpu_compiler_find(struct trm_backend_instance *instance, const char *what,
                          struct cpu_compiler *compiler);

/* What code for this very machine depends on, in words. Never empty. */
#define CPU_MODEL_BYTES 8192
void cpu_compiler_machine(char model[CPU_MODEL_BYTES]);

/* Compile a text to a shared object at `path`, which may be there; flags: enum trm_build_flag.
 * Blocks. Errors: BACKEND with the compiler's first words (all of them go to the log); TIMEOUT. */
int32_t cpu_compile(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                    const char *name, const char *text, uint64_t length, uint32_t flags, const char *path);

/* The flags that it is called with, in one line. */
const char *cpu_compile_flags(uint32_t flags);

#endif
