/* cpu backend: running a program and reading its output.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_SPAWN_H
#define BACKENDS_CPU_MODULE_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_SPAWN_OUTPUT 8192 /* bytes of output that are kept */

struct cpu_spawn {
    /* Written by the caller. */
    char *const *arguments;   /* the first is the absolute path of the program; NULL ends the list */
    char *const *environment; /* the whole environment; NULL ends the list */
    uint32_t timeout_ms;

    /* Written by cpu_spawn_run(). */
    char output[CPU_SPAWN_OUTPUT]; /* of stdout and stderr; ends with a zero */
    bool has_timed_out;            /* the program was killed, with all processes that it had started */
    bool has_status; /* false where this process reaps all children elsewhere, or ignores SIGCHLD */
    int status;      /* of waitpid() */
};

/* Run a program until it ends: without input, without any other file of this process, with no signal blocked
 * or ignored. Blocks for timeout_ms at most. Returns 0, or the errno that kept it from starting. */
int cpu_spawn_run(struct cpu_spawn *spawn);

#endif
