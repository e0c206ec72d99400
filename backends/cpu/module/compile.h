/* cpu backend: compiling C to a shared object.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_COMPILE_H
#define BACKENDS_CPU_MODULE_COMPILE_H

#include "backends/cpu/module/compiler.h"

/* Code that was compiled, in a temporary folder. */
struct cpu_compiled {
    char path[TRM_PATH_MOST]; /* of the shared object */
    struct trm_program_result result;
};

/* Compile C to a shared object.
 *
 * name      of the kernel, for messages
 * flags     enum trm_build_flag
 * compiled  released with cpu_compiled_release()
 * Blocks    yes, until the compiler has ended
 * Errors    BACKEND with the compiler's first errors (all output goes to the log); those of program_run() of
 *           struct trm_host, which name the limits; UNSUPPORTED where the core is too old to run programs
 */
int32_t cpu_compile(struct trm_backend_instance *instance, const struct cpu_compiler *compiler,
                    const char *name, const char *text, uint64_t length, uint32_t flags,
                    struct cpu_compiled *compiled);

/* Remove the folder. Code that was loaded from it stays. */
void cpu_compiled_release(struct trm_backend_instance *instance, struct cpu_compiled *compiled);

/* The flags that the compiler is called with, in one line. The code is for the processor that runs this
 * process; with TRM_BUILD_PORTABLE, for any processor of its architecture. */
const char *cpu_compile_flags(uint32_t flags);

#endif
