/* Trireme: what went wrong first in a run, from whichever thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_FAULT_H
#define TRIREME_TOOLS_RUN_FAULT_H

#include <pthread.h>
#include <stdbool.h>

enum {
    FAULT_TEXT = 1024
};

/* One sentence, kept from the first to the last; what comes later is forgotten. */
struct fault {
    pthread_mutex_t lock;
    char text[FAULT_TEXT]; /* "" while nothing went wrong */
    bool misuse;           /* it is the command line that is wrong */
};

void fault_init(struct fault *fault);
void fault_fini(struct fault *fault);

/* Keep a sentence, in the words of printf(). Returns false, so that whoever fails can return that. */
bool fault_set(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a command line that is wrong. */
bool fault_misuse(struct fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Keep the library's last error of this thread, after what was being done. Returns false. */
bool fault_library(struct fault *fault, const char *what);

bool fault_is_set(struct fault *fault);

#endif
