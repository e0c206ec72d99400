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

#endif
