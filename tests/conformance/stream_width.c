/* The size of stream pools that leave it to the library.
 * SPDX-License-Identifier: MIT
 */
#include <trireme/stream_model.h>

#include "groups.h"
#include "stream_pools.h"

#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_MOST 8u

/* A context as in a process of its own, which keeps what it measures in a folder of the case. */
struct run {
    char folder[64];
    struct trm_context *context;
    struct trm_device *device;
};

static void run_open(struct run *run, const char *measures, const char *keeps)
{
    const struct trm_setting settings[] = {{"kernel.cache", run->folder},
                                           {"stream.measure", measures},
                                           {"stream.models", keeps},
                                           {"log.level", "info"}};
    ck_ok(context_with(settings, 4, &run->context));
    run->device = open_device(run->context);
}

static void run_close(struct run *run)
{
    trm_device_destroy(run->device);
    trm_context_destroy(run->context);
}

static void run_begin(struct run *run, const char *measures, const char *keeps)
{
    snprintf(run->folder, sizeof(run->folder), "/tmp/conformance-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(run->folder));
    run_open(run, measures, keeps);
}

static void run_again(struct run *run, const char *measures, const char *keeps)
{
    run_close(run);
    run_open(run, measures, keeps);
}

static void run_end(struct run *run)
{
    char path[400];
    const struct dirent *entry;
    run_close(run);
    DIR *opened = opendir(run->folder);
    ck_assert_ptr_nonnull(opened);
    while ((entry = readdir(opened)) != NULL)
        if (entry->d_name[0] != '.') {
            snprintf(path, sizeof(path), "%s/%s", run->folder, entry->d_name);
            ck_assert_int_eq(unlink(path), 0);
        }
    closedir(opened);
    ck_assert_int_eq(rmdir(run->folder), 0);
}

/* The statistics of a new pool. */
static struct trm_stream_pool_stats new_pool(const struct run *run, int32_t strategy, uint32_t most)
{
    const struct trm_stream_pool_desc desc = {
        .struct_size = sizeof(desc), .strategy = strategy, .most = most};
    struct trm_stream_pool *pool = NULL;
    ck_ok(trm_stream_pool_create(run->device, &desc, &pool));
    struct trm_stream_pool_stats stats = stats_of(pool);
    trm_stream_pool_destroy(pool);
    return stats;
}

/* Whether the device takes the kernel that measures. */
static bool is_measured(const struct run *run)
{
    struct trm_kernel *kernel = NULL;
    if (trm_kernel_named(run->device, "sgemm", NULL, 0, &kernel) != TRM_OK)
        return false;
    trm_kernel_destroy(kernel);
    return true;
}

START_TEST(a_pool_without_a_size_gets_what_the_device_runs_side_by_side)
{
    struct run run;
    run_begin(&run, "yes", "no");
    bool measures                      = is_measured(&run);
    struct trm_stream_pool_stats first = new_pool(&run, TRM_STREAM_DEFAULT, 0);
    ck_assert_uint_eq(first.streams, 0);
    ck_assert_uint_eq(first.side_by_side != 0, measures);
    ck_assert_uint_le(first.side_by_side, TRM_STREAM_POOL_MOST);
    ck_assert_uint_eq(first.most, first.side_by_side > DEFAULT_MOST ? first.side_by_side : DEFAULT_MOST);
    ck_assert_uint_eq(new_pool(&run, TRM_STREAM_AUTO, 0).side_by_side, first.side_by_side);
    ck_assert_uint_eq(new_pool(&run, TRM_STREAM_DEFAULT, 3).most, 3);
    run_end(&run);
}
END_TEST

START_TEST(a_pool_that_has_a_size_or_may_not_measure_does_not_measure)
{
    struct run run;
    run_begin(&run, "yes", "no");
    struct trm_stream_pool_stats stats = new_pool(&run, TRM_STREAM_DEFAULT, 5);
    ck_assert_uint_eq(stats.side_by_side, 0);
    ck_assert_uint_eq(stats.most, 5);
    run_again(&run, "no", "no");
    stats = new_pool(&run, TRM_STREAM_DEFAULT, 0);
    ck_assert_uint_eq(stats.side_by_side, 0);
    ck_assert_uint_eq(stats.most, DEFAULT_MOST);
    run_end(&run);
}
END_TEST

START_TEST(how_many_streams_run_side_by_side_is_kept_between_runs)
{
    struct run run;
    uint32_t count = 0;
    run_begin(&run, "yes", "yes");
    if (!is_measured(&run)) {
        skip("the device does not take the kernel that measures");
        run_end(&run);
        return;
    }
    uint32_t measured = new_pool(&run, TRM_STREAM_DEFAULT, 0).side_by_side;
    ck_assert_uint_ge(measured, 1);
    run_again(&run, "no", "yes");
    ck_assert_uint_eq(new_pool(&run, TRM_STREAM_DEFAULT, 0).side_by_side, measured);
    run_again(&run, "no", "no");
    ck_assert_uint_eq(new_pool(&run, TRM_STREAM_DEFAULT, 0).side_by_side, 0);
    ck_ok(trm_stream_model_forget(run.context, &count));
    ck_assert_uint_eq(count, 1);
    run_again(&run, "no", "yes");
    ck_assert_uint_eq(new_pool(&run, TRM_STREAM_DEFAULT, 0).side_by_side, 0);
    run_end(&run);
}
END_TEST

/* Only a machine that stands still, or whose clock is set, takes a minute for it. */
static bool is_within_a_minute(time_t since)
{
    time_t now = time(NULL);
    return now >= since && now - since < 59;
}

START_TEST(a_width_that_was_measured_just_now_is_not_measured_again)
{
    struct run run;
    run_begin(&run, "yes", "yes");
    if (!is_measured(&run)) {
        skip("the device does not take the kernel that measures");
        run_end(&run);
        return;
    }
    time_t before     = time(NULL);
    uint32_t measured = new_pool(&run, TRM_STREAM_DEFAULT, 0).side_by_side;
    run_again(&run, "yes", "yes");
    log_forget();
    uint32_t found = new_pool(&run, TRM_STREAM_DEFAULT, 0).side_by_side;
    if (is_within_a_minute(before)) {
        ck_assert_uint_eq(found, measured);
        ck_assert_uint_eq(log_count(TRM_LOG_INFO, "side by side, as measured"), 0);
    }
    run_end(&run);
}
END_TEST

static int32_t see_width(void *user, const struct trm_stream_width *width)
{
    struct trm_stream_width *seen = user;
    ck_assert_uint_eq(seen->side_by_side, 0);
    ck_assert_ptr_nonnull(width->backend);
    ck_assert_uint_gt(strlen(width->device), 0);
    ck_assert_ptr_nonnull(width->driver);
    ck_assert_uint_gt(width->measured, 0);
    *seen = *width;
    return TRM_ERROR_CANCELLED;
}

START_TEST(a_measured_width_is_listed_until_it_is_forgotten)
{
    struct trm_stream_width seen = {.side_by_side = 0};
    struct run run;
    run_begin(&run, "yes", "yes");
    ck_ok(trm_stream_width_list(run.context, see_width, &seen));
    ck_status(trm_stream_width_list(run.context, NULL, NULL), TRM_ERROR_INVALID_ARGUMENT);
    if (is_measured(&run)) {
        uint32_t measured = new_pool(&run, TRM_STREAM_DEFAULT, 0).side_by_side;
        ck_assert_int_eq(trm_stream_width_list(run.context, see_width, &seen), TRM_ERROR_CANCELLED);
        ck_assert_uint_eq(seen.side_by_side, measured);
        ck_assert_uint_eq(seen.measurements, 1);
        ck_assert_uint_le(seen.undisturbed, 1);
        ck_ok(trm_stream_model_forget(run.context, NULL));
    }
    ck_ok(trm_stream_width_list(run.context, see_width, &seen));
    run_end(&run);
}
END_TEST

static void *make_one(void *run)
{
    (void)new_pool(run, TRM_STREAM_DEFAULT, 0);
    return NULL;
}

/* Launches of a second measurement would disturb the first. */
START_TEST(pools_that_are_made_at_once_measure_once)
{
    struct run run;
    pthread_t threads[4];
    run_begin(&run, "yes", "no");
    bool measures = is_measured(&run);
    log_forget();
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, make_one, &run), 0);
    for (uint32_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    ck_assert_uint_eq(log_count(TRM_LOG_INFO, "side by side, as measured"), measures);
    run_end(&run);
}
END_TEST

void add_stream_width(Suite *suite)
{
    TCase *group = group_make(suite, "stream_pool: size");
    CASE(group, a_pool_without_a_size_gets_what_the_device_runs_side_by_side);
    CASE(group, a_pool_that_has_a_size_or_may_not_measure_does_not_measure);
    CASE(group, how_many_streams_run_side_by_side_is_kept_between_runs);
    CASE(group, a_width_that_was_measured_just_now_is_not_measured_again);
    CASE(group, a_measured_width_is_listed_until_it_is_forgotten);
    CASE(group, pools_that_are_made_at_once_measure_once);
}
