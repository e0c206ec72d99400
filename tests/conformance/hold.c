/* Holding a stream at a place until the case lets it go on.
 * SPDX-License-Identifier: MIT
 */
#include "hold.h"

#include <pthread.h>

/* Lives until both the case and the callback have let go of it. */
struct hold {
    struct hold *next;
    unsigned references;
    bool open;
    unsigned delay;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static struct hold *holds; /* not opened yet */

#define MOST_THREADS 64
static pthread_t threads[MOST_THREADS];
static unsigned thread_count;

/* Asked once for each device under test. */
static struct trm_device *asked_device;
static bool works;

static void nothing(void *user, int32_t status)
{
    (void)user;
    (void)status;
}

bool hold_works(void)
{
    struct trm_stream_stats stats = {.struct_size = sizeof(stats)};
    struct trm_stream *stream     = NULL;
    if (asked_device == the.device)
        return works;
    ck_ok(trm_stream_create(the.device, TRM_STREAM_ANY, TRM_PRIORITY_NORMAL, &stream));
    ck_ok(trm_stream_callback(stream, nothing, NULL));
    ck_ok(trm_stream_sync(stream));
    ck_ok(trm_stream_get_stats(stream, &stats));
    trm_stream_destroy(stream);
    asked_device = the.device;
    works        = stats.host_waits == 0;
    return works;
}

/* The mutex is held. */
static void let_go(struct hold *hold)
{
    if (--hold->references == 0)
        free(hold);
}

static void wait_until_opened(void *user, int32_t status)
{
    struct hold *hold = user;
    (void)status;
    pthread_mutex_lock(&mutex);
    while (!hold->open)
        pthread_cond_wait(&opened, &mutex);
    let_go(hold);
    pthread_mutex_unlock(&mutex);
}

struct hold *hold_begin(struct trm_stream *stream)
{
    if (!hold_works())
        return NULL;
    struct hold *hold = calloc(1, sizeof(*hold));
    ck_assert_ptr_nonnull(hold);
    hold->references = 2;
    pthread_mutex_lock(&mutex);
    hold->next = holds;
    holds      = hold;
    pthread_mutex_unlock(&mutex);
    ck_ok(trm_stream_callback(stream, wait_until_opened, hold));
    ck_ok(trm_stream_flush(stream));
    return hold;
}

void hold_end(struct hold *hold)
{
    if (!hold)
        return;
    pthread_mutex_lock(&mutex);
    struct hold **link = &holds;
    while (*link && *link != hold)
        link = &(*link)->next;
    if (*link)
        *link = hold->next;
    hold->open = true;
    pthread_cond_broadcast(&opened);
    let_go(hold);
    pthread_mutex_unlock(&mutex);
}

static void *end_later(void *user)
{
    struct hold *hold = user;
    sleep_ms(hold->delay);
    hold_end(hold);
    return NULL;
}

void hold_end_after(struct hold *hold, unsigned milliseconds)
{
    if (!hold)
        return;
    ck_assert_uint_lt(thread_count, MOST_THREADS);
    hold->delay = milliseconds;
    ck_assert_int_eq(pthread_create(&threads[thread_count], NULL, end_later, hold), 0);
    thread_count++;
}

void holds_open_all(void)
{
    for (unsigned i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    thread_count = 0;
    while (holds)
        hold_end(holds);
    asked_device = NULL;
}
