/* The queue that most people write by hand: one worker thread a queue, a list under a mutex, condition
 * variables.
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <pthread.h>
#include <stdlib.h>

typedef void (*operation_fn)(void *argument);

struct node {
    operation_fn function;
    void *argument;
    struct node *next;
};

/* Everything is guarded by `lock`. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t pushed;
    pthread_cond_t idle;
    struct node *head;
    struct node **tail;
    uint64_t pushes;
    uint64_t done;
    int stop;
    pthread_t worker;
};

struct event {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int set;
};

static struct queue queues[2];

/* Take the first operation; NULL when the queue is to stop. The lock is held. */
static struct node *take(struct queue *queue)
{
    struct node *node;

    while (!queue->head && !queue->stop)
        pthread_cond_wait(&queue->pushed, &queue->lock);
    node = queue->head;
    if (!node)
        return NULL;
    queue->head = node->next;
    if (!queue->head)
        queue->tail = &queue->head;
    return node;
}

static void *worker_main(void *argument)
{
    struct queue *queue = argument;
    struct node *node;

    pthread_mutex_lock(&queue->lock);
    while ((node = take(queue))) {
        pthread_mutex_unlock(&queue->lock);
        node->function(node->argument);
        free(node);
        pthread_mutex_lock(&queue->lock);
        if (++queue->done == queue->pushes)
            pthread_cond_broadcast(&queue->idle);
    }
    pthread_mutex_unlock(&queue->lock);
    return NULL;
}

static void queue_start(struct queue *queue)
{
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->pushed, NULL);
    pthread_cond_init(&queue->idle, NULL);
    queue->tail = &queue->head;
    if (pthread_create(&queue->worker, NULL, worker_main, queue) != 0)
        measure_fail("no thread");
}

static void queue_push(struct queue *queue, operation_fn function, void *argument)
{
    struct node *node = malloc(sizeof(*node));

    if (!node)
        measure_fail("no memory");
    *node = (struct node){function, argument, NULL};
    pthread_mutex_lock(&queue->lock);
    *queue->tail = node;
    queue->tail  = &node->next;
    queue->pushes++;
    pthread_cond_signal(&queue->pushed);
    pthread_mutex_unlock(&queue->lock);
}

static void queue_wait(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->done != queue->pushes)
        pthread_cond_wait(&queue->idle, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

static void queue_stop(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stop = 1;
    pthread_cond_signal(&queue->pushed);
    pthread_mutex_unlock(&queue->lock);
    pthread_join(queue->worker, NULL);
}

static void event_set(void *argument)
{
    struct event *event = argument;

    pthread_mutex_lock(&event->lock);
    event->set = 1;
    pthread_cond_broadcast(&event->changed);
    pthread_mutex_unlock(&event->lock);
}

static void event_wait(void *argument)
{
    struct event *event = argument;

    pthread_mutex_lock(&event->lock);
    while (!event->set)
        pthread_cond_wait(&event->changed, &event->lock);
    pthread_mutex_unlock(&event->lock);
}

static void nothing(void *argument)
{
    measure_use(argument);
}

/* ---- the cases -------------------------------------------------------------------------------------- */

static double sample_launch_worker(void)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < LAUNCHES; i++)
        queue_push(&queues[0], nothing, NULL);
    queue_wait(&queues[0]);
    return (double)(measure_now() - begin) / LAUNCHES;
}

static void trip(void)
{
    queue_push(&queues[0], nothing, NULL);
    queue_wait(&queues[0]);
}

static double sample_trip_p50(void)
{
    return measure_trips(trip, TRIPS, 0, 50);
}

static double sample_trip_asleep(void)
{
    return measure_trips(trip, SLEEPS, 1, 50);
}

static double sample_hop(void)
{
    struct event *events = calloc(HOPS + 1, sizeof(*events));
    uint64_t begin, spent;

    if (!events)
        measure_fail("no memory");
    for (int i = 0; i <= HOPS; i++) {
        pthread_mutex_init(&events[i].lock, NULL);
        pthread_cond_init(&events[i].changed, NULL);
    }
    event_set(&events[0]);
    begin = measure_now();
    for (int i = 0; i < HOPS; i++) {
        queue_push(&queues[i % 2], event_wait, &events[i]);
        queue_push(&queues[i % 2], nothing, NULL);
        queue_push(&queues[i % 2], event_set, &events[i + 1]);
    }
    queue_wait(&queues[0]);
    queue_wait(&queues[1]);
    spent = measure_now() - begin;
    free(events);
    return (double)spent / HOPS;
}

/* ---- the peer --------------------------------------------------------------------------------------- */

static int open_queues(void)
{
    queue_start(&queues[0]);
    queue_start(&queues[1]);
    return 0;
}

static void close_queues(void)
{
    queue_stop(&queues[0]);
    queue_stop(&queues[1]);
}

static const struct measure_case cases[] = {
    {"stream", "launch_worker", "ns", sample_launch_worker},
    {"stream", "roundtrip_p50", "ns", sample_trip_p50},
    {"stream", "roundtrip_asleep", "ns", sample_trip_asleep},
    {"stream", "hop", "ns", sample_hop},
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "condvar",
        .open         = open_queues,
        .first_kernel = trip,
        .close        = close_queues,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
