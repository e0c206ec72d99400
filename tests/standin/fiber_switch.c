/* On x86-64 a few instructions: ucontext asks the kernel for the mask of signals each time. The last is a
 * jump, since a processor takes a `ret` for that of the last call, which was on another stack.
 * SPDX-License-Identifier: MIT
 */
#include "tests/standin/fiber_switch.h"

#include <stdint.h>

#ifdef STANDIN_HAS_UCONTEXT

NOT_INSTRUMENTED void fiber_begin(struct fiber_stack *stack, void *bytes, size_t size, void (*function)(void))
{
    getcontext(&stack->context);
    stack->context.uc_stack.ss_sp   = bytes;
    stack->context.uc_stack.ss_size = size;
    stack->context.uc_link          = NULL;
    makecontext(&stack->context, function, 0);
}

void fiber_switch(struct fiber_stack *from, const struct fiber_stack *to)
{
    swapcontext(&from->context, &to->context);
}

#else

#define SAVED 6 /* registers that a function must leave as they were */

NOT_INSTRUMENTED void fiber_begin(struct fiber_stack *stack, void *bytes, size_t size, void (*function)(void))
{
    uintptr_t *top = (uintptr_t *)((unsigned char *)bytes + size / 16 * 16);

    *--top = 0; /* no return address; the stack is aligned as after a call */
    *--top = (uintptr_t)function;
    for (int i = 0; i < SAVED; i++)
        *--top = 0;
    stack->pointer = top;
}

__asm__(".text\n"
        ".globl fiber_switch\n"
        ".hidden fiber_switch\n"
        ".type fiber_switch, @function\n"
        "fiber_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    popq %rcx\n"
        "    jmp *%rcx\n"
        ".size fiber_switch, . - fiber_switch\n");

#endif
