/* Starts the library's own threads.
 * SPDX-License-Identifier: MIT
 */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Starts a thread with all signals blocked, so that the program's threads handle them. `thread` NULL starts
 * a detached thread. `name` is for the error message, and names the thread (15 bytes at most) unless it is
 * detached. Errors: OUT_OF_HOST_MEMORY when the system has no thread left. */
int32_t base_thread_start(void *(*run)(void *), void *argument, size_t stack_bytes, const char *name,
                          pthread_t *thread);

/* Nanoseconds that the calling thread has run on a processor. One system call. */
uint64_t base_thread_time(void);

#endif
