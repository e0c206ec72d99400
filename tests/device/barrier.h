/* A callback that holds its stream.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_DEVICE_BARRIER_H
#define TESTS_DEVICE_BARRIER_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <trireme/trireme.h>

/* Opens the barrier, so that the stream continues. Any thread may call this. */
struct barrier {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool open, reached;
};
#define BARRIER_CLOSED                                                    \
    {                                                                     \
        PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false \
    }
int32_t barrier_enqueue(struct trm_stream *stream, struct barrier *barrier);
void barrier_await(struct barrier *barrier); /* until the stream has reached it */
void barrier_open(struct barrier *barrier);

#endif
