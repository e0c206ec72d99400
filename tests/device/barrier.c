/* A callback that holds its stream.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/barrier.h"

static void stand_at(void *user, int32_t status)
{
    struct barrier *barrier = user;
    (void)status;
    pthread_mutex_lock(&barrier->mutex);
    barrier->reached = true;
    pthread_cond_broadcast(&barrier->changed);
    while (!barrier->open)
        pthread_cond_wait(&barrier->changed, &barrier->mutex);
    pthread_mutex_unlock(&barrier->mutex);
}

int32_t barrier_enqueue(struct trm_stream *stream, struct barrier *barrier)
{
    return trm_stream_callback(stream, stand_at, barrier);
}

void barrier_await(struct barrier *barrier)
{
    pthread_mutex_lock(&barrier->mutex);
    while (!barrier->reached)
        pthread_cond_wait(&barrier->changed, &barrier->mutex);
    pthread_mutex_unlock(&barrier->mutex);
}

void barrier_open(struct barrier *barrier)
{
    pthread_mutex_lock(&barrier->mutex);
    barrier->open = true;
    pthread_cond_broadcast(&barrier->changed);
    pthread_mutex_unlock(&barrier->mutex);
}
