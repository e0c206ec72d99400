/* Addresses of buffers, for kernels that reach memory through them. The backend gives an address when the
 * program asks for it, and forgets it before the memory is freed.
 * SPDX-License-Identifier: MIT
 */
#include "core/memory/buffer.h"

/* Gets the address from the backend. Two threads may come here at the same time: the address of the second
 * one is the same, and is forgotten at once. */
static int32_t find_address(struct core_buffer *buffer, uint64_t *address)
{
    const struct core_backend *backend = buffer->device->backend;
    uint64_t found = 0, expected = 0;

    if (buffer->size == 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT, "a buffer of 0 bytes has no address");
    if (backend->memory.address == NULL)
        return base_fail(TRM_ERROR_UNSUPPORTED, "kernels on device %s cannot reach memory through addresses",
                         buffer->device->id);
    base_error_clear();
    int32_t status = core_answer(backend, "memory.address",
                                 backend->memory.address(buffer->memory, buffer->base, buffer->size, &found));
    if (status != TRM_OK)
        return core_device_latch_loss(buffer->device, base_fail_backend(status));
    if (found == 0)
        return base_fail(TRM_ERROR_ABI, "memory.address() of the backend %s returns the address 0",
                         backend->name);
    if (!atomic_compare_exchange_strong(&buffer->address, &expected, found) &&
        backend->memory.forget_address != NULL)
        backend->memory.forget_address(buffer->memory, found, buffer->size);
    *address = found;
    return TRM_OK;
}

void core_buffer_forget_address(struct core_buffer *buffer)
{
    const struct trm_memory_ops *memory = &buffer->device->backend->memory;
    uint64_t address                    = atomic_exchange(&buffer->address, 0);

    if (address != 0 && memory->forget_address != NULL)
        memory->forget_address(buffer->memory, address, buffer->size);
}

int32_t core_buffer_find_address(struct core_buffer *buffer, uint64_t *address)
{
    uint64_t known = atomic_load_explicit(&buffer->address, memory_order_acquire);
    int32_t status = TRM_OK;

    if (known == 0) {
        status = core_device_check(buffer->device);
        if (status == TRM_OK)
            status = find_address(buffer, &known);
    }
    if (status == TRM_OK)
        *address = known;
    return status;
}

int32_t trm_buffer_address(struct trm_buffer *buffer, uint64_t *address)
{
    struct core_buffer *found = core_object_enter(buffer, CORE_BUFFER);
    if (found == NULL)
        return base_last_status();
    int32_t status = core_output_check(address, "trm_buffer_address", "address");
    if (status == TRM_OK)
        status = core_buffer_find_address(found, address);
    core_object_leave(&found->object);
    return status;
}
