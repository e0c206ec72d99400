/* A plugin of a later minor version than ours: its tables are longer than we know, and it works with a core
 * that reads the first part of them.
 * SPDX-License-Identifier: MIT
 */
#include "tests/plugins/bad/borrowed.h"

enum {
    UNKNOWN_SLOTS = 6
};

typedef void (*unknown_fn)(void);

struct newer_device_ops {
    struct trm_device_ops known;
    unknown_fn unknown[UNKNOWN_SLOTS];
};

struct newer_memory_ops {
    struct trm_memory_ops known;
    unknown_fn unknown[UNKNOWN_SLOTS];
};

struct newer_stream_ops {
    struct trm_stream_ops known;
    unknown_fn unknown[UNKNOWN_SLOTS];
};

struct newer_module_ops {
    struct trm_module_ops known;
    unknown_fn unknown[UNKNOWN_SLOTS];
};

struct newer_backend {
    struct trm_backend known;
    const void *unknown[UNKNOWN_SLOTS];
};

/* Only a core that confuses two slots calls this. */
static void unknown_slot(void)
{
    __builtin_trap();
}

static void fill_unknown(unknown_fn *slots)
{
    for (int i = 0; i < UNKNOWN_SLOTS; i++)
        slots[i] = unknown_slot;
}

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    static struct newer_backend newer;
    static struct newer_device_ops device;
    static struct newer_memory_ops memory;
    static struct newer_stream_ops stream;
    static struct newer_module_ops module;
    const struct borrowed *borrowed = borrow(host, "newer");

    (void)min_minor;
    (void)max_minor;
    device.known             = borrowed->device;
    memory.known             = borrowed->memory;
    stream.known             = borrowed->stream;
    module.known             = borrowed->module;
    device.known.struct_size = sizeof(device);
    memory.known.struct_size = sizeof(memory);
    stream.known.struct_size = sizeof(stream);
    module.known.struct_size = sizeof(module);
    fill_unknown(device.unknown);
    fill_unknown(memory.unknown);
    fill_unknown(stream.unknown);
    fill_unknown(module.unknown);

    newer.known             = borrowed->backend;
    newer.known.struct_size = sizeof(newer);
    newer.known.abi_minor   = TRM_BACKEND_ABI_MINOR + 1;
    newer.known.device      = &device.known;
    newer.known.memory      = &memory.known;
    newer.known.stream      = &stream.known;
    newer.known.module      = &module.known;
    for (int i = 0; i < UNKNOWN_SLOTS; i++)
        newer.unknown[i] = &newer; /* tables of a kind that we have never heard of */
    return &newer.known;
}
