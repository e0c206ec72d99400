/* vulkan backend: the line of a device: tokens that wait for a turn, and turns on the device.
 *
 * A turn is submitted
 *   - with a token that comes while no turn is known to be on the device;
 *   - behind another one, with a token that comes while a thread sleeps for a turn, and when the tokens that
 *     wait are half of the streams: then one half is on the device while the program is busy with the other;
 *   - when a thread looks at, or waits for, a token that has not ended, and then for all that wait;
 *   - by the guard, when nothing of that has happened for a while.
 * SPDX-License-Identifier: MIT
 */
#ifndef BACKENDS_VULKAN_RESIDENT_LINE_H
#define BACKENDS_VULKAN_RESIDENT_LINE_H

#include <pthread.h>

#include "backends/vulkan/driver/driver.h"
#include "backends/vulkan/stream/stream.h"

#define VULKAN_TURNS 2u      /* on the device */
#define VULKAN_TURN_MOST 16u /* tokens of a turn */

/* A token that was submitted, and its turn. */
struct vulkan_departure {
    uint64_t token, turn;                  /* 0: none */
    const struct trm_backend_graph *graph; /* that the host has to finish; NULL: none */
};

/* A resident stream. All under line->lock. */
struct vulkan_resident {
    struct vulkan_line *line;
    struct vulkan_resident *next;          /* in line->waiting */
    VkCommandBuffer command;               /* of the token that waits */
    const struct trm_backend_graph *graph; /* of the token that waits, if the host has to finish it */
    bool has_barrier;                      /* at the front of the command */
    bool is_waiting;
    uint64_t enqueued;                                /* the last token */
    uint64_t completed;                               /* tokens up to here are known to have ended */
    uint64_t last_turn;                               /* of the last token that was submitted */
    struct vulkan_departure departures[VULKAN_TURNS]; /* by the number of the turn */
    int32_t failure;                                  /* TRM_OK, or why no later token is submitted */
    VkResult native;
};

struct vulkan_line {
    struct trm_backend_device *device;
    struct vulkan_queue *queue;
    struct vulkan_timeline *timeline; /* has the number of the last turn that has ended */
    VkCommandPool pool;
    VkCommandBuffer barrier; /* in front of a turn that does not begin with one */
    uint32_t streams;        /* under the device's lazy_lock; read under `lock` as well */
    struct trm_util_lock lock;
    struct vulkan_resident *waiting, *last_waiting;
    _Atomic uint32_t waiting_count;  /* written under the lock */
    uint32_t sleepers;               /* threads that sleep for a turn */
    uint64_t turns;                  /* submitted so far */
    uint64_t ended;                  /* known to have ended */
    struct vulkan_turn_times *times; /* times.c; NULL: none */
    uint64_t wait_ns;                /* the setting vulkan.resident.wait */
    pthread_t guard;                 /* guard.c */
    bool has_guard, guard_sleeps, is_ending;
    _Atomic uint32_t guard_word; /* changes when the guard shall look */
};

/* ---- line.c --------------------------------------------------------------------------------- */

/* Join the device's line, which the first one makes. Errors: OUT_OF_HOST_MEMORY and the like. */
int32_t vulkan_line_join(struct trm_backend_device *device, struct vulkan_resident *resident);
/* Leave it. Waits for the stream's tokens, unless the device is lost; those that wait are dropped. */
void vulkan_line_leave(struct vulkan_resident *resident);

/* Whether the next token is probably the first one of its turn, which begins with a barrier. */
static inline bool vulkan_line_begins(const struct vulkan_line *line)
{
    return line->times == NULL &&
           atomic_load_explicit(&line->waiting_count, memory_order_relaxed) % VULKAN_TURN_MOST == 0;
}

/* Submit a token with the next turn. A failure is returned at once, although earlier tokens of the stream may
 * still be on the device: the core asks vulkan_line_query() before it lets go of memory.
 *
 * unfinished   the graph whose launch it is, if the host has to finish it; NULL: none
 * command      may be pending
 * has_barrier  at its front
 */
int32_t vulkan_line_submit(struct vulkan_resident *resident, uint64_t token,
                           const struct trm_backend_graph *unfinished, VkCommandBuffer command,
                           bool has_barrier);

/* As the slots query and wait of a stream table. */
int32_t vulkan_line_query(struct vulkan_resident *resident, uint64_t *completed);
int32_t vulkan_line_wait(struct vulkan_resident *resident, uint64_t token, uint64_t timeout_ns);

/* For the guard, under the lock: submit what waits, and sleep first until it may be. The lock is released
 * meanwhile. */
void vulkan_line_relieve(struct vulkan_line *line);

/* When the stream's last token, which has ended, ran: the times of its turn. Errors: UNSUPPORTED where the
 * device has no time stamps, or too many turns came after it. */
int32_t vulkan_line_times(struct vulkan_resident *resident, uint64_t token, uint64_t *begin, uint64_t *end);

/* ---- times.c -------------------------------------------------------------------------------- */

/* Make line->times, where time stamps of a token are not in its graph: on devices with memory of their own.
 * Without time stamps line->times stays NULL. */
int32_t vulkan_turn_times_create(struct vulkan_line *line);
void vulkan_turn_times_destroy(struct vulkan_line *line); /* nothing of the line is on the device */

/* What stands before and behind the commands of a turn that is about to be submitted. Under the lock. */
void vulkan_turn_times_frame(struct vulkan_line *line, uint64_t turn, VkCommandBuffer *before,
                             VkCommandBuffer *behind);
int32_t vulkan_turn_times_read(struct vulkan_line *line, uint64_t turn, uint64_t *begin, uint64_t *end);

/* Allocate a command buffer of the line's pool that may be pending more than once, and begin it. */
int32_t vulkan_line_begin_commands(struct vulkan_line *line, VkCommandBuffer *commands);

/* ---- guard.c -------------------------------------------------------------------------------- */

int32_t vulkan_guard_start(struct vulkan_line *line);
/* Waits for the thread's end. The caller does not hold the lock. */
void vulkan_guard_stop(struct vulkan_line *line);

/* Under the lock: a token waits for a turn. */
static inline void vulkan_guard_alert(struct vulkan_line *line)
{
    if (TRM_UTIL_LIKELY(!line->guard_sleeps))
        return;
    line->guard_sleeps = false;
    atomic_fetch_add(&line->guard_word, 1);
    trm_util_futex_wake_one(&line->guard_word);
}

#endif
