/* The work-items of a group where they wait for each other: each has a stack of its own, and they take turns
 * in one thread.
 *
 * A warp runs until each of its lanes waits or has ended. Lanes that wait for the same thing go on together.
 * Of those that ask which lanes are active, the ones at the first place in the code are, as on a device that
 * lets diverged lanes catch up; lanes that have gone further wait for them.
 *
 * Nothing here that runs on the stack of a work-item may be instrumented by sanitizers, which do not know
 * these stacks. What runs the work-items is not instrumented either: no other thread sees what it reads and
 * writes, and a launch has millions of turns.
 * SPDX-License-Identifier: MIT
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/standin/fiber_switch.h"
#include "tests/standin/object.h"
#include "tests/standin/standin.h"

#define FIBERS_MOST 1024u
#define LANES 32u
#define GUARD_BYTES 4096u
/* An odd number of pages: a cache holds few lines that are a power of two apart. */
#define STACK_BYTES (17 * GUARD_BYTES)
#define GARBAGE UINT64_C(0xfdfdfdfdfdfdfdfd)

#define ON_OWN_STACK NOT_INSTRUMENTED __attribute__((noinline))

enum state {
    READY,
    AT_BARRIER,
    AT_MASK,       /* asks which lanes are active */
    AT_COLLECTIVE, /* waits for the lanes of its mask */
    DONE,
};

struct fiber {
    struct fiber_stack stack;
    struct standin_index thread;
    enum state state;
    const void *place;
    enum standin_collective collective;
    uint32_t mask, argument, width;
    uint64_t value, result;
};

struct group {
    struct group *next; /* of all threads */
    struct fiber fibers[FIBERS_MOST];
    uint32_t count, current;
    uint32_t end;   /* behind the last lane of the warp that runs */
    bool has_asked; /* a lane of it has asked for a mask or waited for other lanes */
    struct fiber_stack scheduler;
    unsigned char *stacks;
    const struct standin_kernel *kernel;
    struct standin_item *item;
    void **parameters;
    bool backwards; /* the order of warps, which kernels must not rely on */
};

/* The worker's; work-items take turns in it. It is looked up at each turn, of which a launch has millions: so
 * not by a call. */
static _Thread_local struct group *group __attribute__((tls_model("initial-exec")));

/* ---- on the stacks of work-items */

/* The stack of the first lane from this one on that can run, which becomes the current one; where there is
 * none, that of the scheduler. */
NOT_INSTRUMENTED static inline const struct fiber_stack *next_lane(struct group *of, uint32_t lane)
{
    while (lane < of->end && of->fibers[lane].state != READY)
        lane++;
    if (lane >= of->end)
        return &of->scheduler;
    of->current      = lane;
    of->item->thread = of->fibers[lane].thread;
    return &of->fibers[lane].stack;
}

/* Goes to the next lane at once and not through the scheduler: a launch has millions of turns. */
NOT_INSTRUMENTED static inline void pause_item(enum state state)
{
    struct group *own   = group;
    struct fiber *fiber = &own->fibers[own->current];

    fiber->state = state;
    fiber_switch(&fiber->stack, next_lane(own, own->current + 1));
}

ON_OWN_STACK static void exit_item(void)
{
    for (;;)
        pause_item(DONE);
}

ON_OWN_STACK static void item_main(void)
{
    group->kernel->item(group->parameters);
    exit_item();
}

ON_OWN_STACK static unsigned int barrier_count(int predicate)
{
    group->fibers[group->current].value = predicate != 0;
    pause_item(AT_BARRIER);
    return (unsigned int)group->fibers[group->current].result;
}

ON_OWN_STACK static void barrier(void)
{
    group->fibers[group->current].value = 0;
    pause_item(AT_BARRIER);
}

ON_OWN_STACK static unsigned int active_mask(const void *place)
{
    group->fibers[group->current].place = place;
    group->has_asked                    = true;
    pause_item(AT_MASK);
    return (unsigned int)group->fibers[group->current].result;
}

ON_OWN_STACK static unsigned long long collective(enum standin_collective kind, unsigned int mask,
                                                  unsigned long long value, unsigned int argument,
                                                  unsigned int width)
{
    struct fiber *fiber = &group->fibers[group->current];

    fiber->collective = kind;
    fiber->mask       = mask;
    fiber->value      = value;
    fiber->argument   = argument;
    fiber->width      = width;
    group->has_asked  = true;
    pause_item(AT_COLLECTIVE);
    return fiber->result;
}

ON_OWN_STACK static unsigned int lane(void)
{
    return group->current % LANES;
}

static void trap(void)
{
    guard_leave(CUDA_ERROR_LAUNCH_FAILED);
}

static const struct standin_runtime runtime = {
    .barrier       = barrier,
    .barrier_count = barrier_count,
    .active_mask   = active_mask,
    .collective    = collective,
    .lane          = lane,
    .trap          = trap,
    .exit          = exit_item,
    .sample        = texture_sample,
};

const struct standin_runtime *fiber_runtime(void)
{
    return &runtime;
}

/* ---- a warp */

NOT_INSTRUMENTED static uint32_t lanes_in(const struct fiber *warp, uint32_t count, enum state state)
{
    uint32_t mask = 0;

    for (uint32_t i = 0; i < count; i++)
        if (warp[i].state == state)
            mask |= UINT32_C(1) << i;
    return mask;
}

/* The lane that one reads, itself where the segment ends. */
NOT_INSTRUMENTED static uint32_t source_of(const struct fiber *fiber, uint32_t lane)
{
    uint32_t first = lane & ~(fiber->width - 1), other;

    switch (fiber->collective) {
    case STANDIN_SHUFFLE_UP:
        return lane - first < fiber->argument ? lane : lane - fiber->argument;
    case STANDIN_SHUFFLE_DOWN:
        return lane - first + fiber->argument >= fiber->width ? lane : lane + fiber->argument;
    case STANDIN_SHUFFLE_XOR:
        other = lane ^ fiber->argument;
        return other >= first + fiber->width ? lane : other;
    default:
        return first | (fiber->argument & (fiber->width - 1));
    }
}

/* What a lane gets; `mask` are those that take part. */
NOT_INSTRUMENTED static uint64_t answer(const struct fiber *warp, uint32_t lane, uint32_t mask)
{
    uint64_t lanes = 0;

    switch (warp[lane].collective) {
    case STANDIN_BALLOT:
        for (uint32_t i = 0; i < LANES; i++)
            if ((mask >> i & 1) != 0 && warp[i].value != 0)
                lanes |= UINT64_C(1) << i;
        return lanes;
    case STANDIN_MATCH:
        for (uint32_t i = 0; i < LANES; i++)
            if ((mask >> i & 1) != 0 && warp[i].value == warp[lane].value)
                lanes |= UINT64_C(1) << i;
        return lanes;
    case STANDIN_SYNC:
        return 0;
    default: {
        uint32_t source = source_of(&warp[lane], lane);
        return (mask >> source & 1) != 0 ? warp[source].value : GARBAGE;
    }
    }
}

/* The lanes that a lane waits with; 0: some have not come yet. Those that have ended are not waited for. */
NOT_INSTRUMENTED static uint32_t company(const struct fiber *warp, uint32_t count, uint32_t lane)
{
    uint32_t mask = 0;

    for (uint32_t i = 0; i < count; i++) {
        if ((warp[lane].mask >> i & 1) == 0 || warp[i].state == DONE)
            continue;
        if (warp[i].state != AT_COLLECTIVE || warp[i].mask != warp[lane].mask)
            return 0;
        mask |= UINT32_C(1) << i;
    }
    return mask;
}

/* Lanes whose mask is complete go on. */
NOT_INSTRUMENTED static bool resolve_collective(struct fiber *warp, uint32_t count)
{
    bool is_resolved = false;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t mask = warp[i].state == AT_COLLECTIVE ? company(warp, count, i) : 0;
        for (uint32_t j = 0; j < count && mask != 0; j++)
            if (mask >> j & 1)
                warp[j].result = answer(warp, j, mask);
        for (uint32_t j = 0; j < count && mask != 0; j++)
            if (mask >> j & 1)
                warp[j].state = READY;
        is_resolved = is_resolved || mask != 0;
    }
    return is_resolved;
}

/* Those at the first place in the code go on. */
NOT_INSTRUMENTED static bool resolve_mask(struct fiber *warp, uint32_t count)
{
    const void *first = NULL;
    uint32_t mask     = 0;

    for (uint32_t i = 0; i < count; i++)
        if (warp[i].state == AT_MASK && (first == NULL || (uintptr_t)warp[i].place < (uintptr_t)first))
            first = warp[i].place;
    if (first == NULL)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (warp[i].state == AT_MASK && warp[i].place == first)
            mask |= UINT32_C(1) << i;
    for (uint32_t i = 0; i < count; i++) {
        if ((mask >> i & 1) == 0)
            continue;
        warp[i].result = mask;
        warp[i].state  = READY;
    }
    return true;
}

NOT_INSTRUMENTED static void run_lanes(uint32_t first)
{
    const struct fiber_stack *stack = next_lane(group, first);

    if (stack != &group->scheduler)
        fiber_switch(&group->scheduler, stack);
}

/* Until each lane has ended or waits at a barrier. False: some never will. */
NOT_INSTRUMENTED static bool run_warp(uint32_t first)
{
    uint32_t count     = group->count - first < LANES ? group->count - first : LANES;
    struct fiber *warp = &group->fibers[first];

    group->end       = first + count;
    group->has_asked = false;
    do
        run_lanes(first);
    while (group->has_asked && (resolve_collective(warp, count) || resolve_mask(warp, count)));
    return !group->has_asked || lanes_in(warp, count, AT_COLLECTIVE) == 0;
}

/* ---- a group */

NOT_INSTRUMENTED static bool is_done(void)
{
    for (uint32_t i = 0; i < group->count; i++)
        if (group->fibers[i].state != DONE)
            return false;
    return true;
}

NOT_INSTRUMENTED static void release_barrier(void)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < group->count; i++)
        if (group->fibers[i].state == AT_BARRIER)
            count += group->fibers[i].value;
    for (uint32_t i = 0; i < group->count; i++) {
        if (group->fibers[i].state != AT_BARRIER)
            continue;
        group->fibers[i].result = count;
        group->fibers[i].state  = READY;
    }
}

NOT_INSTRUMENTED static void begin_items(void)
{
    const struct standin_index *threads = &group->item->threads;

    for (uint32_t i = 0; i < group->count; i++) {
        struct fiber *fiber = &group->fibers[i];
        fiber->state        = READY;
        fiber->thread =
            (struct standin_index){i % threads->x, i / threads->x % threads->y, i / threads->x / threads->y};
        fiber_begin(&fiber->stack, group->stacks + (size_t)i * STACK_BYTES, STACK_BYTES, item_main);
    }
}

NOT_INSTRUMENTED CUresult fiber_run_group(void)
{
    uint32_t warps = (group->count + LANES - 1) / LANES;

    begin_items();
    while (!is_done()) {
        for (uint32_t i = 0; i < warps; i++) {
            if (run_warp(LANES * (group->backwards ? warps - 1 - i : i)))
                continue;
            standin_breach("lanes of a warp wait for lanes that do not come");
            return CUDA_ERROR_LAUNCH_TIMEOUT;
        }
        group->backwards = !group->backwards;
        release_barrier();
    }
    return CUDA_SUCCESS;
}

/* Children of a fork have the memory of groups and not their threads. */
static _Atomic(struct group *) groups;

static bool open_group(void)
{
    if (group != NULL)
        return true;
    size_t bytes        = (size_t)FIBERS_MOST * STACK_BYTES;
    struct group *fresh = calloc(1, sizeof(*fresh));
    if (fresh == NULL)
        return false;
    fresh->stacks =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (fresh->stacks == MAP_FAILED) {
        free(fresh);
        return false;
    }
    /* The end of each stack is no memory. */
    for (uint32_t i = 0; i < FIBERS_MOST; i++)
        mprotect(fresh->stacks + (size_t)i * STACK_BYTES, GUARD_BYTES, PROT_NONE);
    fresh->next = atomic_load(&groups);
    while (!atomic_compare_exchange_weak(&groups, &fresh->next, fresh))
        ;
    group = fresh;
    return true;
}

bool fiber_prepare(const struct portion *portion, void **parameters)
{
    const uint32_t *items = portion->launch->items;

    if (!open_group())
        return false;
    group->kernel     = portion->kernel;
    group->item       = portion->code->item;
    group->parameters = parameters;
    group->count      = items[0] * items[1] * items[2];
    return true;
}
