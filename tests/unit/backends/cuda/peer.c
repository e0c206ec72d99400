/* The cuda backend: copies between devices, and waits across them.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/cuda/streams.h"
#include "tests/unit/runner.h"

#define SIZE 100000u

static struct trm_backend_device *second;

static void open_two(const char *text)
{
    on_open(text);
    ck_assert_msg(cuda_device_create(on.instance, on.instance->physical_count - 1, NULL, &second) == TRM_OK,
                  "%s", fake.sentence);
}

static void close_two(void)
{
    cuda_device_ops.close(second);
    on_close();
}

static struct trm_backend_memory *memory_of(struct trm_backend_device *device, int32_t kind)
{
    const struct trm_memory_desc desc = {
        .struct_size = sizeof(desc), .kind = kind, .size = SIZE, .alignment = 256};
    struct trm_backend_memory *memory = NULL;
    ck_assert_msg(cuda_memory_ops.allocate(device, &desc, &memory) == TRM_OK, "%s", fake.sentence);
    return memory;
}

static struct trm_backend_stream *stream_of(struct trm_backend_device *device)
{
    const struct trm_stream_desc desc = {.struct_size = sizeof(desc)};
    struct trm_backend_stream *stream = NULL;
    ck_assert_msg(cuda_stream_ops.create(device, &desc, &stream) == TRM_OK, "%s", fake.sentence);
    return stream;
}

static struct trm_copy_desc copy_of(struct trm_backend_memory *to, struct trm_backend_memory *from)
{
    return (struct trm_copy_desc){
        .struct_size = sizeof(struct trm_copy_desc),
        .destination = {.memory = to},
        .source      = {.memory = from},
        .size        = SIZE,
    };
}

/* From pinned memory up, to the other device by either device's stream, and down there. */
static void send_around(struct trm_backend_stream *by)
{
    struct trm_backend_stream *here = stream_of(on.device), *there = stream_of(second);
    struct trm_backend_memory *in  = memory_of(on.device, TRM_MEMORY_PINNED),
                              *out = memory_of(second, TRM_MEMORY_PINNED);
    struct trm_backend_memory *a   = memory_of(on.device, TRM_MEMORY_DEVICE),
                              *b   = memory_of(second, TRM_MEMORY_DEVICE);
    uint8_t *sent = on_host(in), *got = on_host(out);
    for (uint32_t i = 0; i < SIZE; i++)
        sent[i] = (uint8_t)(i * 13);
    memset(got, 0, SIZE);
    struct trm_copy_desc up = copy_of(a, in), over = copy_of(b, a), down = copy_of(out, b);
    ck_ok(ops->copy(here, 1, &up));
    ck_ok(ops->mark(here, 1));
    ck_ok(ops->wait_stream(by, 1, here, 1));
    ck_ok(cuda_peer_ops.copy(by, 2, &over));
    ck_ok(ops->mark(by, 2));
    ck_ok(ops->wait_stream(there, 1, by, 2));
    ck_ok(ops->copy(there, 2, &down));
    ck_ok(ops->wait(there, 2, TRM_FOREVER));
    ck_assert_mem_eq(got, sent, SIZE);
    finish(here, 1);
    finish(by, 2);
    finish(there, 2);
    cuda_memory_ops.free(a);
    cuda_memory_ops.free(b);
    cuda_memory_ops.free(in);
    cuda_memory_ops.free(out);
}

START_TEST(devices_that_reach_each_other_copy_directly)
{
    open_two("devices=2 peers=yes");
    ck_ok(cuda_peer_ops.can_access(on.device, second));
    ck_ok(cuda_peer_ops.can_access(second, on.device));
    uint64_t asked = on.control->calls("cuDeviceCanAccessPeer");
    ck_ok(cuda_peer_ops.can_access(on.device, second));
    ck_assert_uint_eq(on.control->calls("cuDeviceCanAccessPeer"), asked);
    send_around(stream_of(on.device));
    send_around(stream_of(second));
    ck_assert_uint_ge(on.control->calls("cuMemcpyPeerAsync"), 2);
    close_two();
}
END_TEST

START_TEST(devices_that_do_not_are_said_not_to)
{
    open_two("devices=2 peers=no");
    ck_status(cuda_peer_ops.can_access(on.device, second), TRM_ERROR_UNSUPPORTED);
    ck_says("cannot access");
    uint64_t asked = on.control->calls("cuDeviceCanAccessPeer");
    ck_status(cuda_peer_ops.can_access(on.device, second), TRM_ERROR_UNSUPPORTED);
    ck_assert_uint_eq(on.control->calls("cuDeviceCanAccessPeer"), asked);
    close_two();
}
END_TEST

START_TEST(access_that_cannot_be_opened_is_none)
{
    open_two("devices=2 peers=yes");
    on_fault("cuCtxEnablePeerAccess", "CUDA_ERROR_TOO_MANY_PEERS");
    ck_status(cuda_peer_ops.can_access(on.device, second), TRM_ERROR_UNSUPPORTED);
    close_two();
}
END_TEST

START_TEST(a_device_that_is_open_twice_reaches_itself)
{
    open_two("devices=1");
    ck_ok(cuda_peer_ops.can_access(on.device, second));
    ck_assert_uint_eq(on.control->calls("cuCtxEnablePeerAccess"), 0);
    send_around(stream_of(second));
    close_two();
}
END_TEST

START_TEST(a_copy_between_devices_is_held_back_like_any_other)
{
    open_two("devices=2 peers=yes");
    ck_ok(cuda_peer_ops.can_access(second, on.device));
    struct trm_backend_stream *stream = stream_of(second);
    struct trm_backend_memory *from   = memory_of(on.device, TRM_MEMORY_DEVICE),
                              *to     = memory_of(second, TRM_MEMORY_DEVICE);
    struct trm_copy_desc desc         = copy_of(to, from);
    ck_ok(ops->gate(stream, 1));
    ck_ok(cuda_peer_ops.copy(stream, 2, &desc));
    ck_assert_uint_eq(on.control->calls("cuMemcpyPeerAsync"), 0);
    on_fault("cuMemcpyPeerAsync", "CUDA_ERROR_INVALID_VALUE");
    ops->open_gates(stream, 1);
    ck_status(ops->wait(stream, 2, TRM_FOREVER), TRM_ERROR_INVALID_ARGUMENT);
    ck_says("A copy between devices");
    ops->destroy(stream);
    cuda_memory_ops.free(from);
    cuda_memory_ops.free(to);
    close_two();
}
END_TEST

START_TEST(a_stream_fails_with_one_whose_device_is_lost)
{
    open_two("devices=2 peers=yes");
    struct trm_backend_stream *lost = stream_of(on.device), *other = stream_of(second);
    struct trm_backend_memory *memory = memory_of(on.device, TRM_MEMORY_DEVICE);
    struct trm_fill_desc desc         = {
                .struct_size = sizeof(desc), .pattern_size = 1, .memory = memory, .size = SIZE, .pattern = 1};
    ck_ok(ops->gate(lost, 1));
    ck_ok(ops->wait_stream(other, 1, lost, 1));
    struct trm_backend_stream *failing = stream_of(on.device);
    ck_assert_int_eq(on.control->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(ops->fill(failing, 1, &desc));
    ck_status(ops->wait(failing, 1, TRM_FOREVER), TRM_ERROR_DEVICE_LOST);
    ck_status(ops->wait(other, 1, TRM_FOREVER), TRM_ERROR_DEVICE_LOST);
    ck_assert(!cuda_device_is_lost(second));
    ops->destroy(lost);
    ops->destroy(failing);
    ops->destroy(other);
    cuda_memory_ops.free(memory);
    on.control->fail_work(NULL);
    close_two();
}
END_TEST

/* The point is submitted and has no mark: the other stream's device must record one. */
START_TEST(waiting_for_a_stream_of_a_lost_device_does_not_lose_the_own)
{
    open_two("devices=2 peers=yes");
    struct trm_backend_stream *lost = stream_of(on.device), *other = stream_of(second);
    struct trm_backend_memory *memory = memory_of(on.device, TRM_MEMORY_DEVICE);
    struct trm_fill_desc desc         = {
                .struct_size = sizeof(desc), .pattern_size = 1, .memory = memory, .size = SIZE, .pattern = 1};
    ck_assert_int_eq(on.control->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(ops->fill(lost, 1, &desc));
    on.control->settle();
    ck_status(ops->wait_stream(other, 1, lost, 1), TRM_ERROR_DEVICE_LOST);
    ck_assert(cuda_device_is_lost(on.device));
    ck_assert(!cuda_device_is_lost(second));
    finish(other, 0);
    ops->destroy(lost);
    cuda_memory_ops.free(memory);
    on.control->fail_work(NULL);
    close_two();
}
END_TEST

/* The driver has the wait before the device is lost, and both have ended before anything is asked. */
START_TEST(a_stream_that_waited_for_a_lost_device_fails)
{
    open_two("devices=2 peers=yes");
    struct trm_backend_stream *lost = stream_of(on.device), *other = stream_of(second),
                              *third  = stream_of(second);
    struct trm_backend_memory *memory = memory_of(on.device, TRM_MEMORY_DEVICE);
    struct trm_fill_desc desc         = {
                .struct_size = sizeof(desc), .pattern_size = 1, .memory = memory, .size = SIZE, .pattern = 1};
    on.control->hold();
    ck_ok(ops->fill(lost, 1, &desc));
    ck_ok(ops->wait_stream(other, 1, lost, 1));
    ck_ok(ops->wait_stream(third, 1, other, 1));
    ck_assert_int_eq(on.control->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    on.control->release();
    on.control->settle();
    ck_status(ops->wait(third, 1, TRM_FOREVER), TRM_ERROR_DEVICE_LOST);
    ck_says("was lost");
    ck_status(ops->wait(other, 1, TRM_FOREVER), TRM_ERROR_DEVICE_LOST);
    ck_assert(cuda_device_is_lost(on.device));
    ck_assert(!cuda_device_is_lost(second));
    ops->destroy(lost);
    ops->destroy(other);
    ops->destroy(third);
    cuda_memory_ops.free(memory);
    on.control->fail_work(NULL);
    close_two();
}
END_TEST

START_TEST(a_stream_forgets_devices_when_all_has_completed)
{
    open_two("devices=2 peers=yes");
    struct trm_backend_stream *lost = stream_of(on.device), *other = stream_of(second);
    struct trm_backend_memory *memory = memory_of(on.device, TRM_MEMORY_DEVICE);
    struct trm_fill_desc desc         = {
                .struct_size = sizeof(desc), .pattern_size = 1, .memory = memory, .size = SIZE, .pattern = 1};
    on.control->hold();
    ck_ok(ops->fill(lost, 1, &desc));
    ck_ok(ops->wait_stream(other, 1, lost, 1));
    on.control->release();
    ck_ok(ops->wait(other, 1, TRM_FOREVER));
    ck_assert_int_eq(on.control->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(ops->fill(lost, 2, &desc));
    ck_status(ops->wait(lost, 2, TRM_FOREVER), TRM_ERROR_DEVICE_LOST);
    finish(other, 1);
    ops->destroy(lost);
    cuda_memory_ops.free(memory);
    on.control->fail_work(NULL);
    close_two();
}
END_TEST

START_TEST(a_copy_from_a_lost_device_does_not_lose_the_own)
{
    open_two("devices=2 peers=yes");
    ck_ok(cuda_peer_ops.can_access(second, on.device));
    struct trm_backend_stream *lost = stream_of(on.device), *other = stream_of(second);
    struct trm_backend_memory *memory = memory_of(on.device, TRM_MEMORY_DEVICE),
                              *to     = memory_of(second, TRM_MEMORY_DEVICE);
    struct trm_copy_desc copy         = copy_of(to, memory);
    struct trm_fill_desc fill         = {
                .struct_size = sizeof(fill), .pattern_size = 1, .memory = memory, .size = SIZE, .pattern = 1};
    ck_assert_int_eq(on.control->fail_work("fill:1:CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
    ck_ok(ops->fill(lost, 1, &fill));
    on.control->settle();
    ck_status(cuda_peer_ops.copy(other, 1, &copy), TRM_ERROR_DEVICE_LOST);
    ck_assert(!cuda_device_is_lost(second));
    finish(other, 0);
    ops->destroy(lost);
    cuda_memory_ops.free(memory);
    cuda_memory_ops.free(to);
    on.control->fail_work(NULL);
    close_two();
}
END_TEST

START_TEST(access_is_opened_anew_where_the_other_device_was_opened_anew)
{
    open_two("devices=2 peers=yes");
    for (uint32_t i = 0; i < 3; i++) {
        ck_ok(cuda_peer_ops.can_access(on.device, second));
        ck_ok(cuda_peer_ops.can_access(second, on.device));
        send_around(stream_of(on.device));
        send_around(stream_of(second));
        cuda_device_ops.close(second);
        ck_ok(cuda_device_create(on.instance, 1, NULL, &second));
    }
    close_two();
}
END_TEST

START_TEST(all_devices_of_one_that_is_open_twice_are_reached)
{
    struct trm_backend_device *first;
    open_two("devices=2 peers=yes");
    first = second;
    ck_ok(cuda_peer_ops.can_access(on.device, first));
    ck_ok(cuda_device_create(on.instance, 1, NULL, &second));
    ck_ok(cuda_peer_ops.can_access(on.device, second));
    send_around(stream_of(on.device));
    cuda_device_ops.close(first);
    close_two();
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("cuda peer");
    TCase *group = tcase_create("copies between devices");
    tcase_add_test(group, devices_that_reach_each_other_copy_directly);
    tcase_add_test(group, devices_that_do_not_are_said_not_to);
    tcase_add_test(group, access_that_cannot_be_opened_is_none);
    tcase_add_test(group, a_device_that_is_open_twice_reaches_itself);
    tcase_add_test(group, a_copy_between_devices_is_held_back_like_any_other);
    tcase_add_test(group, a_stream_fails_with_one_whose_device_is_lost);
    tcase_add_test(group, waiting_for_a_stream_of_a_lost_device_does_not_lose_the_own);
    tcase_add_test(group, a_stream_that_waited_for_a_lost_device_fails);
    tcase_add_test(group, a_stream_forgets_devices_when_all_has_completed);
    tcase_add_test(group, a_copy_from_a_lost_device_does_not_lose_the_own);
    tcase_add_test(group, access_is_opened_anew_where_the_other_device_was_opened_anew);
    tcase_add_test(group, all_devices_of_one_that_is_open_twice_are_reached);
    suite_add_tcase(suite, group);
    return suite;
}

UNIT_SUITE(make_suite)
