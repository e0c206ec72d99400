/* Many streams and many threads, on drivers of several configurations.
 * SPDX-License-Identifier: MIT
 */
#include "tests/device/streams.h"

#include "tests/cuda/fixture.h"

static void look_before_sleeping(void)
{
    spin_for("1000");
}

static void shape_with_one_worker(void)
{
    standin_shape("workers=1 delay=0");
}

static void shape_as_slow(void)
{
    standin_shape("workers=3 delay=300");
}

int main(void)
{
    Suite *suite = suite_create("cuda: streams");
    suite_add_tcase(suite, streams_cases("waits that sleep", NULL));
    suite_add_tcase(suite, streams_cases("waits that look first", look_before_sleeping));
    suite_add_tcase(suite, streams_cases("one worker", shape_with_one_worker));
    suite_add_tcase(suite, streams_cases("slow to begin", shape_as_slow));
    return run_suite(suite);
}
