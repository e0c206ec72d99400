/* cuda backend: signals are the program's. The driver starts threads of its own, which inherit the mask of the thread that
 * calls it, and would then run the program's handlers; so would ours.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_SIGNALS_H
#define CUDA_SIGNALS_H

#include <pthread.h>
#include <signal.h>

/* Around what may start threads: all signals wait until they are let in again. */
static inline void cuda_signals_hold(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static inline void cuda_signals_let(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif
