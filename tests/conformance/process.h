/* Child processes of a case.
 *
 * The child runs one function, which returns NULL on success, else a sentence for the case. It does not use
 * Check.
 * SPDX-License-Identifier: MIT
 */
#ifndef CONFORMANCE_PROCESS_H
#define CONFORMANCE_PROCESS_H

#include "harness.h"

#include <sys/types.h>

typedef const char *(*child_fn)(void *user);

struct child {
    pid_t pid;
    int output; /* what the child says */
};

/* Starts a child, which ends with _exit(0). */
struct child child_start(child_fn run, void *user);

/* Waits a minute at most for the child to end. The case fails when the child reported a sentence, crashed,
 * hung, or ended with another status. */
void child_end(struct child child, int expected_status);

/* Start and end. */
void child_run(child_fn run, void *user);

/* In the child: a sentence about a condition that does not hold, with its place and the last error. */
const char *child_complaint(const char *file, int line, const char *condition);

#define CHILD_CHECK(condition)                                      \
    do {                                                            \
        if (!(condition))                                           \
            return child_complaint(__FILE__, __LINE__, #condition); \
    } while (0)

#endif
