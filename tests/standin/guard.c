/* Work that touches memory that is not there ends; the process does not.
 * SPDX-License-Identifier: MIT
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/standin/fiber_switch.h"
#include "tests/standin/standin.h"

#define STACK_BYTES 65536
#define SIGNALS 3
#define OWN 1000    /* more than any signal */
#define STOP SIGSYS /* the thread sanitizer holds back signals that no instruction of the thread may cause */
#define KERNEL_SET_BYTES 8 /* of a set of signals in a system call */

static const int signals[SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE};
static struct sigaction before[SIGNALS];

static _Thread_local sigjmp_buf way_out;
static _Thread_local volatile sig_atomic_t is_guarded;
static _Thread_local void *stack; /* for signals: the fault may be that of a stack */

/* A fault outside of guarded work restores the program's action; the instruction faults again under it. */
static void caught(int number)
{
    if (is_guarded)
        siglongjmp(way_out, number);
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == number)
            sigaction(number, &before[i], NULL);
}

static void stopped(int number)
{
    (void)number;
    guard_leave(CUDA_ERROR_LAUNCH_FAILED);
}

void guard_block_signals(sigset_t *previous)
{
    sigset_t others;

    sigfillset(&others);
    for (int i = 0; i < SIGNALS; i++)
        sigdelset(&others, signals[i]);
    pthread_sigmask(SIG_SETMASK, &others, previous);
}

/* By a system call: in a call that the thread sanitizer has replaced, the signal would find its locks
 * taken. */
NOT_INSTRUMENTED static void mask_stop(int how)
{
    static const uint64_t set = UINT64_C(1) << (STOP - 1);

    syscall(SYS_rt_sigprocmask, how, &set, NULL, KERNEL_SET_BYTES);
}

NOT_INSTRUMENTED void guard_allow_stop(void)
{
    mask_stop(SIG_UNBLOCK);
}

NOT_INSTRUMENTED void guard_refuse_stop(void)
{
    mask_stop(SIG_BLOCK);
}

void guard_stop(pthread_t thread)
{
    pthread_kill(thread, STOP);
}

void guard_forget_stop(void)
{
    const struct timespec at_once = {0};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, STOP);
    sigtimedwait(&set, NULL, &at_once);
}

void guard_install(void)
{
    struct sigaction action = {.sa_handler = caught, .sa_flags = SA_ONSTACK | SA_NODEFER};
    struct sigaction stop   = {.sa_handler = stopped, .sa_flags = SA_ONSTACK | SA_NODEFER | SA_RESTART};

    sigemptyset(&action.sa_mask);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &before[i]);
    sigemptyset(&stop.sa_mask);
    sigaction(STOP, &stop, NULL);
}

/* What a thread of the stand-in has for good. Listed, since children of a fork have the memory and not the
 * threads. */
struct alternate {
    struct alternate *next;
    unsigned char stack[STACK_BYTES];
};
static _Atomic(struct alternate *) alternates;

static void prepare_thread(void)
{
    if (stack != NULL)
        return;
    struct alternate *made = malloc(sizeof(*made));
    if (made == NULL)
        return;
    made->next = atomic_load(&alternates);
    while (!atomic_compare_exchange_weak(&alternates, &made->next, made))
        ;
    stack       = made->stack;
    stack_t own = {.ss_sp = stack, .ss_size = STACK_BYTES};
    sigaltstack(&own, NULL);
}

NOT_INSTRUMENTED _Noreturn void guard_leave(CUresult result)
{
    guard_refuse_stop();
    siglongjmp(way_out, OWN + (int)result);
}

CUresult guard_run(CUresult (*function)(const void *data), const void *data)
{
    prepare_thread();
    /* The mask is kept: a handler that leaves this way has signals blocked. */
    int number = sigsetjmp(way_out, 1);
    if (number != 0) {
        is_guarded = 0;
        if (number >= OWN)
            return (CUresult)(number - OWN);
        return number == SIGFPE ? CUDA_ERROR_LAUNCH_FAILED : CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    is_guarded      = 1;
    CUresult result = function(data);
    is_guarded      = 0;
    return result;
}
