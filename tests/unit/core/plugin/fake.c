/* A backend that has devices and can do nothing with them, for tests of how backends are found and chosen.
 * FAKE_NAME, FAKE_SCORE and FAKE_DEVICES say what it is; settings of its name tell it to misbehave.
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trireme/backend.h>

struct trm_backend_instance {
    const struct trm_host *host;
    uint64_t bytes;
};

/* ---- devices ---- */

static int32_t fake_count(struct trm_backend_instance *instance, uint32_t *count)
{
    (void)instance;
    *count = FAKE_DEVICES;
    return TRM_OK;
}

static int32_t fake_get_info(struct trm_backend_instance *instance, uint32_t index, uint32_t key, void *value,
                             uint64_t capacity, uint64_t *needed)
{
    static const char words[] = " is the name of a device, which is far longer than any name has to be; ";
    char name[4096]           = FAKE_NAME;
    uint64_t number           = key == TRM_DEVICE_MEMORY_TOTAL ? 1000 + index : 1;
    if (instance->host->get_setting(instance->host->context, FAKE_NAME ".silent", NULL, 0, NULL) == TRM_OK)
        return TRM_ERROR_BACKEND;
    if (key == TRM_DEVICE_NAME) {
        for (int i = 0; i < 8; i++)
            strcat(name, words);
        snprintf(name + strlen(name), sizeof(name) - strlen(name), "%u", index);
        *needed = strlen(name) + 1;
        memcpy(value, name, capacity < *needed ? capacity : *needed);
        return capacity < *needed ? TRM_ERROR_OUT_OF_RANGE : TRM_OK;
    }
    if (key == TRM_DEVICE_UUID) {
        uint8_t uuid[16] = {0xfa, 0x6e, [15] = (uint8_t)index};
        *needed          = sizeof(uuid);
        if (index == 2) /* it has none */
            return TRM_ERROR_NOT_FOUND;
        memcpy(value, uuid, capacity < sizeof(uuid) ? capacity : sizeof(uuid));
        return TRM_OK;
    }
    *needed = sizeof(number);
    memcpy(value, &number, sizeof(number));
    return TRM_OK;
}

static int32_t fake_open_device(struct trm_backend_instance *instance, uint32_t index,
                                struct trm_backend_device **device)
{
    (void)index;
    (void)device;
    return instance->host->fail(instance->host->context, TRM_ERROR_UNSUPPORTED, 42,
                                "a fake has nothing to open");
}

static void fake_close_device(struct trm_backend_device *device)
{
    (void)device;
}

static const struct trm_device_ops device_ops = {
    .struct_size = sizeof(device_ops),
    .count       = fake_count,
    .get_info    = fake_get_info,
    .open        = fake_open_device,
    .close       = fake_close_device,
};

/* ---- what must be there, and is never called ---- */

static int32_t fake_allocate(struct trm_backend_device *device, const struct trm_memory_desc *desc,
                             struct trm_backend_memory **memory)
{
    (void)device;
    (void)desc;
    (void)memory;
    return TRM_ERROR_UNSUPPORTED;
}

static void fake_free(struct trm_backend_memory *memory)
{
    (void)memory;
}

static const struct trm_memory_ops memory_ops = {
    .struct_size = sizeof(memory_ops),
    .allocate    = fake_allocate,
    .free        = fake_free,
};

static int32_t fake_create(struct trm_backend_device *device, const struct trm_stream_desc *desc,
                           struct trm_backend_stream **stream)
{
    (void)device;
    (void)desc;
    (void)stream;
    return TRM_ERROR_UNSUPPORTED;
}

static void fake_destroy(struct trm_backend_stream *stream)
{
    (void)stream;
}

static int32_t fake_copy(struct trm_backend_stream *stream, uint64_t value, const struct trm_copy_desc *desc)
{
    (void)stream;
    (void)value;
    (void)desc;
    return TRM_ERROR_UNSUPPORTED;
}

static int32_t fake_launch(struct trm_backend_stream *stream, uint64_t value,
                           const struct trm_launch_desc *desc)
{
    (void)stream;
    (void)value;
    (void)desc;
    return TRM_ERROR_UNSUPPORTED;
}

static int32_t fake_query(struct trm_backend_stream *stream, uint64_t *completed)
{
    (void)stream;
    (void)completed;
    return TRM_ERROR_UNSUPPORTED;
}

static int32_t fake_wait(struct trm_backend_stream *stream, uint64_t value, uint64_t timeout_ns)
{
    (void)stream;
    (void)value;
    (void)timeout_ns;
    return TRM_ERROR_UNSUPPORTED;
}

static const struct trm_stream_ops stream_ops = {
    .struct_size = sizeof(stream_ops),
    .create      = fake_create,
    .destroy     = fake_destroy,
    .copy        = fake_copy,
    .launch      = fake_launch,
    .query       = fake_query,
    .wait        = fake_wait,
};

static int32_t fake_supports(struct trm_backend_device *device, int32_t format)
{
    (void)device;
    (void)format;
    return TRM_ERROR_UNSUPPORTED;
}

static int32_t fake_load(struct trm_backend_device *device, const struct trm_module_source *source,
                         struct trm_backend_module **module)
{
    (void)device;
    (void)source;
    (void)module;
    return TRM_ERROR_UNSUPPORTED;
}

static void fake_unload(struct trm_backend_module *module)
{
    (void)module;
}

static int32_t fake_kernel(struct trm_backend_module *module, const char *name,
                           struct trm_backend_kernel **kernel, struct trm_kernel_desc *desc)
{
    (void)module;
    (void)name;
    (void)kernel;
    (void)desc;
    return TRM_ERROR_UNSUPPORTED;
}

static const struct trm_module_ops module_ops = {
    .struct_size = sizeof(module_ops),
    .supports    = fake_supports,
    .load        = fake_load,
    .unload      = fake_unload,
    .kernel      = fake_kernel,
};

/* ---- the backend ---- */

static int32_t fake_probe(const struct trm_host *host, int32_t *score, char *reason, uint64_t capacity)
{
    char text[64];
    uint64_t needed = 0;
    *score          = FAKE_SCORE;
    host->log(host->context, TRM_LOG_WARNING, FAKE_NAME " is probed");
    if (host->get_setting(host->context, FAKE_NAME ".refuse", text, sizeof(text), &needed) == TRM_OK) {
        snprintf(reason, capacity, "told to refuse by %s.\n", text);
        return TRM_ERROR_UNSUPPORTED;
    }
    if (host->get_setting(host->context, FAKE_NAME ".score", text, sizeof(text), NULL) == TRM_OK)
        *score = atoi(text);
    return host->get_setting(host->context, "cpu.workers", text, sizeof(text), &needed);
}

static int32_t fake_open(const struct trm_host *host, struct trm_backend_instance **instance)
{
    char path[4096];
    struct trm_backend_instance *made = host->allocate(host->context, 4096, 1024);
    if (made == NULL)
        return host->fail(host->context, TRM_ERROR_OUT_OF_HOST_MEMORY, 7, "no memory for a fake");
    if ((uintptr_t)made % 1024 != 0 || host->allocate(host->context, 0, 16) != NULL ||
        host->allocate(host->context, 16, 24) != NULL || host->struct_size < sizeof(*host)) {
        host->release(host->context, made, 4096);
        return host->fail(host->context, TRM_ERROR_INTERNAL, 0,
                          "the host's memory is not what was asked for");
    }
    host->release(host->context, NULL, 16);
    int32_t status = TRM_OK;
    if (host->get_setting(host->context, FAKE_NAME ".trust", path, sizeof(path), NULL) == TRM_OK)
        status = host->trust_file(host->context, path);
    if (status != TRM_OK) {
        host->release(host->context, made, 4096);
        return status;
    }
    made->host = host;
    *instance  = made;
    return TRM_OK;
}

static void fake_close(struct trm_backend_instance *instance)
{
    const struct trm_host *host = instance->host;
    host->log(host->context, TRM_LOG_WARNING, FAKE_NAME " is closed");
    host->release(host->context, instance, 4096);
}

static const struct trm_backend fake = {
    .struct_size = sizeof(fake),
    .abi_minor   = TRM_BACKEND_ABI_MINOR,
    .name        = FAKE_NAME,
    .version     = "1.2.3",
    .description = "does nothing",
    .probe       = fake_probe,
    .open        = fake_open,
    .close       = fake_close,
    .device      = &device_ops,
    .memory      = &memory_ops,
    .stream      = &stream_ops,
    .module      = &module_ops,
};

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)host;
    (void)max_minor;
    return min_minor == 0 ? &fake : NULL;
}
