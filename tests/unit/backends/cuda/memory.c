/* The cuda backend's memory: where each kind comes from, what it guarantees, and the sentences of
 * failures.
 * SPDX-License-Identifier: MIT
 */
#include "backends/cuda/memory/memory.h"

#include <sys/mman.h>

#include "tests/unit/backends/cuda/fixture.h"
#include "tests/unit/runner.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define PAGE 4096u

static void set_up(void)
{
    on_open("memory=256M");
}

static uint64_t calls(const char *function)
{
    return on.control->calls(function);
}

static void is_refused(int32_t kind, uint64_t size, int32_t status, const char *words)
{
    struct trm_backend_memory *memory = NULL;
    ck_assert_int_eq(on_allocate(kind, size, 256, &memory), status);
    ck_assert_ptr_null(memory);
    ck_says(words);
}

/* ---- kinds ---- */

START_TEST(device_memory_comes_from_a_pool_where_the_driver_has_pools)
{
    uint64_t plain                    = calls("cuMemAlloc");
    struct trm_backend_memory *memory = on_memory(TRM_MEMORY_DEVICE, MIB);
    ck_assert_uint_eq(calls("cuMemAllocFromPoolAsync"), 1);
    ck_assert_uint_eq(calls("cuMemAlloc"), plain);
    ck_assert_int_eq(memory->source, CUDA_MEMORY_POOL);
    cuda_memory_ops.free(memory);
    ck_assert_uint_eq(calls("cuMemFreeAsync"), 1);
}
END_TEST

START_TEST(device_memory_is_plain_where_the_driver_has_no_pools)
{
    uint64_t plain                    = calls("cuMemAlloc");
    struct trm_backend_memory *memory = on_memory(TRM_MEMORY_DEVICE, MIB);
    ck_assert_uint_eq(calls("cuMemAllocFromPoolAsync"), 0);
    ck_assert_uint_eq(calls("cuMemAlloc"), plain + 1);
    cuda_memory_ops.free(memory);
}
END_TEST

START_TEST(the_host_does_not_reach_device_memory)
{
    struct trm_backend_memory *memory = on_memory(TRM_MEMORY_DEVICE, 1000);
    void *host                        = NULL;
    ck_assert_int_eq(cuda_memory_ops.host_pointer(memory, &host), TRM_ERROR_UNSUPPORTED);
    ck_says("cannot access this memory");
    ck_assert_ptr_null(host);
    cuda_memory_ops.free(memory);
}
END_TEST

START_TEST(the_host_reaches_all_other_kinds)
{
    static const int32_t kinds[] = {TRM_MEMORY_PINNED, TRM_MEMORY_UNIFIED};
    for (int i = 0; i < 2; i++) {
        struct trm_backend_memory *memory = on_memory(kinds[i], 10000);
        memset(on_host(memory), 1, 10000);
        cuda_memory_ops.free(memory);
    }
}
END_TEST

START_TEST(memory_may_be_used_at_once_on_any_stream)
{
    for (int i = 0; i < 20; i++) {
        struct trm_backend_memory *memory = on_memory(TRM_MEMORY_DEVICE, 100 * KIB);
        struct trm_backend_stream *stream = on_stream();
        uint8_t found[1000];
        const struct trm_fill_desc fill = {.struct_size  = sizeof(fill),
                                           .pattern_size = 1,
                                           .memory       = memory,
                                           .size         = 100 * KIB,
                                           .pattern      = 7};
        const struct trm_copy_desc copy = {
            .struct_size = sizeof(copy),
            .destination = {.host = found},
            .source      = {.memory = memory, .offset = 100 * KIB - sizeof(found)},
            .size        = sizeof(found),
        };
        ck_assert_int_eq(cuda_stream_ops.fill(stream, 1, &fill), TRM_OK);
        ck_assert_int_eq(cuda_stream_ops.copy(stream, 2, &copy), TRM_OK);
        on_wait(stream, 2);
        for (size_t k = 0; k < sizeof(found); k++)
            ck_assert_uint_eq(found[k], 7);
        cuda_stream_ops.destroy(stream);
        cuda_memory_ops.free(memory);
    }
}
END_TEST

START_TEST(every_alignment_is_kept_by_every_kind)
{
    static const int32_t kinds[] = {TRM_MEMORY_DEVICE, TRM_MEMORY_PINNED, TRM_MEMORY_UNIFIED};
    for (int i = 0; i < 3; i++)
        for (uint64_t alignment = 1; alignment <= 2 * MIB; alignment *= 2) {
            struct trm_backend_memory *memory = NULL;
            ck_assert_int_eq(on_allocate(kinds[i], 12345, alignment, &memory), TRM_OK);
            ck_assert_uint_eq(memory->address % alignment, 0);
            ck_assert_uint_eq(memory->size, 12345);
            if (kinds[i] != TRM_MEMORY_DEVICE)
                memset(on_host(memory), 1, 12345);
            cuda_memory_ops.free(memory);
        }
}
END_TEST

/* As the driver's pools do it: one piece after the other, at multiples of 2 KiB. The last piece that was
 * cut off is given back. */
static struct {
    __typeof__(((struct cuda_functions *)NULL)->cuMemAllocFromPoolAsync) allocate;
    __typeof__(((struct cuda_functions *)NULL)->cuMemFreeAsync) free;
    CUdeviceptr block;
    uint64_t next;      /* offset */
    uint64_t begin[64]; /* of those that were cut off */
    uint32_t count;
} cutter;

static CUresult CUDAAPI cut_off(CUdeviceptr *address, size_t size, CUmemoryPool pool, CUstream stream)
{
    (void)pool;
    (void)stream;
    ck_assert_uint_lt(cutter.count, 64);
    *address                     = cutter.block + cutter.next;
    cutter.begin[cutter.count++] = cutter.next;
    cutter.next += (size + 2047) / 2048 * 2048;
    ck_assert_uint_le(cutter.next, 64 * MIB);
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI put_back(CUdeviceptr address, CUstream stream)
{
    (void)stream;
    if (cutter.count != 0 && cutter.block + cutter.begin[cutter.count - 1] == address)
        cutter.next = cutter.begin[--cutter.count];
    return CUDA_SUCCESS;
}

START_TEST(alignment_wastes_nothing_where_pieces_are_cut_off_one_after_the_other)
{
    struct trm_backend_memory *memory[5], *block = on_memory(TRM_MEMORY_DEVICE, 66 * MIB);
    static const uint64_t sizes[5]            = {3000, 64 * KIB, MIB, 2 * MIB, 2 * MIB};
    cutter.block                              = (block->address + 2 * MIB - 1) & ~(2 * MIB - 1);
    cutter.allocate                           = on.instance->cuda.cuMemAllocFromPoolAsync;
    cutter.free                               = on.instance->cuda.cuMemFreeAsync;
    on.instance->cuda.cuMemAllocFromPoolAsync = cut_off;
    on.instance->cuda.cuMemFreeAsync          = put_back;
    for (int i = 0; i < 5; i++) {
        uint64_t alignment = sizes[i] == 3000 ? 256 : sizes[i];
        ck_assert_int_eq(on_allocate(TRM_MEMORY_DEVICE, sizes[i], alignment, &memory[i]), TRM_OK);
        ck_assert_uint_eq(memory[i]->address % alignment, 0);
        ck_assert_uint_eq(memory[i]->skipped, 0);
        for (int k = 0; k < i; k++)
            ck_assert(memory[k]->address + sizes[k] <= memory[i]->address ||
                      memory[i]->address + sizes[i] <= memory[k]->address);
    }
    for (int i = 4; i >= 0; i--)
        cuda_memory_ops.free(memory[i]);
    on.instance->cuda.cuMemAllocFromPoolAsync = cutter.allocate;
    on.instance->cuda.cuMemFreeAsync          = cutter.free;
    cuda_memory_ops.free(block);
}
END_TEST

START_TEST(unified_memory_is_refused_where_the_driver_has_none)
{
    is_refused(TRM_MEMORY_UNIFIED, 1000, TRM_ERROR_UNSUPPORTED, "has no unified memory");
}
END_TEST

START_TEST(unified_memory_is_refused_where_the_host_may_not_touch_it_while_the_device_works)
{
    on.instance->physicals[0].concurrent_managed = false;
    is_refused(TRM_MEMORY_UNIFIED, 1000, TRM_ERROR_UNSUPPORTED,
               "no unified memory that the host may touch while the device works");
}
END_TEST

START_TEST(kinds_that_are_not_known_are_refused)
{
    is_refused(77, 1000, TRM_ERROR_UNSUPPORTED, "kind 77");
}
END_TEST

START_TEST(where_memory_is_one_the_host_reaches_all_of_it)
{
    for (int i = 0; i < 2; i++) {
        on.instance->physicals[0].integrated         = true;
        on.instance->physicals[0].concurrent_managed = i == 0;
        struct trm_backend_memory *memory            = on_memory(TRM_MEMORY_DEVICE, 10000);
        memset(on_host(memory), 1, 10000);
        cuda_memory_ops.free(memory);
    }
    ck_assert_uint_eq(calls("cuMemAllocManaged"), 1);
    ck_assert_uint_eq(calls("cuMemHostAlloc"), 1);
}
END_TEST

/* ---- none left ---- */

START_TEST(device_memory_that_has_run_out_is_said_so)
{
    is_refused(TRM_MEMORY_DEVICE, 300 * MIB, TRM_ERROR_OUT_OF_DEVICE_MEMORY,
               "has no 314572800 bytes of memory left");
    ck_assert_int_eq(fake.native, CUDA_ERROR_OUT_OF_MEMORY);
    cuda_memory_ops.free(on_memory(TRM_MEMORY_DEVICE, 200 * MIB));
}
END_TEST

START_TEST(pinned_memory_that_has_run_out_is_the_hosts)
{
    on_fault("cuMemHostAlloc", "CUDA_ERROR_OUT_OF_MEMORY");
    is_refused(TRM_MEMORY_PINNED, 5000, TRM_ERROR_OUT_OF_HOST_MEMORY, "cannot lock 5000 bytes of memory");
    cuda_memory_ops.free(on_memory(TRM_MEMORY_PINNED, 5000));
}
END_TEST

START_TEST(an_alignment_that_makes_it_too_large_is_out_of_memory)
{
    struct trm_backend_memory *memory = NULL;
    ck_assert_int_eq(on_allocate(TRM_MEMORY_DEVICE, UINT64_MAX - 100, 4096, &memory),
                     TRM_ERROR_OUT_OF_DEVICE_MEMORY);
}
END_TEST

/* A failed call leaves nothing behind, and the next one works. */
START_TEST(every_call_of_the_driver_may_fail)
{
    static const struct {
        const char *function;
        int32_t kind;
    } cases[] = {
        {"cuMemAllocFromPoolAsync", TRM_MEMORY_DEVICE}, {"cuStreamSynchronize", TRM_MEMORY_DEVICE},
        {"cuMemHostAlloc", TRM_MEMORY_PINNED},          {"cuMemHostGetDevicePointer", TRM_MEMORY_PINNED},
        {"cuMemAllocManaged", TRM_MEMORY_UNIFIED},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct trm_backend_memory *memory = NULL;
        on_fault(cases[i].function, "CUDA_ERROR_INVALID_VALUE");
        ck_assert_int_eq(on_allocate(cases[i].kind, 1000, 256, &memory), TRM_ERROR_INVALID_ARGUMENT);
        ck_assert_ptr_null(memory);
        ck_says("CUDA_ERROR_INVALID_VALUE");
        cuda_memory_ops.free(on_memory(cases[i].kind, 1000));
    }
}
END_TEST

START_TEST(no_host_memory_for_its_description_is_said_so)
{
    fake.refuse_at = fake.calls + 1;
    is_refused(TRM_MEMORY_DEVICE, 1000, TRM_ERROR_OUT_OF_HOST_MEMORY, "no host memory for a buffer");
}
END_TEST

/* ---- imported memory ---- */

static int32_t import(void *host, uint64_t size, struct trm_backend_memory **memory)
{
    const struct trm_memory_desc desc = {.struct_size  = sizeof(desc),
                                         .kind         = TRM_MEMORY_IMPORTED,
                                         .size         = size,
                                         .alignment    = 1,
                                         .host_pointer = host};
    return cuda_memory_ops.allocate(on.device, &desc, memory);
}

static struct trm_backend_memory *imported(void *host, uint64_t size)
{
    struct trm_backend_memory *memory = NULL;
    ck_assert_msg(import(host, size, &memory) == TRM_OK, "%s", fake.sentence);
    ck_assert_ptr_eq(on_host(memory), host);
    return memory;
}

static uint8_t *pages(uint32_t count)
{
    void *memory = NULL;
    ck_assert_int_eq(posix_memalign(&memory, PAGE, count * (size_t)PAGE), 0);
    memset(memory, 0, count * (size_t)PAGE);
    return memory;
}

static uint64_t registrations(void)
{
    struct cuda_standin_account account;
    on.control->account(&account);
    return account.registrations;
}

START_TEST(imported_memory_is_registered_as_long_as_it_is_used)
{
    uint8_t *host                     = pages(4);
    struct trm_backend_memory *memory = imported(host, 4 * PAGE);
    ck_assert_uint_eq(registrations(), 1);
    cuda_memory_ops.free(memory);
    ck_assert_uint_eq(registrations(), 0);
    free(host);
}
END_TEST

START_TEST(what_lies_within_registered_memory_shares_it)
{
    uint8_t *host                       = pages(4);
    struct trm_backend_memory *whole    = imported(host, 4 * PAGE);
    struct trm_backend_memory *part     = imported(host + 100, PAGE);
    struct trm_backend_memory *the_same = imported(host, 4 * PAGE);
    ck_assert_uint_eq(registrations(), 1);
    ck_assert_uint_eq(part->address, whole->address + 100);
    cuda_memory_ops.free(whole);
    cuda_memory_ops.free(the_same);
    ck_assert_uint_eq(registrations(), 1);
    cuda_memory_ops.free(part);
    ck_assert_uint_eq(registrations(), 0);
    free(host);
}
END_TEST

START_TEST(what_is_registered_in_part_only_is_refused_in_words)
{
    uint8_t *host                     = pages(4);
    struct trm_backend_memory *memory = imported(host, 2 * PAGE), *more = NULL;
    ck_assert_int_eq(import(host + PAGE, 2 * PAGE, &more), TRM_ERROR_UNSUPPORTED);
    ck_assert_ptr_null(more);
    ck_says("registered already");
    ck_says("CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED");
    cuda_memory_ops.free(memory);
    cuda_memory_ops.free(imported(host + PAGE, 2 * PAGE));
    free(host);
}
END_TEST

START_TEST(what_the_program_has_registered_is_used_and_left_as_it_is)
{
    uint8_t *host = pages(4);
    CUcontext previous;
    ck_assert_int_eq(cuda_enter(on.device, &previous), TRM_OK);
    ck_assert_int_eq(on.cuda->cuMemHostRegister(host, 4 * PAGE, 0), CUDA_SUCCESS);
    struct trm_backend_memory *memory = imported(host + 64, 3 * PAGE);
    cuda_memory_ops.free(memory);
    ck_assert_uint_eq(registrations(), 1);
    ck_assert_int_eq(on.cuda->cuMemHostUnregister(host), CUDA_SUCCESS);
    cuda_leave(on.device, previous);
    free(host);
}
END_TEST

START_TEST(pinned_memory_may_be_imported)
{
    struct trm_backend_memory *pinned = on_memory(TRM_MEMORY_PINNED, 2 * PAGE);
    struct trm_backend_memory *memory = imported(on_host(pinned), PAGE);
    ck_assert_uint_eq(memory->address, pinned->address);
    cuda_memory_ops.free(memory);
    memset(on_host(pinned), 1, 2 * PAGE);
    cuda_memory_ops.free(pinned);
}
END_TEST

START_TEST(memory_that_is_only_read_is_registered_as_such)
{
    uint64_t asked = calls("cuMemHostRegister");
    uint8_t *host  = mmap(NULL, 2 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(host, MAP_FAILED);
    struct trm_backend_memory *memory = imported(host, 2 * PAGE);
    ck_assert_uint_eq(calls("cuMemHostRegister"), asked + 2);
    cuda_memory_ops.free(memory);
    munmap(host, 2 * PAGE);
}
END_TEST

START_TEST(memory_that_is_not_there_is_refused_in_words)
{
    struct trm_backend_memory *memory = NULL;
    uint8_t *host = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(host, MAP_FAILED);
    ck_assert_int_eq(munmap(host + PAGE, 3 * PAGE), 0);
    ck_assert_int_eq(import(host + 10, 2 * PAGE, &memory), TRM_ERROR_UNSUPPORTED);
    ck_says("The driver cannot register the 8192 bytes");
    ck_says("do not begin at a page");
    ck_assert_int_eq(import(host, 2 * PAGE, &memory), TRM_ERROR_UNSUPPORTED);
    ck_says("not ordinary memory");
    ck_assert_ptr_null(memory);
    munmap(host, PAGE);
}
END_TEST

START_TEST(memory_that_may_not_be_locked_is_said_to_be_the_hosts)
{
    uint8_t *host                     = pages(2);
    struct trm_backend_memory *memory = NULL;
    on_fault("cuMemHostRegister", "CUDA_ERROR_OUT_OF_MEMORY");
    ck_assert_int_eq(import(host, 2 * PAGE, &memory), TRM_ERROR_OUT_OF_HOST_MEMORY);
    ck_says("ulimit -l");
    on_fault("cuMemHostGetDevicePointer", "CUDA_ERROR_INVALID_VALUE");
    ck_assert_int_eq(import(host, 2 * PAGE, &memory), TRM_ERROR_INVALID_ARGUMENT);
    ck_assert_uint_eq(registrations(), 0);
    cuda_memory_ops.free(imported(host, 2 * PAGE));
    free(host);
}
END_TEST

static void *import_again_and_again(void *host)
{
    for (int i = 0; i < 100; i++) {
        struct trm_backend_memory *memory = NULL;
        if (import((uint8_t *)host + i, PAGE, &memory) != TRM_OK)
            return host;
        cuda_memory_ops.free(memory);
    }
    return NULL;
}

START_TEST(threads_share_what_is_registered)
{
    pthread_t threads[4];
    uint8_t *host                     = pages(4);
    struct trm_backend_memory *memory = imported(host, 4 * PAGE);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, import_again_and_again, host), 0);
    for (int i = 0; i < 4; i++) {
        void *failed = NULL;
        pthread_join(threads[i], &failed);
        ck_assert_ptr_null(failed);
    }
    ck_assert_uint_eq(registrations(), 1);
    cuda_memory_ops.free(memory);
    ck_assert_uint_eq(registrations(), 0);
    free(host);
}
END_TEST

START_TEST(two_devices_share_what_is_registered_and_the_last_one_gives_it_back)
{
    struct trm_backend_device *first = on.device, *second = NULL;
    struct trm_backend_memory *theirs;
    uint8_t *host = pages(2);
    ck_assert_int_eq(cuda_device_create(on.instance, 1, NULL, &second), TRM_OK);
    struct trm_backend_memory *memory = imported(host, 2 * PAGE);
    on.device                         = second;
    theirs                            = imported(host, PAGE);
    cuda_memory_ops.free(memory);
    /* it ended with the context that registered it, but the other device kept that */
    cuda_device_ops.close(first);
    ck_assert_uint_eq(registrations(), 1);
    cuda_memory_ops.free(theirs);
    ck_assert_uint_eq(registrations(), 0);
    free(host);
}
END_TEST

static void add(Suite *suite, const char *name, void (*open)(void), const TTest *const *tests)
{
    TCase *group = tcase_create(name);
    tcase_add_checked_fixture(group, open, on_close);
    for (; *tests != NULL; tests++)
        tcase_add_test(group, *tests);
    suite_add_tcase(suite, group);
}

static void set_up_without_pools(void)
{
    on_open("pools=no");
}

static void set_up_without_managed(void)
{
    on_open("managed=no");
}

static void set_up_two(void)
{
    on_open("devices=2");
}

static Suite *make_suite(void)
{
    Suite *suite = suite_create("memory");
    add(suite, "kinds", set_up,
        (const TTest *const[]){
            device_memory_comes_from_a_pool_where_the_driver_has_pools, the_host_does_not_reach_device_memory,
            the_host_reaches_all_other_kinds, memory_may_be_used_at_once_on_any_stream,
            every_alignment_is_kept_by_every_kind,
            alignment_wastes_nothing_where_pieces_are_cut_off_one_after_the_other,
            unified_memory_is_refused_where_the_host_may_not_touch_it_while_the_device_works,
            kinds_that_are_not_known_are_refused, where_memory_is_one_the_host_reaches_all_of_it, NULL});
    add(suite, "without pools", set_up_without_pools,
        (const TTest *const[]){device_memory_is_plain_where_the_driver_has_no_pools,
                               memory_may_be_used_at_once_on_any_stream,
                               every_alignment_is_kept_by_every_kind, NULL});
    add(suite, "without managed memory", set_up_without_managed,
        (const TTest *const[]){unified_memory_is_refused_where_the_driver_has_none, NULL});
    add(suite, "none left", set_up,
        (const TTest *const[]){
            device_memory_that_has_run_out_is_said_so, pinned_memory_that_has_run_out_is_the_hosts,
            an_alignment_that_makes_it_too_large_is_out_of_memory, every_call_of_the_driver_may_fail,
            no_host_memory_for_its_description_is_said_so, NULL});
    add(suite, "imported", set_up,
        (const TTest *const[]){
            imported_memory_is_registered_as_long_as_it_is_used, what_lies_within_registered_memory_shares_it,
            what_is_registered_in_part_only_is_refused_in_words,
            what_the_program_has_registered_is_used_and_left_as_it_is, pinned_memory_may_be_imported,
            memory_that_is_only_read_is_registered_as_such, memory_that_is_not_there_is_refused_in_words,
            memory_that_may_not_be_locked_is_said_to_be_the_hosts, threads_share_what_is_registered, NULL});
    add(suite, "two devices", set_up_two,
        (const TTest *const[]){two_devices_share_what_is_registered_and_the_last_one_gives_it_back, NULL});
    return suite;
}

UNIT_SUITE(make_suite)
