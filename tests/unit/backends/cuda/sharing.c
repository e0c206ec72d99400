/* The cuda backend beside a program that uses CUDA itself: the program's contexts, memory that several
 * contexts register, and semaphores of other interfaces.
 * SPDX-License-Identifier: MIT
 */
#include <sys/mman.h>
#include <trireme/interop.h>

#include "backends/cuda/interop/interop.h"
#include "backends/cuda/memory/memory.h"
#include "tests/unit/backends/cuda/streams.h"
#include "tests/unit/runner.h"

#define PAGE 4096u

/* Functions that only the program calls. */
static struct {
    __typeof__(cuCtxCreate_v4) *create;
    __typeof__(cuCtxDestroy_v2) *destroy;
    __typeof__(cuCtxPopCurrent_v2) *pop;
    __typeof__(cuCtxPushCurrent_v2) *push;
} program;

static void *function_of(void *library, const char *name)
{
    void *function = dlsym(library, name);
    ck_assert_msg(function != NULL, "%s", dlerror());
    return function;
}

static void set_up(void)
{
    on_open("");
    void *library              = on.instance->loader.library;
    *(void **)&program.create  = function_of(library, "cuCtxCreate_v4");
    *(void **)&program.destroy = function_of(library, "cuCtxDestroy_v2");
    *(void **)&program.pop     = function_of(library, "cuCtxPopCurrent_v2");
    *(void **)&program.push    = function_of(library, "cuCtxPushCurrent_v2");
}

/* Makes it current, on top of the contexts that were. */
static CUcontext context_make(void)
{
    CUcontext made = NULL;
    ck_assert_int_eq(program.create(&made, NULL, 0, 0), CUDA_SUCCESS);
    return made;
}

static CUcontext context_pop(void)
{
    CUcontext popped = NULL;
    ck_assert_int_eq(program.pop(&popped), CUDA_SUCCESS);
    return popped;
}

/* ---- the program's contexts ---- */

static void open_and_close(void)
{
    struct trm_backend_device *device = NULL;
    ck_assert_msg(cuda_device_create(on.instance, 0, NULL, &device) == TRM_OK, "%s", fake.sentence);
    cuda_device_ops.close(device);
}

START_TEST(opening_a_device_leaves_all_contexts_that_the_program_has_pushed)
{
    CUcontext lower = context_make(), upper = context_make();
    open_and_close();
    ck_assert_ptr_eq(context_pop(), upper);
    ck_assert_ptr_eq(context_pop(), lower);
    ck_assert_int_eq(program.destroy(upper), CUDA_SUCCESS);
    ck_assert_int_eq(program.destroy(lower), CUDA_SUCCESS);
}
END_TEST

START_TEST(opening_a_device_leaves_what_is_below_its_own_context)
{
    CUcontext lower = context_make();
    ck_assert_int_eq(program.push(on.device->context), CUDA_SUCCESS);
    open_and_close();
    ck_assert_ptr_eq(context_pop(), on.device->context);
    ck_assert_ptr_eq(context_pop(), lower);
    ck_assert_int_eq(program.destroy(lower), CUDA_SUCCESS);
}
END_TEST

/* ---- memory that several contexts register ---- */

static uint64_t registrations(void)
{
    struct cuda_standin_account account;
    on.control->account(&account);
    return account.registrations;
}

static int32_t import(struct trm_backend_device *device, void *host, struct trm_backend_memory **memory)
{
    const struct trm_memory_desc desc = {.struct_size  = sizeof(desc),
                                         .kind         = TRM_MEMORY_IMPORTED,
                                         .size         = PAGE,
                                         .alignment    = 1,
                                         .host_pointer = host};
    return cuda_memory_ops.allocate(device, &desc, memory);
}

static void *page(void)
{
    void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    return memory;
}

START_TEST(registered_memory_outlives_the_context_that_registered_it_while_another_of_its_device_uses_it)
{
    struct trm_backend_device *adopted   = NULL;
    struct trm_backend_memory *memory[2] = {NULL, NULL};
    CUcontext own                        = context_make();
    void *host                           = page();
    ck_assert_ptr_eq(context_pop(), own);
    ck_ok(cuda_device_create(on.instance, 0, own, &adopted));
    ck_ok(import(on.device, host, &memory[0]));
    ck_ok(import(adopted, host, &memory[1]));
    cuda_memory_ops.free(memory[0]);
    cuda_device_ops.close(on.device); /* nothing else holds the primary context */
    on.device = adopted;
    ck_assert_uint_eq(registrations(), 1);
    cuda_memory_ops.free(memory[1]);
    ck_assert_uint_eq(registrations(), 0);
    cuda_device_ops.close(adopted);
    ck_assert_int_eq(program.destroy(own), CUDA_SUCCESS);
    ck_ok(cuda_device_create(on.instance, 0, NULL, &on.device));
    munmap(host, PAGE);
}
END_TEST

/* The program may destroy its context after it has closed the device that adopted it. */
START_TEST(memory_that_a_context_of_the_programs_has_registered_is_not_shared_with_other_contexts)
{
    struct trm_backend_device *adopted   = NULL;
    struct trm_backend_memory *memory[2] = {NULL, NULL};
    CUcontext own                        = context_make();
    void *host                           = page();
    ck_assert_ptr_eq(context_pop(), own);
    ck_ok(cuda_device_create(on.instance, 0, own, &adopted));
    ck_ok(import(adopted, host, &memory[0]));
    ck_ok(import(adopted, host, &memory[1]));
    cuda_memory_ops.free(memory[1]);
    ck_status(import(on.device, host, &memory[1]), TRM_ERROR_UNSUPPORTED);
    ck_says("a context of the application");
    cuda_memory_ops.free(memory[0]);
    ck_ok(import(on.device, host, &memory[1]));
    cuda_memory_ops.free(memory[1]);
    cuda_device_ops.close(adopted);
    ck_assert_int_eq(program.destroy(own), CUDA_SUCCESS);
    munmap(host, PAGE);
}
END_TEST

/* ---- semaphores of others ---- */

START_TEST(a_signal_that_the_driver_refuses_can_be_repeated)
{
    struct trm_backend_semaphore *semaphore = NULL;
    struct trm_backend_stream *stream       = on_stream();
    const int fd                            = on.control->semaphore(0);
    ck_ok(cuda_interop_ops.semaphore_import(on.device, TRM_HANDLE_OPAQUE_FD, fd, &semaphore));
    on_fault("cuSignalExternalSemaphoresAsync", "CUDA_ERROR_OUT_OF_MEMORY");
    ck_status(cuda_interop_ops.semaphore_signal(stream, 1, semaphore, 5), TRM_ERROR_OUT_OF_DEVICE_MEMORY);
    ck_ok(cuda_interop_ops.semaphore_signal(stream, 1, semaphore, 5));
    ck_status(cuda_interop_ops.semaphore_signal(stream, 2, semaphore, 5), TRM_ERROR_INVALID_ARGUMENT);
    finish(stream, 1);
    cuda_interop_ops.semaphore_destroy(semaphore);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cuda sharing");
    TCase *group = tcase_create("beside a program that uses CUDA itself");
    tcase_add_checked_fixture(group, set_up, on_close);
    tcase_add_test(group, opening_a_device_leaves_all_contexts_that_the_program_has_pushed);
    tcase_add_test(group, opening_a_device_leaves_what_is_below_its_own_context);
    tcase_add_test(
        group, registered_memory_outlives_the_context_that_registered_it_while_another_of_its_device_uses_it);
    tcase_add_test(group,
                   memory_that_a_context_of_the_programs_has_registered_is_not_shared_with_other_contexts);
    tcase_add_test(group, a_signal_that_the_driver_refuses_can_be_repeated);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(make_suite)
