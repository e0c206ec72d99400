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

/* Clang's no_sanitize("thread") leaves calls at the begin and the end of a function, of which a stack that is
 * left for good has only the first: in time, the sanitizer's own stack is full. */
#if __has_attribute(disable_sanitizer_instrumentation)
#define NOT_INSTRUMENTED __attribute__((disable_sanitizer_instrumentation, no_sanitize("undefined")))
#else
#define NOT_INSTRUMENTED \
    __attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined")))
#endif

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
