/* Device memory that runs out.
 * SPDX-License-Identifier: MIT
 */
#include "groups.h"
#include "harness.h"

#include <sys/resource.h>

static uint64_t bytes_of_address_space(void)
{
    unsigned long long pages = 0;
    FILE *file               = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%llu", &pages), 1);
    fclose(file);
    return pages * 4096;
}

static unsigned take_until_none(struct trm_buffer **buffers, unsigned most, uint64_t size)
{
    for (unsigned i = 0; i < most; i++) {
        int32_t status = trm_buffer_create(the.device, TRM_MEMORY_DEVICE, size, &buffers[i]);
        if (status == TRM_OK)
            continue;
        ck_status(status, TRM_ERROR_OUT_OF_DEVICE_MEMORY);
        return i;
    }
    return most;
}

START_TEST(device_memory_that_runs_out_is_a_status_and_comes_back)
{
    enum {
        MOST = 64
    };
    struct trm_buffer *buffers[MOST], *large = NULL;
    uint64_t piece = UINT64_C(32) << 20, room = UINT64_C(512) << 20;
    if (!scaled(1, 0) || device_number(the.device, TRM_DEVICE_KIND) != TRM_DEVICE_CPU) {
        skip("only the memory of a cpu can be made scarce, in a process of its own");
        return;
    }
    struct rlimit limit = {bytes_of_address_space() + room, RLIM_INFINITY};
    ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
    unsigned count = take_until_none(buffers, MOST, piece);
    ck_assert_uint_gt(count, 4);
    ck_assert_uint_lt(count, MOST);
    ck_ok(trm_fill(the.stream, trm_span_of(buffers[0], 0, 4096), 1, 1)); /* the others go on working */
    ck_ok(trm_stream_sync(the.stream));
    for (unsigned i = 0; i < count; i++)
        trm_buffer_destroy(buffers[i]);
    ck_ok(
        trm_buffer_create(the.device, TRM_MEMORY_DEVICE, 5 * piece, &large)); /* of what the pool had kept */
    trm_buffer_destroy(large);
}
END_TEST

void add_out_of_device_memory(Suite *suite)
{
    TCase *scarce = group_make(suite, "out_of_device_memory");
    CASE(scarce, device_memory_that_runs_out_is_a_status_and_comes_back);
}
