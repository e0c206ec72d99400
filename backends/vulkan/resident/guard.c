/* vulkan backend: the guard of a line.
 *
 * A token may wait for a turn while no thread of the program looks: then the guard submits it. It does not
 * watch each turn, which would wake it as often as the program: it sleeps while nothing waits, and else looks
 * again after half of the setting vulkan.resident.wait. If there was no turn meanwhile, there is one now. A
 * turn that left before the token came hides one half, so a token waits for two at most.
 * SPDX-License-Identifier: MIT
 */
#include "line.h"

#include <stdlib.h>

#define WAIT_DEFAULT_US 500u

/* Under the lock, which is released meanwhile. Ends early when the word changes. */
static void doze(struct vulkan_line *line, uint64_t deadline)
{
    uint32_t seen = atomic_load(&line->guard_word);
    trm_util_lock_release(&line->lock);
    (void)trm_util_futex_wait(&line->guard_word, seen, deadline);
    trm_util_lock_acquire(&line->lock);
}

static void *guard(void *data)
{
    struct vulkan_line *line = data;
    trm_util_lock_acquire(&line->lock);
    while (!line->is_ending) {
        if (line->waiting == NULL || vulkan_device_is_lost(line->device)) {
            line->guard_sleeps = true;
            doze(line, TRM_UTIL_NEVER);
            continue;
        }
        uint64_t turns = line->turns;
        doze(line, trm_util_deadline(line->wait_ns / 2));
        if (!line->is_ending && line->waiting != NULL && line->turns == turns)
            vulkan_line_relieve(line);
    }
    trm_util_lock_release(&line->lock);
    return NULL;
}

static uint64_t wait_setting(const struct trm_host *host)
{
    char text[32];
    uint64_t needed = 0;
    if (host->get_setting(host->context, "vulkan.resident.wait", text, sizeof(text), &needed) != TRM_OK)
        return WAIT_DEFAULT_US * 1000u;
    return strtoull(text, NULL, 10) * 1000u;
}

int32_t vulkan_guard_start(struct vulkan_line *line)
{
    sigset_t before;
    line->wait_ns = wait_setting(line->device->instance->host);
    trm_util_signals_block(&before);
    line->has_guard = pthread_create(&line->guard, NULL, guard, line) == 0;
    trm_util_signals_restore(&before);
    return line->has_guard ? TRM_OK
                           : trm_util_fail_host_memory(line->device->instance->host,
                                                       "the thread of the resident streams");
}

void vulkan_guard_stop(struct vulkan_line *line)
{
    if (!line->has_guard)
        return;
    trm_util_lock_acquire(&line->lock);
    line->is_ending = true;
    trm_util_lock_release(&line->lock);
    atomic_fetch_add(&line->guard_word, 1);
    trm_util_futex_wake_all(&line->guard_word);
    pthread_join(line->guard, NULL);
    line->has_guard = false;
}
