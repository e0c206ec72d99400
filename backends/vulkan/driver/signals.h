/* vulkan backend: signals are the program's. Drivers start threads of their own, which inherit the mask of the thread that
 * calls them, and would then run the program's handlers.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_DRIVER_SIGNALS_H
#define BACKENDS_VULKAN_DRIVER_SIGNALS_H

#include <pthread.h>
#include <signal.h>

/* Around what may start threads: all signals wait until they are let in again. */
static inline void vulkan_signals_hold(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static inline void vulkan_signals_let(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif
