/* Tests of the vulkan backend's stored pipelines, on a device that only counts.
 * SPDX-License-Identifier: MIT
 */
#include "tests/unit/backends/vulkan/fake.h"
#include "tests/unit/folder.h"
#include "tests/unit/runner.h"

#define BLOB_BYTES 64u

static char stored[PATH_MAX + 32];

static void setup(void)
{
    folder_make();
    fake_setup();
    fake.folder = folder;
    snprintf(stored, sizeof(stored), "%s/stored.pipelines", folder);
}

static void teardown(void)
{
    folder_remove();
    fake_teardown();
}

/* Contents that a driver of this device would have: a header, and some bytes. */
static void grow_to(uint32_t bytes)
{
    VkPipelineCacheHeaderVersionOne header = {
        .headerSize    = sizeof(header),
        .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
        .vendorID      = fake.physical.properties.vendorID,
        .deviceID      = fake.physical.properties.deviceID,
    };
    memcpy(header.pipelineCacheUUID, fake.physical.properties.pipelineCacheUUID, VK_UUID_SIZE);
    memset(fake.grown, 0x6b, sizeof(fake.grown));
    memcpy(fake.grown, &header, sizeof(header));
    fake.grown_bytes = bytes;
}

/* Opens a device, fills its cache up to so many bytes, and closes it; fake.given has what it was given. */
static void use_device(uint32_t bytes)
{
    ck_assert_int_eq(vulkan_pipeline_cache_open(&fake.device), TRM_OK);
    ck_assert(fake.device.pipeline_cache != VK_NULL_HANDLE);
    grow_to(bytes);
    vulkan_pipeline_cache_close(&fake.device);
    ck_assert(fake.device.pipeline_cache == VK_NULL_HANDLE);
}

static void store_one(void)
{
    use_device(BLOB_BYTES);
    ck_assert_uint_eq(fake.given_bytes, 0);
    ck_assert_uint_eq(fake.stored, 1);
}

/* Changes a byte of the stored file. */
static void spoil(long at)
{
    FILE *file = fopen(stored, "r+b");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
    int byte = fgetc(file);
    ck_assert_int_eq(fseek(file, at, SEEK_SET), 0);
    ck_assert_int_ne(fputc(byte ^ 0x55, file), EOF);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(the_next_device_gets_the_stored_pipelines)
{
    store_one();
    use_device(BLOB_BYTES);
    ck_assert_uint_eq(fake.given_bytes, BLOB_BYTES);
    ck_assert_mem_eq(fake.given, fake.grown, BLOB_BYTES);
    ck_assert_str_eq(fake.log, "");
}
END_TEST

START_TEST(it_is_written_again_only_when_it_has_grown)
{
    store_one();
    use_device(BLOB_BYTES);
    ck_assert_uint_eq(fake.stored, 1);
    use_device(BLOB_BYTES + 1);
    ck_assert_uint_eq(fake.stored, 2);
}
END_TEST

START_TEST(a_cache_that_is_nothing_but_its_header_is_not_written)
{
    use_device(sizeof(VkPipelineCacheHeaderVersionOne));
    ck_assert_uint_eq(fake.stored, 0);
}
END_TEST

START_TEST(without_a_folder_nothing_is_written)
{
    fake.folder = NULL;
    use_device(BLOB_BYTES);
    ck_assert_uint_eq(fake.stored, 0);
}
END_TEST

/* Every field of the preface and of the driver's header that identifies the contents. */
static const long places[] = {0, 8, 15, 16 + 4, 16 + 8, 16 + 12, 16 + 16, 16 + 31};

START_TEST(damaged_or_foreign_files_are_ignored_with_a_warning)
{
    store_one();
    spoil(places[_i]);
    use_device(BLOB_BYTES);
    ck_assert_uint_eq(fake.given_bytes, 0);
    ck_assert_ptr_nonnull(strstr(fake.log, "not used"));
}
END_TEST

START_TEST(a_truncated_file_is_ignored)
{
    store_one();
    ck_assert_int_eq(truncate(stored, 16 + BLOB_BYTES - 1), 0);
    use_device(BLOB_BYTES);
    ck_assert_uint_eq(fake.given_bytes, 0);
    ck_assert_int_eq(truncate(stored, 7), 0);
    use_device(BLOB_BYTES);
    ck_assert_uint_eq(fake.given_bytes, 0);
}
END_TEST

START_TEST(a_driver_that_refuses_the_data_gets_none)
{
    store_one();
    fake.refuses_data = true;
    use_device(BLOB_BYTES);
    ck_assert_uint_eq(fake.given_bytes, 0);
}
END_TEST

START_TEST(a_lost_device_stores_nothing)
{
    ck_assert_int_eq(vulkan_pipeline_cache_open(&fake.device), TRM_OK);
    grow_to(BLOB_BYTES);
    atomic_store(&fake.device.lost, TRM_ERROR_DEVICE_LOST);
    vulkan_pipeline_cache_close(&fake.device);
    ck_assert_uint_eq(fake.stored, 0);
}
END_TEST

START_TEST(closing_what_was_not_opened_does_nothing)
{
    vulkan_pipeline_cache_close(&fake.device);
    ck_assert_uint_eq(atomic_load(&fake.calls), 0);
}
END_TEST

START_TEST(whatever_is_refused_leaves_nothing_behind)
{
    store_one();
    for (uint64_t at = 1; at < 16; at++) {
        atomic_store(&fake.calls, 0);
        fake.refuse_at = at;
        int32_t status = vulkan_pipeline_cache_open(&fake.device);
        grow_to(BLOB_BYTES + (uint32_t)at);
        if (status == TRM_OK)
            vulkan_pipeline_cache_close(&fake.device);
        else
            ck_assert_int_eq(status, TRM_ERROR_OUT_OF_HOST_MEMORY);
        ck_assert_int_eq(fake.bytes, 0);
        ck_assert_int_eq(atomic_load(&fake.alive), 0);
    }
    ck_assert_uint_gt(fake.stored, 1);
}
END_TEST

static Suite *make_suite(void)
{
    Suite *suite = suite_create("vulkan pipeline cache");
    TCase *group = tcase_create("pipeline cache");
    suite_add_tcase(suite, group);
    tcase_add_checked_fixture(group, setup, teardown);
    tcase_add_test(group, the_next_device_gets_the_stored_pipelines);
    tcase_add_test(group, it_is_written_again_only_when_it_has_grown);
    tcase_add_test(group, a_cache_that_is_nothing_but_its_header_is_not_written);
    tcase_add_test(group, without_a_folder_nothing_is_written);
    tcase_add_loop_test(group, damaged_or_foreign_files_are_ignored_with_a_warning, 0,
                        (int)(sizeof(places) / sizeof(places[0])));
    tcase_add_test(group, a_truncated_file_is_ignored);
    tcase_add_test(group, a_driver_that_refuses_the_data_gets_none);
    tcase_add_test(group, a_lost_device_stores_nothing);
    tcase_add_test(group, closing_what_was_not_opened_does_nothing);
    tcase_add_test(group, whatever_is_refused_leaves_nothing_behind);
    return suite;
}

UNIT_SUITE(make_suite)
