/* A device of the cuda backend over the stand-in for CUDA's driver, for tests of the backend's internals.
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_UNIT_BACKENDS_CUDA_FIXTURE_H
#define TESTS_UNIT_BACKENDS_CUDA_FIXTURE_H

#include "backends/cuda/device/device.h"
#include "backends/cuda/memory/memory.h"
#include "backends/cuda/stream/stream.h"
#include "tests/unit/backends/cuda/fake.h"

static struct {
    const struct cuda_standin_control *control;
    struct trm_backend_instance *instance;
    struct trm_backend_device *device;
    const struct cuda_functions *cuda;
} on;

/* `text` configures the stand-in. */
static inline void on_open(const char *text)
{
    char reason[CUDA_REASON_BYTES] = "";
    fake_setup();
    on.control = fake_shape(text);
    ck_assert_msg(cuda_instance_create(&fake.host, &on.instance, reason) == TRM_OK, "%s", reason);
    ck_assert_msg(cuda_device_create(on.instance, 0, NULL, &on.device) == TRM_OK, "%s", fake.sentence);
    on.cuda = &on.instance->cuda;
}

/* The backend has broken no rule of the driver and has left nothing in it. */
static inline void on_close(void)
{
    char words[256] = "";
    on.control->arm(NULL);
    cuda_device_ops.close(on.device);
    cuda_instance_destroy(on.instance);
    ck_assert_msg(on.control->breaches(words, sizeof(words)) == 0, "%s", words);
    ck_assert_msg(on.control->living(words, sizeof(words)) == 0, "%s lives on", words);
    fake_teardown();
}

/* The next call of the function fails with this error. */
static inline void on_fault(const char *function, const char *error)
{
    char rule[128];
    snprintf(rule, sizeof(rule), "%s:1:once:%s", function, error);
    ck_assert_int_eq(on.control->arm(rule), 0);
}

static inline void ck_says(const char *words)
{
    ck_assert_msg(strstr(fake.sentence, words) != NULL, "\"%s\" is not in: %s", words, fake.sentence);
}

/* ---- memory and streams */

static inline int32_t on_allocate(int32_t kind, uint64_t size, uint64_t alignment,
                                  struct trm_backend_memory **memory)
{
    const struct trm_memory_desc desc = {
        .struct_size = sizeof(desc), .kind = kind, .size = size, .alignment = alignment};
    return cuda_memory_ops.allocate(on.device, &desc, memory);
}

static inline struct trm_backend_memory *on_memory(int32_t kind, uint64_t size)
{
    struct trm_backend_memory *memory = NULL;
    ck_assert_msg(on_allocate(kind, size, 256, &memory) == TRM_OK, "%s", fake.sentence);
    return memory;
}

static inline void *on_host(struct trm_backend_memory *memory)
{
    void *host = NULL;
    ck_assert_int_eq(cuda_memory_ops.host_pointer(memory, &host), TRM_OK);
    return host;
}

static inline struct trm_backend_stream *on_stream(void)
{
    const struct trm_stream_desc desc = {.struct_size = sizeof(desc), .priority = TRM_PRIORITY_NORMAL};
    struct trm_backend_stream *stream = NULL;
    ck_assert_msg(cuda_stream_ops.create(on.device, &desc, &stream) == TRM_OK, "%s", fake.sentence);
    return stream;
}

static inline void on_wait(struct trm_backend_stream *stream, uint64_t value)
{
    ck_assert_msg(cuda_stream_ops.wait(stream, value, UINT64_MAX) == TRM_OK, "%s", fake.sentence);
}

#endif
