/* Starts the library's own threads.
 * SPDX-License-Identifier: MIT
 */
#include "base/thread.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/error.h"

int32_t base_thread_start(void *(*run)(void *), void *argument, size_t stack_bytes, const char *name,
                          pthread_t *thread)
{
    pthread_t started;
    pthread_attr_t attributes;
    sigset_t all, before;
    int error = pthread_attr_init(&attributes);
    if (error == 0) {
        pthread_attr_setstacksize(&attributes, stack_bytes);
        if (thread == NULL)
            pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        /* A new thread inherits the signal mask of its creator. */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        error = pthread_create(&started, &attributes, run, argument);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        pthread_attr_destroy(&attributes);
    }
    if (error != 0)
        return base_fail(TRM_ERROR_OUT_OF_HOST_MEMORY, "cannot start a thread for %s: %s", name,
                         strerror(error));
    if (thread != NULL) {
        *thread = started;
        pthread_setname_np(started, name);
    }
    return TRM_OK;
}

uint64_t base_thread_time(void)
{
    struct timespec time;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}
