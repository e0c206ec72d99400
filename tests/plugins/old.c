/* A plugin of the time of minor 0: this and the template's sources, compiled against the header as it was
 * then.
 * SPDX-License-Identifier: MIT
 */
#include "tests/plugins/abi-1.0/pins.h"
#include "tests/plugins/bad/borrowed.h"

_Static_assert(TRM_BACKEND_ABI_MINOR == 0, "this is not the header of minor 0");
_Static_assert(sizeof(struct trm_backend) == pinned_size_of_trm_backend, "");
_Static_assert(sizeof(struct trm_device_ops) == pinned_size_of_trm_device_ops, "");
_Static_assert(sizeof(struct trm_memory_ops) == pinned_size_of_trm_memory_ops, "");
_Static_assert(sizeof(struct trm_stream_ops) == pinned_size_of_trm_stream_ops, "");
_Static_assert(sizeof(struct trm_module_ops) == pinned_size_of_trm_module_ops, "");
_Static_assert(sizeof(struct trm_interop_ops) == pinned_size_of_trm_interop_ops, "");

/* Only a core that reads beyond the end of the table calls this. */
static void unknown_slot(void)
{
    __builtin_trap();
}

static int32_t device_handle(struct trm_backend_device *device, int32_t type, uint64_t *handle)
{
    (void)device;
    *handle = (uint64_t)type;
    return TRM_OK;
}

static const struct {
    struct trm_interop_ops ops;
    void (*behind[6])(void);
} interop = {
    .ops    = {.struct_size = sizeof(struct trm_interop_ops), .device_handle = device_handle},
    .behind = {unknown_slot, unknown_slot, unknown_slot, unknown_slot, unknown_slot, unknown_slot},
};

const struct trm_backend *trm_backend_query_v1(const struct trm_host *host, uint32_t min_minor,
                                               uint32_t max_minor)
{
    (void)max_minor;
    struct borrowed *old = borrow(host, "old");
    if (min_minor > 0)
        return NULL;
    old->backend.interop = &interop.ops;
    return &old->backend;
}
