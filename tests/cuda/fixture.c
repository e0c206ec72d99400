/* What the tests of the cuda backend share.
 * SPDX-License-Identifier: MIT
 */
#include "tests/cuda/fixture.h"

#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REAL_DRIVER "libcuda.so.1"

const struct cuda_standin_control *standin;
struct world the;

static atomic_long taken;
static const char *spin = "0";
static char cache[4096]; /* where compiled kernels are kept; "": nowhere */

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
    skip("it is asked of the stand-in for CUDA's driver");
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

struct label {
    void *start;
    size_t size;
};

static void *count_allocate(void *user, size_t size, size_t alignment)
{
    size_t room = alignment < sizeof(struct label) ? sizeof(struct label) : alignment;
    void *start = NULL;
    (void)user;
    if (posix_memalign(&start, room, room + size) != 0)
        return NULL;
    struct label *label = (struct label *)((char *)start + room) - 1;
    *label              = (struct label){start, size};
    atomic_fetch_add(&taken, (long)size);
    return label + 1;
}

static void count_release(void *user, void *memory, size_t size)
{
    struct label *label = (struct label *)memory - 1;
    (void)user;
    (void)size;
    atomic_fetch_sub(&taken, (long)label->size);
    free(label->start);
}

long bytes_taken(void)
{
    return atomic_load(&taken);
}

int32_t context_make(const struct trm_setting *more, uint32_t count, struct trm_context **context)
{
    const char *backend            = getenv("CUDA_TEST_BACKEND");
    struct trm_setting settings[9] = {{"backend", backend ? backend : "cuda"}, {"cuda.spin", spin}};
    struct trm_allocator allocator = {count_allocate, count_release, NULL};
    struct trm_context_desc desc   = {
          .struct_size   = sizeof(desc),
          .flags         = TRM_CONTEXT_NO_CONFIG | TRM_CONTEXT_NO_ENVIRONMENT,
          .allocator     = &allocator,
          .settings      = settings,
          .setting_count = 2,
    };
    if (cache[0])
        settings[desc.setting_count++] = (struct trm_setting){"kernel.cache", cache};
    if (!is_real()) {
        settings[desc.setting_count++] = (struct trm_setting){"cuda.driver", CUDA_STANDIN_PATH};
        settings[desc.setting_count++] = (struct trm_setting){"cuda.nvrtc", NVRTC_STANDIN_PATH};
    }
    for (uint32_t i = 0; i < count && desc.setting_count < 9; i++)
        settings[desc.setting_count++] = more[i];
    return trm_context_create(&desc, context);
}

struct trm_context *context_open(void)
{
    struct trm_context *context = NULL;
    ck_ok(context_make(NULL, 0, &context));
    return context;
}

struct trm_device *device_open(struct trm_context *context, const char *id)
{
    struct trm_device *device = NULL;
    ck_ok(trm_device_open(context, id, &device));
    return device;
}

struct trm_stream *stream_open(struct trm_device *device, int32_t role)
{
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_create(device, role, TRM_PRIORITY_NORMAL, &stream));
    return stream;
}

struct trm_buffer *buffer_open(struct trm_device *device, int32_t kind, uint64_t size)
{
    struct trm_buffer *buffer = NULL;
    ck_ok(trm_buffer_create(device, kind, size, &buffer));
    return buffer;
}

void world_open(void)
{
    the.context = context_open();
    the.device  = device_open(the.context, NULL);
    the.stream  = stream_open(the.device, TRM_STREAM_ANY);
}

void world_close(void)
{
    if (standin) {
        standin->arm(NULL);
        standin->fail_work(NULL);
        standin->release();
    }
    trm_stream_destroy(the.stream);
    trm_device_destroy(the.device);
    trm_context_destroy(the.context);
    memset(&the, 0, sizeof(the));
    check_nothing_left("the test");
}

/* Threads of the core may still be on their way out. */
static void wait_for_memory(void)
{
    struct timespec moment = {0, 10000000};
    for (int i = 0; i < 1000 && bytes_taken() != 0; i++)
        nanosleep(&moment, NULL);
}

void check_memory_left(const char *after)
{
    wait_for_memory();
    ck_assert_msg(bytes_taken() == 0, "after %s %ld bytes of the host's memory are not given back", after,
                  bytes_taken());
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

bool sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
    return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
    return false;
#endif
}

unsigned scaled(unsigned full, unsigned quick)
{
    const char *asked = getenv("CONFORMANCE_QUICK");
    return (asked && strcmp(asked, "0") != 0) || sanitized() ? quick : full;
}

unsigned thorough(unsigned full, unsigned usual)
{
    const char *asked = getenv("CUDA_TEST_THOROUGH");
    return asked && strcmp(asked, "0") != 0 ? full : usual;
}

/* ---- kernels ---- */

static const uint32_t affine_words[] = {
#include "tests/conformance/shaders/kernels/affine.inc"
};

static const uint32_t spread_words[] = {
#include "tests/conformance/shaders/kernels/spread.inc"
};

static const uint32_t dawdle_words[] = {
#include "tests/conformance/shaders/kernels/dawdle.inc"
};

static int32_t load(struct trm_device *device, const uint32_t *words, uint64_t size,
                    struct trm_kernel **kernel)
{
    struct trm_module_desc desc = {
        .struct_size = sizeof(desc), .format = TRM_MODULE_SPIRV, .data = words, .size = size};
    struct trm_module *module = NULL;
    int32_t status            = trm_module_load(device, &desc, &module);
    if (status == TRM_OK)
        status = trm_kernel_get(module, NULL, kernel);
    trm_module_destroy(module);
    return status;
}

int32_t affine_load(struct trm_device *device, struct trm_kernel **kernel)
{
    return load(device, affine_words, sizeof(affine_words), kernel);
}

int32_t spread_load(struct trm_device *device, struct trm_kernel **kernel)
{
    return load(device, spread_words, sizeof(spread_words), kernel);
}

int32_t dawdle_load(struct trm_device *device, struct trm_kernel **kernel)
{
    return load(device, dawdle_words, sizeof(dawdle_words), kernel);
}

struct trm_kernel *affine_on(struct trm_device *device)
{
    struct trm_kernel *kernel = NULL;
    ck_ok(affine_load(device, &kernel));
    return kernel;
}

int32_t affine_launch(struct trm_stream *stream, struct trm_kernel *kernel, struct trm_buffer *data,
                      uint32_t n, uint32_t factor, uint32_t addend)
{
    struct trm_argument arguments[] = {trm_arg_buffer(data), trm_arg_u32(n), trm_arg_u32(factor),
                                       trm_arg_u32(addend)};
    struct trm_grid grid            = trm_grid_1d((n + 63) / 64, 0);
    return trm_launch(stream, kernel, &grid, arguments, 4);
}

/* ---- holding a stream ---- */

static void stand_at(void *user, int32_t status)
{
    struct barrier *barrier = user;
    (void)status;
    pthread_mutex_lock(&barrier->mutex);
    barrier->reached = true;
    pthread_cond_broadcast(&barrier->changed);
    while (!barrier->open)
        pthread_cond_wait(&barrier->changed, &barrier->mutex);
    pthread_mutex_unlock(&barrier->mutex);
}

int32_t barrier_enqueue(struct trm_stream *stream, struct barrier *barrier)
{
    return trm_stream_callback(stream, stand_at, barrier);
}

void barrier_await(struct barrier *barrier)
{
    pthread_mutex_lock(&barrier->mutex);
    while (!barrier->reached)
        pthread_cond_wait(&barrier->changed, &barrier->mutex);
    pthread_mutex_unlock(&barrier->mutex);
}

void barrier_open(struct barrier *barrier)
{
    pthread_mutex_lock(&barrier->mutex);
    barrier->open = true;
    pthread_cond_broadcast(&barrier->changed);
    pthread_mutex_unlock(&barrier->mutex);
}

/* ---- running ---- */

/* 0: there is one. Asked in a child, since a driver that has been initialised is of no use in the children that the tests are. */
static int try_device(void)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    int32_t status              = context_make(NULL, 0, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    if (status != TRM_OK)
        printf("there is no CUDA device here: %s\n", trm_last_error().sentence);
    fflush(stdout);
    trm_device_destroy(device);
    trm_context_destroy(context);
    return status == TRM_OK ? 0 : 1;
}

static bool device_missing(void)
{
    int ended   = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(try_device());
    return child < 0 || waitpid(child, &ended, 0) != child || ended != 0;
}

int run_suite(Suite *suite)
{
    SRunner *runner  = srunner_create(suite);
    const char *home = getenv("XDG_CACHE_HOME");
    int failed;
    if (home)
        snprintf(cache, sizeof(cache), "%s/trireme", home);
    if (!is_real()) {
        standin = cuda_standin_control_of(CUDA_STANDIN_PATH);
        if (!standin) {
            fprintf(stderr, "%s\n", dlerror());
            srunner_free(runner);
            return EXIT_FAILURE;
        }
    }
    if (device_missing()) {
        srunner_free(runner);
        return is_real() ? 77 : EXIT_FAILURE;
    }
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
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
