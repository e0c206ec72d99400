/* Trireme: the first failure of a run, in any thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_OUTPUT_FAULT_H
#define TRIREME_TOOLS_OUTPUT_FAULT_H

#include <pthread.h>
#include <stdbool.h>

enum {
    FAULT_TEXT = 1024
};

/* The sentence of the first failure; later failures are ignored. */
struct fault {
    pthread_mutex_t lock;
    char text[FAULT_TEXT]; /* "" until something fails */
    bool misuse;           /* the command line is wrong */
};

void fault_init(struct fault *fault);
void fault_fini(struct fault *fault);

/* Set the sentence, formatted like printf(). Returns false, so that a failing function can return the
 * call. */
bool fault_set(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a command line that is wrong. */
bool fault_misuse(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set `what` and the library's last error of this thread. Returns false. */
bool fault_library(struct fault *fault, const char *what);

bool fault_is_set(struct fault *fault);

#endif
