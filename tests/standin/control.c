/* What tests are given.
 * SPDX-License-Identifier: MIT
 */
#include "tests/standin/control.h"

#include <stdio.h>

#include "tests/standin/standin.h"

static uint64_t pool_count(void)
{
    uint64_t count = object_count(OBJECT_POOL);

    for (int i = 0; device_of(i) != NULL; i++)
        count -= device_of(i)->pool != NULL;
    return count;
}

/* Each context has a stream of its own. */
static uint64_t stream_count(void)
{
    return object_count(OBJECT_STREAM) - object_count(OBJECT_CONTEXT);
}

/* With the lock. */
static struct cuda_standin_account account_now(void)
{
    uint64_t device_bytes, pool_bytes, pinned_bytes;
    uint64_t allocations = span_count(SPAN_DEVICE, &device_bytes);
    allocations += span_count(SPAN_POOL, &pool_bytes);
    uint64_t pinned   = span_count(SPAN_PINNED, &pinned_bytes);
    uint64_t mappings = span_count(SPAN_MAPPED, NULL) + span_count(SPAN_EXTERNAL, NULL);
    mappings += span_count(SPAN_OPENED, NULL);

    return (struct cuda_standin_account){
        .contexts            = object_count(OBJECT_CONTEXT),
        .streams             = stream_count(),
        .events              = object_count(OBJECT_EVENT),
        .modules             = object_count(OBJECT_MODULE),
        .graphs              = object_count(OBJECT_GRAPH),
        .graph_executables   = object_count(OBJECT_GRAPH_EXECUTABLE),
        .pools               = pool_count(),
        .allocations         = allocations,
        .allocated_bytes     = device_bytes + pool_bytes,
        .pinned              = pinned,
        .pinned_bytes        = pinned_bytes,
        .managed             = span_count(SPAN_MANAGED, NULL),
        .registrations       = span_count(SPAN_REGISTERED, NULL),
        .handles             = object_count(OBJECT_MEMORY_HANDLE),
        .reservations        = reservation_count(),
        .mappings            = mappings,
        .external_memories   = object_count(OBJECT_EXTERNAL_MEMORY),
        .external_semaphores = object_count(OBJECT_EXTERNAL_SEMAPHORE),
        .textures            = object_count(OBJECT_TEXTURE),
    };
}

static void account(struct cuda_standin_account *account)
{
    standin_lock();
    *account = account_now();
    standin_unlock();
}

static uint64_t living(char *first, uint64_t capacity)
{
    struct cuda_standin_account now;

    account(&now);
    const struct {
        const char *name;
        uint64_t count;
    } kinds[] = {
        {"context", now.contexts},
        {"stream", now.streams},
        {"event", now.events},
        {"module", now.modules},
        {"graph", now.graphs},
        {"executable graph", now.graph_executables},
        {"memory pool", now.pools},
        {"allocation", now.allocations},
        {"pinned allocation", now.pinned},
        {"managed allocation", now.managed},
        {"registration", now.registrations},
        {"memory handle", now.handles},
        {"reservation of addresses", now.reservations},
        {"mapping", now.mappings},
        {"external memory", now.external_memories},
        {"external semaphore", now.external_semaphores},
        {"texture object", now.textures},
    };
    uint64_t total = 0;
    if (capacity != 0)
        *first = '\0';
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (total == 0 && kinds[i].count != 0 && capacity != 0)
            snprintf(first, capacity, "%s", kinds[i].name);
        total += kinds[i].count;
    }
    return total;
}

static uint64_t memory(int device)
{
    standin_lock();
    uint64_t used = device_of(device) == NULL ? 0 : device_of(device)->used;
    standin_unlock();
    return used;
}

static int configure(const char *text)
{
    standin_lock();
    int status = standin_configure(text);
    standin_unlock();
    return status;
}

extern __attribute__((visibility("default"))) const struct cuda_standin_control cuda_standin_control;

const struct cuda_standin_control cuda_standin_control = {
    .configure        = configure,
    .arm              = standin_arm,
    .failures         = standin_failures,
    .failed_function  = standin_failed_function,
    .fail_work        = standin_fail_work,
    .calls            = standin_calls,
    .fallible_calls   = standin_fallible_calls,
    .launched         = standin_launched,
    .hold             = standin_hold,
    .step             = standin_step,
    .release          = standin_release,
    .settle           = standin_settle,
    .pending          = standin_pending,
    .account          = account,
    .living           = living,
    .memory           = memory,
    .breaches         = standin_breaches,
    .forget_breaches  = standin_forget_breaches,
    .semaphore        = standin_semaphore,
    .signal_semaphore = standin_signal_semaphore,
    .semaphore_value  = standin_semaphore_value,
};
