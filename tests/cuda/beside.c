/* Programs that use CUDA's driver themselves, beside the library: every call leaves the caller's current
 * context as it was; the primary context is shared with its other holders; and nothing of the program's is
 * touched.
 * SPDX-License-Identifier: MIT
 */
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "tests/cuda/fixture.h"
#include "tests/device/scenario.h"

enum {
    N = 4096
};

/* The program's own table of the driver. */
static struct {
    CUresult (*init)(unsigned);
    CUresult (*device_get)(CUdevice *, int);
    CUresult (*primary_retain)(CUcontext *, CUdevice);
    CUresult (*primary_release)(CUdevice);
    CUresult (*primary_state)(CUdevice, unsigned *, int *);
    CUresult (*create)(CUcontext *, CUctxCreateParams *, unsigned, CUdevice);
    CUresult (*destroy)(CUcontext);
    CUresult (*get_current)(CUcontext *);
    CUresult (*set_current)(CUcontext);
    CUresult (*pop_current)(CUcontext *);
    CUresult (*mem_alloc)(CUdeviceptr *, size_t);
    CUresult (*mem_free)(CUdeviceptr);
    CUresult (*memset_32)(CUdeviceptr, unsigned, size_t, CUstream);
    CUresult (*copy_down)(void *, CUdeviceptr, size_t);
    CUresult (*stream_create)(CUstream *, unsigned);
    CUresult (*stream_destroy)(CUstream);
    CUresult (*stream_sync)(CUstream);
} own;

static CUdevice own_device;
static CUcontext own_context; /* created by the program; NULL: none */

#define ck_cuda(call)                                                                        \
    do {                                                                                     \
        CUresult result_given = (call);                                                      \
        ck_assert_msg(result_given == CUDA_SUCCESS, "%s gave %d", #call, (int)result_given); \
    } while (0)

static void *own_function(void *library, const char *name)
{
    void *function = dlsym(library, name);
    ck_assert_msg(function != NULL, "%s is not in the driver", name);
    return function;
}

static void open_own(void)
{
    void *library = dlopen(driver_path(), RTLD_NOW | RTLD_LOCAL);
    ck_assert_msg(library != NULL, "%s", dlerror());
    *(void **)&own.init            = own_function(library, "cuInit");
    *(void **)&own.device_get      = own_function(library, "cuDeviceGet");
    *(void **)&own.primary_retain  = own_function(library, "cuDevicePrimaryCtxRetain");
    *(void **)&own.primary_release = own_function(library, "cuDevicePrimaryCtxRelease_v2");
    *(void **)&own.primary_state   = own_function(library, "cuDevicePrimaryCtxGetState");
    *(void **)&own.create          = dlsym(library, "cuCtxCreate_v4");
    *(void **)&own.destroy         = own_function(library, "cuCtxDestroy_v2");
    *(void **)&own.get_current     = own_function(library, "cuCtxGetCurrent");
    *(void **)&own.set_current     = own_function(library, "cuCtxSetCurrent");
    *(void **)&own.pop_current     = own_function(library, "cuCtxPopCurrent_v2");
    *(void **)&own.mem_alloc       = own_function(library, "cuMemAlloc_v2");
    *(void **)&own.mem_free        = own_function(library, "cuMemFree_v2");
    *(void **)&own.memset_32       = own_function(library, "cuMemsetD32Async");
    *(void **)&own.copy_down       = own_function(library, "cuMemcpyDtoH_v2");
    *(void **)&own.stream_create   = own_function(library, "cuStreamCreate");
    *(void **)&own.stream_destroy  = own_function(library, "cuStreamDestroy_v2");
    *(void **)&own.stream_sync     = own_function(library, "cuStreamSynchronize");
    ck_cuda(own.init(0));
    ck_cuda(own.device_get(&own_device, 0));
    own_context = NULL;
}

static void make_own_context(void)
{
    if (own.create)
        ck_cuda(own.create(&own_context, NULL, 0, own_device));
}

/* ---- what is current ---- */

static CUcontext wanted;

static void check_current(const char *step)
{
    CUcontext now = NULL;
    ck_cuda(own.get_current(&now));
    ck_assert_msg(now == wanted, "after %s another context is current than before", step);
}

START_TEST(the_library_works_with_no_context_current_and_leaves_none)
{
    open_own();
    wanted = NULL;
    scenario_succeed("without a current context", check_current);
    check_nothing_left("a scenario without a current context");
}
END_TEST

START_TEST(the_library_leaves_another_context_of_the_program_current)
{
    open_own();
    make_own_context();
    if (!own_context) {
        skip("this driver has no cuCtxCreate_v4");
        return;
    }
    wanted = own_context;
    scenario_succeed("beside another context", check_current);
    ck_cuda(own.destroy(own_context));
    check_nothing_left("a scenario beside another context");
}
END_TEST

START_TEST(the_library_leaves_the_primary_context_current)
{
    open_own();
    ck_cuda(own.primary_retain(&wanted, own_device));
    ck_cuda(own.set_current(wanted));
    scenario_succeed("beside the primary context", check_current);
    unsigned flags = 0;
    int is_active  = 0;
    ck_cuda(own.primary_state(own_device, &flags, &is_active));
    ck_assert_int_eq(is_active, 1); /* the program's own reference is left */
    ck_cuda(own.set_current(NULL));
    ck_cuda(own.primary_release(own_device));
    check_nothing_left("a scenario beside the primary context");
}
END_TEST

START_TEST(calls_that_fail_leave_the_current_context_as_it_was_too)
{
    struct scenario_end end;
    char rule[64];
    if (standin_missing())
        return;
    open_own();
    make_own_context();
    wanted = own_context;
    for (unsigned n = 1; n < 400; n += thorough(1, scaled(7, 23))) {
        snprintf(rule, sizeof(rule), "any:%u:once:CUDA_ERROR_OUT_OF_MEMORY", n);
        ck_assert_int_eq(standin->arm(rule), 0);
        scenario_run(&end, check_current);
        standin->arm(NULL);
        check_current(rule);
    }
    ck_cuda(own.destroy(own_context));
    check_nothing_left("scenarios that fail beside another context");
}
END_TEST

/* ---- the program continues with its own ------------------------------------------------------ */

struct mine {
    CUdeviceptr memory;
    CUstream stream;
};

static void mine_make(struct mine *mine, unsigned value)
{
    ck_cuda(own.mem_alloc(&mine->memory, 4 * N));
    ck_cuda(own.stream_create(&mine->stream, CU_STREAM_NON_BLOCKING));
    ck_cuda(own.memset_32(mine->memory, value, N, mine->stream));
    ck_cuda(own.stream_sync(mine->stream));
}

static void mine_check(const struct mine *mine, unsigned value)
{
    static uint32_t numbers[N];
    ck_cuda(own.copy_down(numbers, mine->memory, sizeof(numbers)));
    for (uint32_t i = 0; i < N; i++)
        ck_assert_uint_eq(numbers[i], value);
}

static void mine_end(struct mine *mine)
{
    ck_cuda(own.stream_destroy(mine->stream));
    ck_cuda(own.mem_free(mine->memory));
}

START_TEST(what_the_program_has_in_the_primary_context_outlives_the_library)
{
    struct mine mine;
    open_own();
    ck_cuda(own.primary_retain(&wanted, own_device));
    ck_cuda(own.set_current(wanted));
    mine_make(&mine, 0x12345678);
    for (int i = 0; i < 3; i++) {
        scenario_succeed("beside the program's own memory", NULL);
        mine_check(&mine, 0x12345678);
    }
    ck_cuda(own.memset_32(mine.memory, 5, N, mine.stream));
    ck_cuda(own.stream_sync(mine.stream));
    mine_check(&mine, 5);
    mine_end(&mine);
    ck_cuda(own.set_current(NULL));
    ck_cuda(own.primary_release(own_device));
    check_nothing_left("the program's own work");
}
END_TEST

START_TEST(the_library_goes_on_when_the_program_lets_go_of_the_primary_context)
{
    CUcontext primary = NULL;
    open_own();
    ck_cuda(own.primary_retain(&primary, own_device));
    world_open();
    ck_cuda(own.primary_release(own_device));
    struct trm_buffer *buffer = buffer_open(the.device, TRM_MEMORY_DEVICE, 4 * N);
    struct trm_kernel *kernel = affine_on(the.device);
    uint32_t number           = 0;
    ck_ok(trm_fill(the.stream, trm_span_whole(buffer), 6, 4));
    ck_ok(affine_launch(the.stream, kernel, buffer, N, 7, 0));
    ck_ok(trm_download(the.stream, &number, trm_span_of(buffer, 4 * (N - 1), 4)));
    ck_ok(trm_stream_sync(the.stream));
    ck_assert_uint_eq(number, 42);
    trm_kernel_destroy(kernel);
    trm_buffer_destroy(buffer);
    world_close();
}
END_TEST

/* ---- many threads ---- */

struct thread {
    pthread_t thread;
    unsigned number;
    const char *wrong;
    char sentence[300];
};

static bool is_current(CUcontext context)
{
    CUcontext now = NULL;
    return own.get_current(&now) == CUDA_SUCCESS && now == context;
}

/* One thread in three has no context current, one the primary context, one another context. */
static CUcontext context_of(unsigned number, CUcontext primary)
{
    return number % 3 == 0 ? NULL : number % 3 == 1 ? primary : own_context;
}

static CUcontext primary_context;

static int32_t use_library(struct trm_kernel *kernel, struct trm_buffer *buffer, uint32_t *number)
{
    struct trm_stream *stream = NULL;
    int32_t status            = trm_device_thread_stream(the.device, &stream);
    if (status == TRM_OK)
        status = trm_fill(stream, trm_span_whole(buffer), 3, 4);
    if (status == TRM_OK)
        status = affine_launch(stream, kernel, buffer, N, 5, 1);
    if (status == TRM_OK)
        status = trm_download(stream, number, trm_span_of(buffer, 4 * (N - 1), 4));
    return status == TRM_OK ? trm_stream_sync(stream) : status;
}

static void *live(void *user)
{
    struct thread *thread     = user;
    CUcontext context         = context_of(thread->number, primary_context);
    struct trm_buffer *buffer = NULL;
    struct trm_kernel *kernel = NULL;
    if (own.set_current(context) != CUDA_SUCCESS)
        thread->wrong = "no context can be made current";
    for (unsigned round = 0; round < scaled(20, 6) && !thread->wrong; round++) {
        uint32_t number = 0;
        int32_t status  = trm_buffer_create(the.device, TRM_MEMORY_DEVICE, 4 * N, &buffer);
        if (status == TRM_OK)
            status = affine_load(the.device, &kernel);
        if (status == TRM_OK)
            status = use_library(kernel, buffer, &number);
        if (status != TRM_OK) {
            thread->wrong = "a call failed";
            snprintf(thread->sentence, sizeof(thread->sentence), "%s", trm_last_error().sentence);
        } else if (number != 16) {
            thread->wrong = "a number is not what was computed";
        } else if (!is_current(context)) {
            thread->wrong = "another context is current than before";
        }
        trm_kernel_destroy(kernel);
        trm_buffer_destroy(buffer);
        kernel = NULL;
        buffer = NULL;
        if (!thread->wrong && !is_current(context))
            thread->wrong = "destroying has made another context current";
    }
    return NULL;
}

START_TEST(threads_with_contexts_of_all_kinds_use_one_device)
{
    enum {
        THREADS = 6
    };
    static struct thread threads[THREADS];
    open_own();
    ck_cuda(own.primary_retain(&primary_context, own_device));
    make_own_context();
    if (own_context)
        ck_cuda(own.pop_current(&own_context));
    world_open();
    for (unsigned i = 0; i < THREADS; i++) {
        threads[i].number = i;
        ck_assert_int_eq(pthread_create(&threads[i].thread, NULL, live, &threads[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i].thread, NULL);
        ck_assert_msg(!threads[i].wrong, "thread %d: %s: %s", i, threads[i].wrong, threads[i].sentence);
    }
    if (own_context)
        ck_cuda(own.destroy(own_context));
    ck_cuda(own.primary_release(own_device));
    world_close();
}
END_TEST

int main(void)
{
    Suite *suite   = suite_create("cuda: beside the program's own contexts");
    TCase *current = tcase_create("current context"), *mine = tcase_create("the program's own");
    tcase_add_test(current, the_library_works_with_no_context_current_and_leaves_none);
    tcase_add_test(current, the_library_leaves_another_context_of_the_program_current);
    tcase_add_test(current, the_library_leaves_the_primary_context_current);
    tcase_add_test(current, calls_that_fail_leave_the_current_context_as_it_was_too);
    suite_add_tcase(suite, current);
    tcase_add_test(mine, what_the_program_has_in_the_primary_context_outlives_the_library);
    tcase_add_test(mine, the_library_goes_on_when_the_program_lets_go_of_the_primary_context);
    tcase_add_test(mine, threads_with_contexts_of_all_kinds_use_one_device);
    suite_add_tcase(suite, mine);
    return run_suite(suite);
}
