/* Many threads and streams of the cpu backend at once.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cpu/fixture.h"

struct actor {
    pthread_t thread;
    struct trm_backend_stream *stream;
    struct trm_backend_memory *list;
    uint32_t *numbers;
    unsigned seed;
};

enum {
    ACTORS = 4,
    STEPS  = 3000
};
static struct actor actors[ACTORS];
static _Atomic uint64_t marked[ACTORS];

/* Enqueues on its own stream, makes it wait for the marks of other streams, and waits for any of them. */
static void *act(void *argument)
{
    struct actor *self = argument;
    uint32_t me = (uint32_t)(self - actors), number = 0;
    uint64_t value = 0;
    for (int i = 0; i < STEPS; i++) {
        uint32_t other = (uint32_t)rand_r(&self->seed) % ACTORS;
        switch (rand_r(&self->seed) % 8) {
        case 0:
            bench.stream->wait_stream(self->stream, ++value, actors[other].stream,
                                      atomic_load(&marked[other]));
            break;
        case 1:
            bench.stream->wait(actors[other].stream, atomic_load(&marked[other]), FOREVER);
            break;
        case 2:
            bench.stream->flush(actors[other].stream);
            break;
        case 3:
            bench.stream->wait(actors[other].stream, atomic_load(&marked[other]), 50000);
            break;
        default:
            launch_append(self->stream, ++value, self->list, ++number);
        }
        atomic_store(&marked[me], value);
    }
    bench.stream->wait(self->stream, value, FOREVER);
    for (uint32_t i = 1; i <= number; i++)
        if (self->numbers[i] != i)
            return self;
    return self->numbers[0] == number ? NULL : self;
}

START_TEST(threads_and_streams_that_wait_for_each_other_keep_their_order)
{
    for (int i = 0; i < ACTORS; i++) {
        uint8_t *data;
        actors[i].stream  = cpu_bench_stream(&bench, i % 3 - 1);
        actors[i].list    = cpu_bench_memory(&bench, (STEPS + 1) * 4, &data);
        actors[i].numbers = (uint32_t *)data;
        actors[i].seed    = (unsigned)i + 1;
        memset(data, 0, (STEPS + 1) * 4);
        atomic_store(&marked[i], 0);
    }
    for (int i = 0; i < ACTORS; i++)
        pthread_create(&actors[i].thread, NULL, act, &actors[i]);
    for (int i = 0; i < ACTORS; i++) {
        void *wrong;
        pthread_join(actors[i].thread, &wrong);
        ck_assert_ptr_null(wrong);
    }
    for (int i = 0; i < ACTORS; i++) {
        bench.stream->destroy(actors[i].stream);
        bench.memory->free(actors[i].list);
    }
}
END_TEST

/* With a single worker, the long stream alone would keep it busy until its end. */
START_TEST(a_short_stream_gets_its_turn_beside_a_long_one)
{
    enum {
        COUNT = 200000
    };
    struct cpu_bench single        = cpu_bench_open("1");
    struct trm_backend_module *own = cpu_bench_module(&single, kernels, sizeof(kernels));
    struct trm_backend_stream *far = cpu_bench_stream(&single, 0), *near = cpu_bench_stream(&single, 0);
    struct trm_launch_desc tally = cpu_bench_launch(cpu_bench_kernel(&single, own, "count"), 1);
    struct trm_launch_desc look  = cpu_bench_launch(cpu_bench_kernel(&single, own, "look"), 1);
    atomic_store(&calls, 0);
    ck_assert_int_eq(single.stream->gate(far, 1), TRM_OK);
    for (uint64_t i = 2; i <= COUNT; i++)
        ck_assert_int_eq(single.stream->launch(far, i, &tally), TRM_OK);
    ck_assert_int_eq(single.stream->wait_stream(near, 1, far, 2), TRM_OK);
    ck_assert_int_eq(single.stream->launch(near, 2, &look), TRM_OK);
    ck_assert_int_eq(single.stream->flush(near), TRM_OK);
    single.stream->open_gates(far, 1);
    while (atomic_load(&calls) < COUNT - 1)
        usleep(1000);
    ck_assert_int_eq(single.stream->wait(far, COUNT, FOREVER), TRM_OK);
    ck_assert_int_eq(single.stream->wait(near, 2, FOREVER), TRM_OK);
    ck_assert_int_lt(atomic_load(&calls_seen), COUNT - 1);
    single.stream->destroy(far);
    single.stream->destroy(near);
    single.module->unload(own);
    cpu_bench_close(&single);
}
END_TEST

/* ---- creating and destroying streams */

enum {
    LIVES      = 60,
    OPERATIONS = 40,
    LARGE      = 600 << 10
};

struct owner {
    pthread_t thread;
    unsigned seed;
    uint8_t *data;
    struct trm_backend_memory *memory;
    struct trm_backend_stream *side; /* its stream waits for this one */
    uint64_t side_value;
    atomic_int told;
    int asked;
};

static void count_told(void *user, int32_t status)
{
    struct owner *owner = user;
    (void)status;
    atomic_fetch_add(&owner->told, 1);
}

static void enqueue_large(struct owner *owner, struct trm_backend_stream *stream, uint64_t value)
{
    struct trm_copy_desc copy   = {.struct_size = sizeof(copy),
                                   .destination = {.memory = owner->memory},
                                   .source      = {.memory = owner->memory, .offset = LARGE},
                                   .size        = LARGE};
    struct trm_launch_desc desc = cpu_bench_launch(cpu_bench_kernel(&bench, module, "count"), 500000);
    if (rand_r(&owner->seed) % 2)
        bench.stream->copy(stream, value, &copy);
    else
        bench.stream->launch(stream, value, &desc);
}

/* Enqueue an operation on the other stream, and a wait for it. */
static void enqueue_wait(struct owner *owner, struct trm_backend_stream *stream, uint64_t value)
{
    launch(owner->side, ++owner->side_value, "count");
    bench.stream->wait_stream(stream, value, owner->side, owner->side_value);
}

static void enqueue_any(struct owner *owner, struct trm_backend_stream *stream, uint64_t value)
{
    switch (rand_r(&owner->seed) % 6) {
    case 0:
        bench.stream->gate(stream, value);
        break;
    case 1:
        enqueue_wait(owner, stream, value);
        break;
    case 2:
        enqueue_large(owner, stream, value);
        break;
    default:
        launch(stream, value, "count");
    }
    if (rand_r(&owner->seed) % 4 == 0) {
        owner->asked++;
        bench.stream->notify(stream, value, count_told, owner);
    }
    if (rand_r(&owner->seed) % 4 == 0)
        bench.stream->open_gates(stream, value);
}

/* A stream ends without a failure, with a failure, or abandoned. */
static void live(struct owner *owner)
{
    struct trm_backend_stream *stream = cpu_bench_stream(&bench, (int32_t)(rand_r(&owner->seed) % 3) - 1);
    uint64_t value                    = 0;
    uint32_t which                    = 0;
    for (int i = 0; i < OPERATIONS; i++)
        enqueue_any(owner, stream, ++value);
    int end = rand_r(&owner->seed) % 4;
    if (end == 0)
        launch(stream, ++value, "fail");
    if (end == 1)
        bench.stream->abandon(stream, TRM_ERROR_CANCELLED);
    bench.stream->wait(stream, value, 20000);
    bench.stream->open_gates(stream, value);
    if (end == 2)
        bench.stream->wait_any(&stream, &value, 1, FOREVER, &which);
    else
        bench.stream->wait(stream, value, FOREVER);
    bench.stream->destroy(stream);
}

static void *own_streams(void *argument)
{
    struct owner *owner = argument;
    owner->side         = cpu_bench_stream(&bench, 0);
    owner->memory       = cpu_bench_memory(&bench, 2 * LARGE, &owner->data);
    memset(owner->data, 1, 2 * LARGE);
    for (int i = 0; i < LIVES; i++)
        live(owner);
    bench.stream->wait(owner->side, owner->side_value, FOREVER);
    bench.stream->destroy(owner->side);
    bench.memory->free(owner->memory);
    return NULL;
}

START_TEST(streams_come_and_go_with_everything_on_them_and_every_notification_comes_once)
{
    static struct owner owners[ACTORS];
    for (int i = 0; i < ACTORS; i++) {
        owners[i].seed = (unsigned)i + 77;
        pthread_create(&owners[i].thread, NULL, own_streams, &owners[i]);
    }
    for (int i = 0; i < ACTORS; i++) {
        pthread_join(owners[i].thread, NULL);
        ck_assert_int_eq(atomic_load(&owners[i].told), owners[i].asked);
    }
}
END_TEST

static Suite *make_suite(void)
{
    const TTest *tests[] = {
        threads_and_streams_that_wait_for_each_other_keep_their_order,
        a_short_stream_gets_its_turn_beside_a_long_one,
        streams_come_and_go_with_everything_on_them_and_every_notification_comes_once,
    };
    return suite_of("cpu threads", tests, sizeof(tests) / sizeof(*tests));
}

UNIT_SUITE(make_suite)
