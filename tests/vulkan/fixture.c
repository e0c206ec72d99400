/* What the tests of the vulkan backend share.
 * SPDX-License-Identifier: MIT
 */
#include "tests/vulkan/fixture.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SHAPE_VARIABLES_MOST 16

const struct vulkan_shim_control *shim;
struct world the;

const char *const shape_plain[]    = {"VULKAN_SHIM_FAMILIES", "graphics:1:64", NULL};
const char *const shape_discrete[] = {"VULKAN_SHIM_FAMILIES",
                                      "graphics:4:64,transfer:2:0,compute:4:64",
                                      "VULKAN_SHIM_MEMORY",
                                      "discrete",
                                      "VULKAN_SHIM_DELAY",
                                      "100",
                                      NULL};
const char *const shape_minimal[]  = {
     "VULKAN_SHIM_FAMILIES",
     "graphics:1:64",
     "VULKAN_SHIM_API",
     "1.1",
     "VULKAN_SHIM_HIDE",
     "VK_KHR_push_descriptor,VK_EXT_calibrated_timestamps,VK_EXT_memory_budget,VK_EXT_external_memory_host,"
      "VK_KHR_external_memory_fd,VK_KHR_external_semaphore_fd,VK_EXT_robustness2,VK_EXT_host_query_reset",
     NULL};

static atomic_long taken;

static pthread_mutex_t complaint_mutex = PTHREAD_MUTEX_INITIALIZER;
static char complaint[1024];

/* ---- the shim ---- */

/* VULKAN_SHIM names another one than that of the build tree. */
const char *shim_path(void)
{
    const char *path = getenv("VULKAN_SHIM");
    return path ? path : VULKAN_SHIM_PATH;
}

void shim_shape(const char *const *variables)
{
    static const char *set[SHAPE_VARIABLES_MOST];
    static size_t set_count;
    while (set_count > 0)
        unsetenv(set[--set_count]);
    for (; *variables; variables += 2) {
        setenv(variables[0], variables[1], 1);
        set[set_count++] = variables[0];
    }
}

bool is_instrumented(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
    return __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
    return false;
#endif
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

static void keep_complaint(void *user, int32_t level, const char *message)
{
    (void)user;
    if (level > TRM_LOG_WARNING || strncmp(message, "vulkan validation:", 18) != 0)
        return;
    pthread_mutex_lock(&complaint_mutex);
    if (!complaint[0])
        snprintf(complaint, sizeof(complaint), "%s", message);
    pthread_mutex_unlock(&complaint_mutex);
}

/* VULKAN_TEST_BACKEND names another plugin than that of the build tree; VULKAN_TEST_VALIDATION=yes: with the layer. */
static const char *given(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value ? value : otherwise;
}

int32_t context_make(const struct trm_setting *more, uint32_t count, struct trm_context **context)
{
    struct trm_setting settings[16] = {
        {"backend", given("VULKAN_TEST_BACKEND", "vulkan")},
        {"vulkan.loader", shim_path()},
        {"vulkan.validation", given("VULKAN_TEST_VALIDATION", "no")},
        {"vulkan.spin", "0"}, /* waits look once, and no oftener than they need to */
    };
    struct trm_allocator allocator = {count_allocate, count_release, NULL};
    struct trm_context_desc desc   = {
          .struct_size   = sizeof(desc),
          .flags         = TRM_CONTEXT_NO_CONFIG | TRM_CONTEXT_NO_ENVIRONMENT,
          .log           = keep_complaint,
          .allocator     = &allocator,
          .settings      = settings,
          .setting_count = 4 + count,
    };
    for (uint32_t i = 0; i < count; i++)
        settings[4 + i] = more[i];
    return trm_context_create(&desc, context);
}

struct trm_context *context_open(void)
{
    struct trm_context *context = NULL;
    ck_ok(context_make(NULL, 0, &context));
    return context;
}

struct trm_device *device_open(struct trm_context *context)
{
    struct trm_device *device = NULL;
    ck_ok(trm_device_open(context, NULL, &device));
    return device;
}

struct trm_stream *stream_open(struct trm_device *device, int32_t role)
{
    struct trm_stream *stream = NULL;
    ck_ok(trm_stream_create(device, role, TRM_PRIORITY_NORMAL, &stream));
    return stream;
}

void world_open(void)
{
    the.context = context_open();
    the.device  = device_open(the.context);
    the.stream  = stream_open(the.device, TRM_STREAM_ANY);
}

void world_close(void)
{
    shim->arm(NULL);
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

void check_nothing_left(const char *after)
{
    char words[256];
    wait_for_memory();
    ck_assert_msg(bytes_taken() == 0, "after %s %ld bytes of the host's memory are not given back", after,
                  bytes_taken());
    uint64_t living = shim->living(words, sizeof(words));
    /* Where many have been made one is kept: see drivers.c. */
    bool kept = living == 1 && strcmp(words, "VkInstance") == 0;
    ck_assert_msg(living == 0 || kept, "after %s %u objects live, the first a %s", after, (unsigned)living,
                  words);
    uint64_t breaches = shim->breaches(words, sizeof(words));
    ck_assert_msg(breaches == 0, "%s: %s", after, words);
    ck_assert_msg(!complaint[0], "%s: %s", after, complaint);
}

/* ---- the kernel ---- */

static const uint32_t affine_words[] = {
#include "tests/conformance/shaders/kernels/affine.inc"
};

static const uint32_t spread_words[] = {
#include "tests/conformance/shaders/kernels/spread.inc"
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

static const uint32_t dawdle_words[] = {
#include "tests/conformance/shaders/kernels/dawdle.inc"
};

int32_t dawdle_load(struct trm_device *device, struct trm_kernel **kernel)
{
    return load(device, dawdle_words, sizeof(dawdle_words), kernel);
}

int32_t affine_load(struct trm_device *device, struct trm_kernel **kernel)
{
    return load(device, affine_words, sizeof(affine_words), kernel);
}

int32_t spread_load(struct trm_device *device, struct trm_kernel **kernel)
{
    return load(device, spread_words, sizeof(spread_words), kernel);
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

/* ---- running ---- */

static int look_for_device(void)
{
    struct trm_context *context = NULL;
    struct trm_device *device   = NULL;
    int32_t status              = context_make(NULL, 0, &context);
    if (status == TRM_OK)
        status = trm_device_open(context, NULL, &device);
    if (status != TRM_OK)
        printf("there is no Vulkan device here: %s\n", trm_last_error().sentence);
    trm_device_destroy(device);
    trm_context_destroy(context);
    fflush(stdout);
    return status != TRM_OK;
}

/* Asked in a child: no test is to be the child of a process that has used the driver. */
static bool device_missing(void)
{
    int status  = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(look_for_device());
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

int run_suite(Suite *suite)
{
    shim = vulkan_shim_control_of(shim_path());
    if (!shim) {
        fprintf(stderr, "%s\n", dlerror());
        return EXIT_FAILURE;
    }
    SRunner *runner = srunner_create(suite);
    if (device_missing()) {
        srunner_free(runner);
        return 77;
    }
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
