/* Collectives by NCCL: when it is taken, and a library that is found, too old, incomplete or missing. On the
 * stand-ins for the driver and for NCCL.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cuda/nccl_team.h"

/* ---- which way ------------------------------------------------------------------------------- */

START_TEST(the_way_nccl_has_one_communicator_for_all_calls_of_a_collective)
{
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 1);
    ck_assert_uint_eq(nccl->calls("ncclAllReduce"), 2 * team.count);
    ck_assert_uint_eq(nccl->living(), team.count);
    team_close();
    ck_assert_uint_eq(nccl->aborted(), 0);
}
END_TEST

START_TEST(the_first_calls_of_a_size_try_nccl_too)
{
    team_open(NCCL_STANDIN_PATH, "auto", 0);
    for (uint32_t i = 0; i < 30; i++)
        add_up_rightly();
    ck_assert_uint_ge(nccl->calls("ncclAllReduce"), 3 * team.count);
    team_close();
}
END_TEST

START_TEST(nccl_is_not_tried_for_what_it_rounds_otherwise)
{
    static const struct {
        int32_t type, operation;
    } inexact[] = {{TRM_TYPE_F32, TRM_REDUCE_MAXIMUM}, {TRM_TYPE_F64, TRM_REDUCE_MINIMUM},
                   {TRM_TYPE_F16, TRM_REDUCE_SUM},     {TRM_TYPE_BF16, TRM_REDUCE_AVERAGE},
                   {TRM_TYPE_F32, TRM_REDUCE_AVERAGE}, {TRM_TYPE_F64, TRM_REDUCE_AVERAGE},
                   {TRM_TYPE_I32, TRM_REDUCE_AVERAGE}, {TRM_TYPE_I64, TRM_REDUCE_AVERAGE}};
    team_open(NCCL_STANDIN_PATH, "auto", 0);
    fill_inputs();
    for (uint32_t k = 0; k < sizeof(inexact) / sizeof(inexact[0]); k++)
        for (uint32_t i = 0; i < 12; i++) {
            ck_ok(trm_all_reduce(team.collective, team.streams, team.outputs, team.inputs, 1, inexact[k].type,
                                 inexact[k].operation));
            ck_ok(trm_stream_sync(team.streams[0]));
        }
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 0);
    team_close();
}
END_TEST

START_TEST(a_deterministic_collective_takes_nccl_for_copies_alone)
{
    team_open(NCCL_STANDIN_PATH, "auto", TRM_COLLECTIVE_DETERMINISTIC);
    for (uint32_t i = 0; i < 12; i++)
        add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 0);
    team_close();
    team_open(NCCL_STANDIN_PATH, "nccl", TRM_COLLECTIVE_DETERMINISTIC);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("TRM_COLLECTIVE_DETERMINISTIC");
    ck_ok(trm_broadcast(team.collective, team.streams, team.outputs, 1, 1));
    ck_assert_uint_eq(nccl->calls("ncclBroadcast"), team.count);
    team_close();
}
END_TEST

START_TEST(the_way_nccl_takes_device_memory_alone)
{
    struct trm_buffer *pinned;
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    pinned         = buffer_open(team.devices[1], TRM_MEMORY_PINNED, BYTES);
    team.inputs[1] = trm_span_whole(pinned);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("device memory");
    trm_buffer_destroy(pinned);
    team_close();
}
END_TEST

START_TEST(a_group_of_one_device_takes_the_way_nccl_where_it_can)
{
    standin_shape("devices=1");
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    ck_assert_uint_eq(nccl->calls("ncclAllReduce"), 1);
    team_close();
    team_open("none", "nccl", 0);
    add_up_rightly();
    team_close();
}
END_TEST

/* ---- the library ----------------------------------------------------------------------------- */

static const char *collectives_of(struct trm_device *device)
{
    static char text[128];
    if (trm_device_get_info(device, TRM_DEVICE_COLLECTIVES, text, sizeof(text), NULL) != TRM_OK)
        return "";
    return text;
}

START_TEST(a_device_tells_the_version_of_nccl)
{
    team_open(NCCL_STANDIN_PATH, "auto", 0);
    ck_assert_str_eq(collectives_of(team.devices[0]), NCCL_STANDIN_NAME);
    ck_assert_uint_eq(nccl->calls("ncclCommInitAll"), 0);
    team_close();
}
END_TEST

/* The other ways do all. */
static void ck_no_nccl(const char *library, const char *why)
{
    team_open(library, "auto", 0);
    ck_assert_str_eq(collectives_of(team.devices[0]), "");
    for (uint32_t i = 0; i < 12; i++)
        add_up_rightly();
    team_close();
    team_open(library, "nccl", 0);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has(why);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has(why);
    ck_ok(trm_stream_sync(team.streams[0])); /* a refused call enqueues nothing */
    team_close();
}

START_TEST(without_nccl_the_other_ways_are_taken)
{
    ck_no_nccl("libnccl-that-does-not-exist.so.2", "libnccl-that-does-not-exist.so.2");
}
END_TEST

START_TEST(nccl_is_not_used_where_the_setting_says_none)
{
    ck_no_nccl("none", "cuda.nccl is none");
}
END_TEST

START_TEST(a_version_of_nccl_that_is_too_old_or_too_new_is_refused)
{
    nccl->set_version(21799);
    ck_no_nccl(NCCL_STANDIN_PATH, "2.17.99");
    nccl->set_version(30000);
    ck_no_nccl(NCCL_STANDIN_PATH, "before 3");
    nccl->set_version(21800);
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    add_up_rightly();
    team_close();
}
END_TEST

START_TEST(a_library_that_does_not_tell_its_version_is_refused)
{
    nccl->fail_next("ncclGetVersion", SYSTEM_ERROR);
    team_open(NCCL_STANDIN_PATH, "nccl", 0);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has("version");
    team_close();
}
END_TEST

/* Writes a copy of the library in which the function has another name. */
static void write_without(const char *function, const char *path)
{
    static char bytes[4u << 20];
    size_t length = strlen(function);
    FILE *file    = fopen(NCCL_STANDIN_PATH, "rb");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    ck_assert(size > 0 && size < sizeof(bytes));
    for (size_t i = 0; i + length + 1 < size; i++)
        if (memcmp(&bytes[i], function, length + 1) == 0)
            bytes[i] = 'x';
    unlink(path);
    file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, size, file), size);
    fclose(file);
    ck_assert_int_eq(chmod(path, 0755), 0);
}

START_TEST(a_library_without_one_of_the_functions_is_refused_by_its_name)
{
    const char *function = nccl_functions[_i];
    char path[4096];
    snprintf(path, sizeof(path), "%s-without-%s", NCCL_STANDIN_PATH, function);
    write_without(function, path);
    team_open(path, "nccl", 0);
    ck_fails(add_up(), TRM_ERROR_UNSUPPORTED);
    ck_sentence_has(function);
    team_close();
    unlink(path);
}
END_TEST

/* ---- the suite ------------------------------------------------------------------------------- */

int main(void)
{
    Suite *suite   = suite_create("cuda: NCCL");
    TCase *ways    = tcase_create("ways");
    TCase *library = tcase_create("the library");
    tcase_add_test(ways, the_way_nccl_has_one_communicator_for_all_calls_of_a_collective);
    tcase_add_test(ways, the_first_calls_of_a_size_try_nccl_too);
    tcase_add_test(ways, nccl_is_not_tried_for_what_it_rounds_otherwise);
    tcase_add_test(ways, a_deterministic_collective_takes_nccl_for_copies_alone);
    tcase_add_test(ways, the_way_nccl_takes_device_memory_alone);
    tcase_add_test(ways, a_group_of_one_device_takes_the_way_nccl_where_it_can);
    tcase_add_test(library, a_device_tells_the_version_of_nccl);
    tcase_add_test(library, without_nccl_the_other_ways_are_taken);
    tcase_add_test(library, nccl_is_not_used_where_the_setting_says_none);
    tcase_add_test(library, a_version_of_nccl_that_is_too_old_or_too_new_is_refused);
    tcase_add_test(library, a_library_that_does_not_tell_its_version_is_refused);
    tcase_add_loop_test(library, a_library_without_one_of_the_functions_is_refused_by_its_name, 0, FUNCTIONS);
    team_add_case(suite, ways);
    team_add_case(suite, library);
    return run_on_standin(suite);
}
