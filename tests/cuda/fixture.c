/* What the tests of the cuda backend share.
 * SPDX-License-Identifier: MIT
 */
#include "tests/cuda/fixture.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REAL_DRIVER "libcuda.so.1"

const struct cuda_standin_control *standin;

static const char *spin = "0";
static char cache[4096]; /* where compiled kernels are cached; "": nowhere */

/* ---- the driver ---- */

static bool is_real(void)
{
    const char *driver = getenv("CUDA_TEST_DRIVER");
    return driver && strcmp(driver, "real") == 0;
}

const char *driver_path(void)
{
    return is_real() ? REAL_DRIVER : CUDA_STANDIN_PATH;
}

void skip(const char *reason)
{
    printf("SKIP %s: %s\n", tcase_name(), reason);
    fflush(stdout);
}

bool standin_missing(void)
{
    if (standin)
        return false;
    skip("this test needs the stand-in for CUDA's driver");
    return true;
}

void standin_shape(const char *text)
{
    if (standin)
        ck_assert_msg(standin->configure(text) == 0, "the stand-in does not understand: %s", text);
}

void spin_for(const char *microseconds)
{
    spin = microseconds;
}

/* ---- contexts ---- */

int32_t context_make(const struct trm_setting *more, uint32_t count, struct trm_context **context)
{
    const char *backend             = getenv("CUDA_TEST_BACKEND");
    struct trm_setting settings[10] = {{"backend", backend ? backend : "cuda"}, {"cuda.spin", spin}};
    struct trm_context_desc desc    = {
           .struct_size   = sizeof(desc),
           .flags         = TRM_CONTEXT_NO_CONFIG | TRM_CONTEXT_NO_ENVIRONMENT,
           .allocator     = &counting_allocator,
           .settings      = settings,
           .setting_count = 2,
    };
    if (cache[0])
        settings[desc.setting_count++] = (struct trm_setting){"kernel.cache", cache};
    if (!is_real()) {
        settings[desc.setting_count++] = (struct trm_setting){"cuda.driver", CUDA_STANDIN_PATH};
        settings[desc.setting_count++] = (struct trm_setting){"cuda.nvrtc", NVRTC_STANDIN_PATH};
        settings[desc.setting_count++] = (struct trm_setting){"cuda.nccl", "none"};
    }
    for (uint32_t i = 0; i < count && desc.setting_count < 10; i++)
        settings[desc.setting_count++] = more[i];
    return trm_context_create(&desc, context);
}

void driver_let_go(void)
{
    if (!standin)
        return;
    standin->arm(NULL);
    standin->fail_work(NULL);
    standin->release();
}

void check_nothing_left(const char *after)
{
    char words[256] = "";
    check_memory_left(after);
    if (!standin)
        return;
    uint64_t living = standin->living(words, sizeof(words));
    ck_assert_msg(living == 0, "after %s %u objects live, the first: %s", after, (unsigned)living, words);
    ck_assert_msg(standin->memory(0) == 0, "after %s %llu bytes of the device are in use", after,
                  (unsigned long long)standin->memory(0));
    uint64_t breaches = standin->breaches(words, sizeof(words));
    ck_assert_msg(breaches == 0, "%s: %s", after, words);
}

unsigned thorough(unsigned full, unsigned usual)
{
    return is_asked_for("TEST_THOROUGH") ? full : usual;
}

/* ---- running ---- */

int run_suite(Suite *suite)
{
    const char *home = getenv("XDG_CACHE_HOME");
    if (home)
        snprintf(cache, sizeof(cache), "%s/trireme", home);
    if (is_real())
        return run_on_device(suite, 77);
    standin = cuda_standin_control_of(CUDA_STANDIN_PATH);
    if (!standin)
        fprintf(stderr, "%s\n", dlerror());
    return standin ? run_on_device(suite, EXIT_FAILURE) : EXIT_FAILURE;
}

int run_on_standin(Suite *suite)
{
    SRunner *runner;
    if (!is_real())
        return run_suite(suite);
    runner = srunner_create(suite);
    srunner_free(runner);
    printf("all of this is asked of the stand-in for CUDA's driver\n");
    return 77;
}
