/* Many threads and streams of the cpu backend at once.
 * SPDX-License-Identifier: MIT
 */
#include "cpu_fixture.h"

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

/* Enqueues on its own stream, makes it wait for what others have marked, and waits for any of them. */
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

START_TEST(a_short_stream_gets_its_turn_beside_a_long_one)
{
    struct cpu_bench single        = cpu_bench_open("1");
    struct trm_backend_module *own = cpu_bench_module(&single, kernels, sizeof(kernels));
    struct trm_backend_stream *far = cpu_bench_stream(&single, 0), *near = cpu_bench_stream(&single, 0);
    struct trm_launch_desc desc = cpu_bench_launch(cpu_bench_kernel(&single, own, "count"), 1);
    uint64_t value = 0, done_far = 0, done_near = 0;
    ck_assert_int_eq(single.stream->gate(far, ++value), TRM_OK);
    while (value < 200000)
        ck_assert_int_eq(single.stream->launch(far, ++value, &desc), TRM_OK);
    ck_assert_int_eq(single.stream->gate(near, 1), TRM_OK);
    ck_assert_int_eq(single.stream->launch(near, 2, &desc), TRM_OK);
    ck_assert_int_eq(single.stream->flush(near), TRM_OK);
    single.stream->open_gates(far, 1);
    single.stream->open_gates(near, 1);
    while (done_near < 2) {
        ck_assert_int_eq(single.stream->query(near, &done_near), TRM_OK);
        ck_assert_int_eq(single.stream->query(far, &done_far), TRM_OK);
    }
    ck_assert_uint_lt(done_far, value);
    ck_assert_int_eq(single.stream->wait(far, value, FOREVER), TRM_OK);
    single.stream->destroy(far);
    single.stream->destroy(near);
    single.module->unload(own);
    cpu_bench_close(&single);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {
        threads_and_streams_that_wait_for_each_other_keep_their_order,
        a_short_stream_gets_its_turn_beside_a_long_one,
    };
    return run_tests("cpu threads", tests, sizeof(tests) / sizeof(*tests));
}
