/* cpu backend: the C compiler.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_COMPILER_H
#define BACKENDS_CPU_MODULE_COMPILER_H

#include "backends/cpu/device/device.h"

struct cpu_compiler {
    char path[TRM_PATH_MOST];
    char identity[128]; /* differs when the file is replaced */
};

/* Find the compiler that the setting cpu.compiler names.
 *
 * what    what needs it, to begin the sentence of a failure with: "Kernel 'saxpy'"
 * Errors  UNSUPPORTED, saying what to install; PERMISSION
 */
int32_t cpu_compiler_find(struct trm_backend_instance *instance, const char *what,
                          struct cpu_compiler *compiler);

/* Compile C to a shared object.
 *
 * name    of the kernel, for messages
 * flags   enum trm_build_flag
 * path    of the shared object, which is replaced if it exists
 * Blocks  yes, until the compiler has ended
 * Errors  BACKEND with the compiler's first errors (all output goes to the log); TIMEOUT
 */
int32_t cpu_compile(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                    const char *name, const char *text, uint64_t length, uint32_t flags, const char *path);

/* The flags that the compiler is called with, in one line. */
const char *cpu_compile_flags(uint32_t flags);

#endif
