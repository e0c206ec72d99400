/* cpu backend: running a program and hearing what it says.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_CPU_MODULE_SPAWN_H
#define BACKENDS_CPU_MODULE_SPAWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CPU_SPAWN_OUTPUT 8192 /* bytes of what the program says that are kept */

struct cpu_spawn {
    char *const *arguments;   /* the first is the program's absolute path; NULL ends */
    char *const *environment; /* all of it; NULL ends */
    uint32_t timeout_ms;
    /* What comes out. */
    char output[CPU_SPAWN_OUTPUT]; /* of stdout and stderr; ends with a zero */
    bool timed_out;                /* it was killed, with all that it had started */
    bool status_known;             /* false where the program reaps all children itself, or ignores SIGCHLD */
    int status;                    /* of wait() */
};

/* Run a program to its end: without input, with no other file of this process open, with no signal blocked or ignored. Blocks
 * for timeout_ms at most. 0, or the number of the error (errno) that kept it from starting. */
int cpu_spawn_run(struct cpu_spawn *spawn);

#endif
