/* The device that the tests of pipelines use.
 * SPDX-License-Identifier: MIT
 */
#include "fixture.h"

#include <limits.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

struct fixture the;

const int32_t strategies[5] = {TRM_STRATEGY_AUTO, TRM_STRATEGY_ROLE_STREAMS, TRM_STRATEGY_SLOT_STREAMS,
                               TRM_STRATEGY_SLOT_GRAPHS, TRM_STRATEGY_ZERO_COPY};

/* ---- kernels -------------------------------------------------------------------------------- */

struct picky_arguments {
    struct trm_cpu_buffer in, out;
    uint32_t n;
    uint32_t mark;
};

static int32_t picky(const struct trm_cpu_groups *groups, const void *block)
{
    const struct picky_arguments *args = block;
    const uint32_t *in                 = args->in.data;
    uint32_t *out                      = args->out.data;

    if (groups->begin != 0)
        return 0;
    if (in[0] == args->mark)
        return 7;
    for (uint32_t i = 0; i < args->n; i++)
        out[i] = in[i] + 1;
    return 0;
}

/* Takes `ns` on the timed device, and no time elsewhere. */
static int32_t timed(const struct trm_cpu_groups *groups, const void *block)
{
    (void)groups;
    (void)block;
    return 0;
}

static atomic_uint held_begun, held_free;

/* The first launch ends when one was let go, the second when two were, and so on. */
static int32_t held(const struct trm_cpu_groups *groups, const void *block)
{
    unsigned before = atomic_fetch_add(&held_begun, 1);

    (void)groups;
    (void)block;
    while (atomic_load(&held_free) <= before)
        sleep_ns(MS / 5);
    return 0;
}

void held_again(void)
{
    atomic_store(&held_begun, 0);
    atomic_store(&held_free, 0);
}

void held_let_go(unsigned launches)
{
    atomic_store(&held_free, launches);
}

static const struct trm_parameter picky_parameters[] = {
    {.name = "in", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32, .access = TRM_ACCESS_READ},
    {.name = "out", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U32, .access = TRM_ACCESS_WRITE},
    {.name = "n", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
    {.name = "mark", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U32},
};
static const struct trm_parameter timed_parameters[] = {
    {.name = "in", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U8, .access = TRM_ACCESS_READ},
    {.name = "out", .kind = TRM_PARAMETER_BUFFER, .type = TRM_TYPE_U8, .access = TRM_ACCESS_WRITE},
    {.name = "ns", .kind = TRM_PARAMETER_SCALAR, .type = TRM_TYPE_U64},
};

static const struct trm_cpu_kernel kernels[] = {
    {.name            = "picky",
     .function        = picky,
     .parameters      = picky_parameters,
     .parameter_count = 4,
     .group_size      = {1, 1, 1}},
    {.name            = "timed",
     .function        = timed,
     .parameters      = timed_parameters,
     .parameter_count = 3,
     .group_size      = {1, 1, 1}},
    {.name            = "held",
     .function        = held,
     .parameters      = timed_parameters,
     .parameter_count = 2,
     .group_size      = {1, 1, 1}},
};

static const uint32_t picky_words[] = {
#include "tests/conformance/shaders/kernels/picky.inc"
};

/* ---- backends ------------------------------------------------------------------------------- */

static const char *module_path(const char *module, char *path)
{
    const char *builddir = getenv("top_builddir"), *slash = strrchr(module, '/');
    char relative[PATH_MAX];

    if (builddir == NULL) /* `make check` sets it */
        return NULL;
    snprintf(relative, sizeof(relative), "%s/%.*s/.libs%s.so", builddir, (int)(slash - module), module,
             slash);
    return realpath(relative, path);
}

static const char *backend_module(enum fixture_backend backend)
{
    switch (backend) {
    case ON_CPU:
    case ON_PROXIED_CPU:
    case ON_PROXIED_UNIFIED_CPU:
        return "backends/cpu";
    case ON_TEMPLATE:
        return "backends/template/template";
    case ON_CUDA:
    case ON_PROXIED_CUDA:
        return "backends/cuda";
    default:
        return "tests/plugins/timed";
    }
}

static bool is_cuda(enum fixture_backend backend)
{
    return backend == ON_CUDA || backend == ON_PROXIED_CUDA;
}

static bool is_proxied(enum fixture_backend backend)
{
    return backend == ON_PROXIED_CPU || backend == ON_PROXIED_UNIFIED_CPU || backend == ON_PROXIED_TIMED ||
           backend == ON_PROXIED_CUDA;
}

bool backend_there(enum fixture_backend backend)
{
    const char *backends = getenv("BACKENDS");
    char path[PATH_MAX];

    if (strcmp(backend_module(backend), "backends/cpu") == 0 &&
        (backends == NULL || strstr(backends, "backends/cpu.la") == NULL))
        return false;
    if (is_cuda(backend) && (backends == NULL || strstr(backends, "backends/cuda.la") == NULL))
        return false;
    return module_path(backend_module(backend), path) != NULL;
}

static void open_context(const char *path, const struct trm_setting *more, uint32_t count)
{
    struct trm_allocator allocator = counting_allocator(&the.counting);
    struct trm_setting settings[8] = {{"backend", path}};
    struct trm_context_desc desc   = {
          .struct_size   = sizeof(desc),
          .flags         = TRM_CONTEXT_NO_CONFIG | TRM_CONTEXT_NO_ENVIRONMENT,
          .allocator     = &allocator,
          .settings      = settings,
          .setting_count = count + 1,
    };

    ck_assert_uint_lt(count, 8);
    for (uint32_t i = 0; i < count; i++)
        settings[1 + i] = more[i];
    ck_ok(trm_context_create(&desc, &the.context));
    ck_ok(trm_device_open(the.context, NULL, &the.device));
}

static void load_kernels(void)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_FUNCTIONS,
                                   .data        = kernels,
                                   .size        = sizeof(kernels)};

    the.kernels_fail = true;
    ck_ok(trm_module_load(the.device, &desc, &the.module));
    ck_ok(trm_kernel_get(the.module, "picky", &the.picky));
    ck_ok(trm_kernel_get(the.module, "timed", &the.timed));
    ck_ok(trm_kernel_get(the.module, "held", &the.held));
}

static void load_portable_kernel(void)
{
    struct trm_module_desc desc = {.struct_size = sizeof(desc),
                                   .format      = TRM_MODULE_SPIRV,
                                   .data        = picky_words,
                                   .size        = sizeof(picky_words)};

    ck_ok(trm_module_load(the.device, &desc, &the.module));
    ck_ok(trm_kernel_get(the.module, NULL, &the.picky));
}

/* With the stand-ins for drivers. The kernel is compiled once. */
static void open_cuda_context(const char *path)
{
    const char *home              = getenv("XDG_CACHE_HOME");
    char cache[PATH_MAX]          = "none";
    struct trm_setting settings[] = {{"cuda.driver", CUDA_STANDIN_PATH},
                                     {"cuda.nvrtc", NVRTC_STANDIN_PATH},
                                     {"cuda.nccl", "none"},
                                     {"kernel.cache", cache}};

    if (home != NULL)
        snprintf(cache, sizeof(cache), "%s/trireme", home);
    open_context(path, settings, 4);
}

void fixture_open(enum fixture_backend backend, const struct trm_setting *settings, uint32_t count)
{
    char target[PATH_MAX], proxy[PATH_MAX];
    bool proxied = is_proxied(backend);

    memset(&the, 0, sizeof(the));
    ck_assert_ptr_nonnull(module_path(backend_module(backend), target));
    if (proxied) {
        ck_assert_ptr_nonnull(module_path("tests/plugins/proxy", proxy));
        setenv("PROXY_TARGET", target, 1);
        setenv("PROXY_WITHOUT", backend == ON_PROXIED_CPU ? "host_pointer" : "", 1);
    }
    if (is_cuda(backend))
        open_cuda_context(proxied ? proxy : target);
    else
        open_context(proxied ? proxy : target, settings, count);
    if (proxied) {
        the.control = proxy_control_of(proxy);
        ck_assert_ptr_nonnull(the.control);
    }
    if (is_cuda(backend))
        load_portable_kernel();
    else
        load_kernels();
    the.before.struct_size = sizeof(the.before);
    ck_ok(trm_device_get_usage(the.device, &the.before));
}

void device_as_before(void)
{
    struct trm_device_usage now = {.struct_size = sizeof(now)};

    ck_ok(trm_device_get_usage(the.device, &now));
    ck_assert_uint_eq(now.streams, the.before.streams);
    ck_assert_uint_eq(now.events, the.before.events);
    ck_assert_uint_eq(now.buffers, the.before.buffers);
    ck_assert_uint_eq(now.modules, the.before.modules);
    ck_assert_uint_eq(now.kernels, the.before.kernels);
    ck_assert_uint_eq(now.buffer_bytes, the.before.buffer_bytes);
}

static void proxy_is_balanced(void)
{
    static const char *const objects[] = {"instance", "device", "memory", "stream", "module", "stamp"};
    char breach[160]                   = "";

    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++)
        ck_assert_msg(the.control->created(objects[i]) == the.control->destroyed(objects[i]),
                      "%s: %llu made, %llu ended", objects[i],
                      (unsigned long long)the.control->created(objects[i]),
                      (unsigned long long)the.control->destroyed(objects[i]));
    ck_assert_msg(the.control->breaches(breach, sizeof(breach)) == 0, "the core broke the contract: %s",
                  breach);
}

void fixture_close(void)
{
    if (the.control != NULL)
        the.control->disarm();
    device_as_before();
    trm_kernel_destroy(the.picky);
    trm_kernel_destroy(the.timed);
    trm_kernel_destroy(the.held);
    trm_module_destroy(the.module);
    trm_device_destroy(the.device);
    trm_context_destroy(the.context);
    if (the.control != NULL)
        proxy_is_balanced();
    counting_is_balanced(&the.counting);
}

/* ---- helpers -------------------------------------------------------------------------------- */

uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void sleep_ns(uint64_t nanoseconds)
{
    struct timespec time = {(time_t)(nanoseconds / 1000000000u), (long)(nanoseconds % 1000000000u)};

    while (nanosleep(&time, &time) != 0)
        continue;
}

void slots_free(struct trm_pipeline *pipeline)
{
    struct trm_slot slots[64];
    uint32_t count = 0;

    ck_ok(trm_pipeline_slots(pipeline, slots, 64, &count));
    for (uint32_t i = 0; i < count; i++)
        ck_assert_msg(slots[i].state == TRM_SLOT_FREE, "slot %u is %s with token %llu", i,
                      trm_slot_state_name(slots[i].state), (unsigned long long)slots[i].token);
}
