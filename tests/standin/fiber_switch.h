/* Going from one stack to another in one thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef CUDA_STANDIN_FIBER_SWITCH_H
#define CUDA_STANDIN_FIBER_SWITCH_H

#include <stddef.h>

#if !defined(__x86_64__) || defined(STANDIN_UCONTEXT)
#define STANDIN_HAS_UCONTEXT 1
#include <ucontext.h>
#endif

#define NOT_INSTRUMENTED \
    __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined")))

/* Where a stack was left. */
struct fiber_stack {
#ifdef STANDIN_HAS_UCONTEXT
    ucontext_t context;
#else
    void *pointer;
#endif
};

/* A stack that begins in `function`, which never returns. */
void fiber_begin(struct fiber_stack *stack, void *bytes, size_t size, void (*function)(void));
/* Continues where `to` was left; returns when another switch goes to `from`. */
void fiber_switch(struct fiber_stack *from, const struct fiber_stack *to);

#endif
