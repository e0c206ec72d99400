/* The queue that a careful programmer writes by hand: one worker thread a queue, a ring for one producer and
 * one consumer, and waits that spin briefly before they sleep in the kernel.
 * SPDX-License-Identifier: MIT
 */
#include "measure.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    RING  = 1024,
    SPINS = 2000
};

typedef void (*operation_fn)(void *argument);

/* A number that only grows (and wraps), on which threads can sleep. */
struct word {
    _Alignas(64) atomic_uint value;
    atomic_uint sleepers;
};

struct operation {
    operation_fn function;
    void *argument;
};

struct queue {
    struct operation ring[RING];
    struct word pushed;
    struct word done;
    unsigned head; /* the producer's own copy of pushed */
    atomic_int stop;
    pthread_t worker;
};

/* A place in a queue: reached when the queue has done `number` operations. */
struct ticket {
    struct queue *queue;
    unsigned number;
};

static struct queue queues[2];
static struct ticket tickets[HOPS];

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static int has_reached(struct word *word, unsigned number)
{
    return (int)(atomic_load_explicit(&word->value, memory_order_acquire) - number) >= 0;
}

static void word_wait(struct word *word, unsigned number)
{
    for (;;) {
        unsigned seen;

        for (int i = 0; i <= SPINS; i++) {
            if (has_reached(word, number))
                return;
            relax();
        }
        atomic_fetch_add(&word->sleepers, 1);
        seen = atomic_load(&word->value);
        if ((int)(seen - number) < 0)
            syscall(SYS_futex, &word->value, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
        atomic_fetch_sub(&word->sleepers, 1);
    }
}

static void word_set(struct word *word, unsigned number)
{
    atomic_store(&word->value, number);
    if (atomic_load(&word->sleepers) != 0)
        syscall(SYS_futex, &word->value, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0);
}

static void *worker_main(void *argument)
{
    struct queue *queue = argument;

    for (unsigned number = 1;; number++) {
        struct operation operation;

        word_wait(&queue->pushed, number);
        if (atomic_load(&queue->stop))
            return NULL;
        operation = queue->ring[(number - 1) % RING];
        operation.function(operation.argument);
        word_set(&queue->done, number);
    }
}

static void queue_push(struct queue *queue, operation_fn function, void *argument)
{
    unsigned done = atomic_load_explicit(&queue->done.value, memory_order_acquire);

    if (queue->head - done >= RING)
        word_wait(&queue->done, queue->head - RING + 1);
    queue->ring[queue->head % RING] = (struct operation){function, argument};
    word_set(&queue->pushed, ++queue->head);
}

static void queue_wait(struct queue *queue)
{
    word_wait(&queue->done, queue->head);
}

static void queue_stop(struct queue *queue)
{
    atomic_store(&queue->stop, 1);
    word_set(&queue->pushed, ++queue->head);
    pthread_join(queue->worker, NULL);
}

static void nothing(void *argument)
{
    measure_use(argument);
}

static void wait_for_ticket(void *argument)
{
    struct ticket *ticket = argument;

    word_wait(&ticket->queue->done, ticket->number);
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

static double sample_submit(void)
{
    enum {
        BATCH = 64
    };
    uint64_t spent = 0;

    for (int i = 0; i < LAUNCHES / BATCH; i++) {
        uint64_t begin = measure_now();

        for (int j = 0; j < BATCH; j++)
            queue_push(&queues[0], nothing, NULL);
        spent += measure_now() - begin;
        queue_wait(&queues[0]);
    }
    return (double)spent / (double)(LAUNCHES / BATCH * BATCH);
}

/* The least that a queue can cost which runs operations on the caller's thread: a lock, a call, an unlock. */
static double sample_launch_inline(void)
{
    static pthread_mutex_t lock    = PTHREAD_MUTEX_INITIALIZER;
    operation_fn volatile function = nothing;
    uint64_t begin                 = measure_now();

    for (int i = 0; i < LAUNCHES; i++) {
        pthread_mutex_lock(&lock);
        function(NULL);
        pthread_mutex_unlock(&lock);
    }
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

static double sample_trip_p99(void)
{
    return measure_trips(trip, TRIPS, 0, 99);
}

static double sample_trip_asleep(void)
{
    return measure_trips(trip, SLEEPS, 1, 50);
}

static double sample_hop(void)
{
    uint64_t begin = measure_now();

    for (int i = 0; i < HOPS; i++) {
        struct queue *queue = &queues[i % 2], *other = &queues[(i + 1) % 2];

        if (i > 0) {
            tickets[i] = (struct ticket){other, other->head};
            queue_push(queue, wait_for_ticket, &tickets[i]);
        }
        queue_push(queue, nothing, NULL);
    }
    queue_wait(&queues[0]);
    queue_wait(&queues[1]);
    return (double)(measure_now() - begin) / HOPS;
}

/* ---- the peer --------------------------------------------------------------------------------------- */

static int open_queues(void)
{
    for (int i = 0; i < 2; i++)
        if (pthread_create(&queues[i].worker, NULL, worker_main, &queues[i]) != 0)
            measure_fail("no thread");
    return 0;
}

static void close_queues(void)
{
    queue_stop(&queues[0]);
    queue_stop(&queues[1]);
}

static const struct measure_case cases[] = {
    {"stream", "launch_worker", "ns", sample_launch_worker},
    {"stream", "launch_inline", "ns", sample_launch_inline},
    {"stream", "submit", "ns", sample_submit},
    {"stream", "roundtrip_p50", "ns", sample_trip_p50},
    {"stream", "roundtrip_p99", "ns", sample_trip_p99},
    {"stream", "roundtrip_asleep", "ns", sample_trip_asleep},
    {"stream", "hop", "ns", sample_hop},
};

int main(int argc, char **argv)
{
    static const struct measure_peer peer = {
        .name         = "ring",
        .open         = open_queues,
        .first_kernel = trip,
        .close        = close_queues,
        .cases        = cases,
        .case_count   = sizeof(cases) / sizeof(cases[0]),
    };

    return measure_main(argc, argv, &peer);
}
