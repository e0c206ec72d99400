/* Copies and fills, as rectangles of bytes.
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "tests/standin/standin.h"

static void *pointer_of(uint64_t address)
{
    return (void *)(uintptr_t)address; // NOLINT(performance-no-int-to-ptr)
}

/* The bytes from the first to the last of a rectangle. */
static uint64_t extent(uint64_t pitch, uint64_t width, uint64_t height)
{
    return height == 0 || width == 0 ? 0 : pitch * (height - 1) + width;
}

static bool is_empty(const struct transfer *transfer)
{
    return transfer->width == 0 || transfer->height == 0;
}

/* Inside of the arenas of devices: no memory of the host's. */
static bool is_of_devices(uint64_t address)
{
    for (int i = 0; device_of(i) != NULL; i++)
        if (arena_has(device_of(i), address))
            return true;
    return false;
}

static bool is_of_host(uint64_t address)
{
    const struct span *span = span_find(address, 1);

    return span == NULL || span->kind == SPAN_PINNED || span->kind == SPAN_REGISTERED;
}

/* Whether a side is memory that lives: CUDA's own, or pageable. */
static CUresult check_side(uint64_t address, uint64_t bytes, bool *is_pageable)
{
    struct span *span = span_find(address, bytes);

    *is_pageable = false;
    if (span != NULL)
        return span->kind != SPAN_MAPPED || span->is_reachable ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (is_of_devices(address) || span_find(address, 1) != NULL) {
        standin_breach("%llu bytes at %#llx are not all of one allocation", (unsigned long long)bytes,
                       (unsigned long long)address);
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (address < 4096)
        return CUDA_ERROR_INVALID_VALUE;
    *is_pageable = true;
    return CUDA_SUCCESS;
}

/* The pageable source as it is now. */
static CUresult take_snapshot(struct transfer *transfer)
{
    uint64_t bytes = extent(transfer->source_pitch, transfer->width, transfer->height);

    transfer->snapshot = malloc(bytes);
    if (transfer->snapshot == NULL)
        return CUDA_ERROR_OUT_OF_MEMORY;
    for (uint64_t row = 0; row < transfer->height; row++)
        memcpy((char *)transfer->snapshot + row * transfer->source_pitch,
               pointer_of(transfer->source + row * transfer->source_pitch), transfer->width);
    transfer->source = (uint64_t)(uintptr_t)transfer->snapshot;
    return CUDA_SUCCESS;
}

CUresult transfer_check(struct transfer *transfer, bool is_read_later)
{
    uint64_t written = extent(transfer->destination_pitch, transfer->width, transfer->height);
    uint64_t read    = extent(transfer->source_pitch, transfer->width, transfer->height);
    bool is_pageable;

    if (is_empty(transfer))
        return CUDA_SUCCESS;
    if (transfer->height > 1 && (transfer->destination_pitch < transfer->width ||
                                 (!transfer->is_fill && transfer->source_pitch < transfer->width)))
        return CUDA_ERROR_INVALID_VALUE;
    if (transfer->is_fill && transfer->height > 1 && transfer->destination_pitch % transfer->element != 0)
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_side(transfer->destination, written, &is_pageable);
    if (result != CUDA_SUCCESS)
        return result;
    if (transfer->is_fill)
        return is_pageable || transfer->destination % transfer->element != 0 ? CUDA_ERROR_INVALID_VALUE
                                                                             : CUDA_SUCCESS;
    transfer->waits = is_pageable || (is_of_host(transfer->destination) && is_of_host(transfer->source));
    result          = check_side(transfer->source, read, &is_pageable);
    if (result == CUDA_SUCCESS && is_pageable && !is_read_later)
        result = take_snapshot(transfer);
    return result;
}

static void fill_row(char *row, const struct transfer *transfer)
{
    if (transfer->element == 1) {
        memset(row, (int)(transfer->value & 255), transfer->width);
        return;
    }
    for (uint64_t i = 0; i < transfer->width; i += transfer->element)
        memcpy(row + i, &transfer->value, transfer->element);
}

static CUresult move(const void *data)
{
    const struct transfer *transfer = data;

    for (uint64_t row = 0; row < transfer->height; row++) {
        char *to = pointer_of(transfer->destination + row * transfer->destination_pitch);
        if (transfer->is_fill)
            fill_row(to, transfer);
        else
            memmove(to, pointer_of(transfer->source + row * transfer->source_pitch), transfer->width);
    }
    return CUDA_SUCCESS;
}

CUresult transfer_run(const struct transfer *transfer)
{
    return guard_run(move, transfer);
}

/* ---- in a stream */

struct transfer_operation {
    struct operation operation;
    struct transfer transfer;
};

static CUresult run(struct operation *operation)
{
    return transfer_run(&((struct transfer_operation *)operation)->transfer);
}

static void end(struct operation *operation, bool was_run)
{
    (void)was_run;
    free(((struct transfer_operation *)operation)->transfer.snapshot);
}

static const struct operation_kind copy_kind = {.name = "copy", .run = run, .end = end};
static const struct operation_kind fill_kind = {.name = "fill", .run = run, .end = end};

/* Memory of another device's pool needs access of its own, whatever the contexts have. */
static bool is_reached(const struct context *context, uint64_t address)
{
    const struct span *span = span_find(address, 1);

    if (span == NULL || span->pool == NULL || pool_is_reached(span->pool, context->device))
        return true;
    standin_breach("memory of a pool was copied by a device that has no access to the pool");
    return false;
}

CUresult transfer_enqueue(struct context *context, struct stream *stream, struct transfer *transfer)
{
    if (!is_empty(transfer) && (!is_reached(context, transfer->destination) ||
                                (!transfer->is_fill && !is_reached(context, transfer->source))))
        return CUDA_ERROR_INVALID_VALUE;
    CUresult result = transfer_check(transfer, false);
    if (result != CUDA_SUCCESS)
        return result;
    struct transfer_operation *operation = calloc(1, sizeof(*operation));
    if (operation == NULL) {
        free(transfer->snapshot);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    operation->operation.kind = transfer->is_fill ? &fill_kind : &copy_kind;
    operation->transfer       = *transfer;
    stream_enqueue(stream, &operation->operation);
    /* Into pageable memory, and from host to host, the driver returns when the bytes are there. */
    return transfer->waits ? stream_wait(context, stream_place(stream)) : CUDA_SUCCESS;
}
