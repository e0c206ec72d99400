/* Starting the library's own threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Start a thread that takes no signals: those are the program's. `thread` NULL: detached. Errors:
 * OUT_OF_HOST_MEMORY when the system has none to give. */
int32_t base_thread_start(void *(*run)(void *), void *argument, size_t stack_bytes, const char *name,
                          pthread_t *thread);

#endif
