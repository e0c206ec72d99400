/* A host for one backend, without the core: it counts what is allocated, can refuse any allocation, and
 * remembers the last failure of each thread.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_BACKENDS_CPU_HOST_H
#define TESTS_UNIT_BACKENDS_CPU_HOST_H

#include <trireme/backend.h>
#include <trireme/cpu_kernel.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct cpu_host_state {
    _Atomic int64_t bytes;       /* allocated and not released */
    _Atomic int64_t allocations; /* number of calls so far */
    _Atomic int64_t refuse_at;   /* number of the first call that gets NULL, as do all later ones; 0: none */
    char workers[16];            /* the setting cpu.workers */
    atomic_bool asked_for_spin;  /* for the setting cpu.spin, which the host does not have */
};

static struct cpu_host_state cpu_host;
static _Thread_local int32_t cpu_host_status;
static _Thread_local int64_t cpu_host_code;
static _Thread_local char cpu_host_sentence[512];

static inline void *cpu_host_allocate(void *context, uint64_t size, uint64_t alignment)
{
    struct cpu_host_state *state = context;
    int64_t number = atomic_fetch_add(&state->allocations, 1) + 1, refuse_at = atomic_load(&state->refuse_at);
    void *memory = NULL;
    if (refuse_at != 0 && number >= refuse_at)
        return NULL;
    if (posix_memalign(&memory, alignment, size) != 0)
        return NULL;
    atomic_fetch_add(&state->bytes, (int64_t)size);
    return memory;
}

static inline void cpu_host_release(void *context, void *memory, uint64_t size)
{
    struct cpu_host_state *state = context;
    if (memory != NULL)
        atomic_fetch_sub(&state->bytes, (int64_t)size);
    free(memory);
}

static inline void cpu_host_log(void *context, int32_t level, const char *message)
{
    (void)context;
    fprintf(stderr, "%d: %s\n", level, message);
}

static inline int32_t cpu_host_fail(void *context, int32_t status, int64_t native_code, const char *sentence)
{
    (void)context;
    cpu_host_status = status;
    cpu_host_code   = native_code;
    snprintf(cpu_host_sentence, sizeof(cpu_host_sentence), "%s", sentence);
    return status;
}

static inline int32_t cpu_host_setting(void *context, const char *name, char *value, uint64_t capacity,
                                       uint64_t *needed)
{
    struct cpu_host_state *state = context;
    if (strcmp(name, "cpu.spin") == 0)
        atomic_store(&state->asked_for_spin, true);
    if (strcmp(name, "cpu.workers") != 0)
        return TRM_ERROR_NOT_FOUND;
    *needed = strlen(state->workers) + 1;
    if (*needed > capacity)
        return TRM_ERROR_OUT_OF_RANGE;
    memcpy(value, state->workers, *needed);
    return TRM_OK;
}

static inline int32_t cpu_host_trust(void *context, const char *path)
{
    (void)context;
    return strstr(path, "untrusted") ? TRM_ERROR_PERMISSION : TRM_OK;
}

static const struct trm_host cpu_host_table = {
    .struct_size = sizeof(cpu_host_table),
    .abi_minor   = TRM_BACKEND_ABI_MINOR,
    .context     = &cpu_host,
    .allocate    = cpu_host_allocate,
    .release     = cpu_host_release,
    .log         = cpu_host_log,
    .fail        = cpu_host_fail,
    .get_setting = cpu_host_setting,
    .trust_file  = cpu_host_trust,
};

/* An open cpu device and its tables. */
struct cpu_bench {
    const struct trm_backend *backend;
    struct trm_backend_instance *instance;
    struct trm_backend_device *device;
    const struct trm_stream_ops *stream;
    const struct trm_memory_ops *memory;
    const struct trm_module_ops *module;
};

static inline struct cpu_bench cpu_bench_open(const char *workers)
{
    struct cpu_bench bench = {.backend = trm_backend_query_v1(&cpu_host_table, 0, 0)};
    snprintf(cpu_host.workers, sizeof(cpu_host.workers), "%s", workers);
    if (bench.backend->open(&cpu_host_table, &bench.instance) != TRM_OK)
        return bench;
    bench.backend->device->open(bench.instance, 0, &bench.device);
    bench.stream = bench.backend->stream;
    bench.memory = bench.backend->memory;
    bench.module = bench.backend->module;
    return bench;
}

static inline void cpu_bench_close(struct cpu_bench *bench)
{
    bench->backend->device->close(bench->device);
    bench->backend->close(bench->instance);
}

static inline struct trm_backend_stream *cpu_bench_stream(struct cpu_bench *bench, int32_t priority)
{
    struct trm_stream_desc desc       = {.struct_size = sizeof(desc), .priority = priority};
    struct trm_backend_stream *stream = NULL;
    bench->stream->create(bench->device, &desc, &stream);
    return stream;
}

static inline struct trm_backend_memory *cpu_bench_memory(struct cpu_bench *bench, uint64_t size,
                                                          uint8_t **data)
{
    struct trm_memory_desc desc       = {.struct_size = sizeof(desc), .size = size, .alignment = 64};
    struct trm_backend_memory *memory = NULL;
    void *pointer                     = NULL;
    if (bench->memory->allocate(bench->device, &desc, &memory) == TRM_OK)
        bench->memory->host_pointer(memory, &pointer);
    *data = pointer;
    return memory;
}

static inline struct trm_backend_module *cpu_bench_module(struct cpu_bench *bench,
                                                          const struct trm_cpu_kernel *kernels, uint64_t size)
{
    struct trm_module_source source   = {.struct_size = sizeof(source),
                                         .format      = TRM_MODULE_FUNCTIONS,
                                         .data        = kernels,
                                         .size        = size,
                                         .name        = "test"};
    struct trm_backend_module *module = NULL;
    bench->module->load(bench->device, &source, &module);
    return module;
}

static inline struct trm_backend_kernel *cpu_bench_kernel(struct cpu_bench *bench,
                                                          struct trm_backend_module *module, const char *name)
{
    struct trm_kernel_desc desc       = {.struct_size = sizeof(desc)};
    struct trm_backend_kernel *kernel = NULL;
    bench->module->kernel(module, name, &kernel, &desc);
    return kernel;
}

static inline struct trm_launch_desc cpu_bench_launch(struct trm_backend_kernel *kernel, uint32_t groups)
{
    return (struct trm_launch_desc){.struct_size = sizeof(struct trm_launch_desc),
                                    .kernel      = kernel,
                                    .groups      = {groups, 1, 1},
                                    .group_size  = {1, 1, 1}};
}

static inline uint64_t cpu_host_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
