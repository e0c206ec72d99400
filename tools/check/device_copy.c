/* Trireme: `trireme check` copies both ways, at odd sizes and offsets, and tries each kind of memory.
 * SPDX-License-Identifier: MIT
 */
#include "tools/check/device.h"

#include "tools/output/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LARGEST = (1 << 20) + 1,
    OFFSET  = 5, /* bytes of the buffer before what is copied */
    MARGIN  = 64,
};

static const uint32_t sizes[] = {1, 3, 17, 4095, 4096, 4097, 65537, LARGEST};

enum {
    SIZES       = sizeof(sizes) / sizeof(sizes[0]),
    QUICK_SIZES = 5,
};

static void make_bytes(unsigned char *bytes, uint32_t size)
{
    uint32_t state = size * 2654435761u + 1;

    for (uint32_t i = 0; i < size; i++) {
        state    = state * 1664525u + 1013904223u;
        bytes[i] = (unsigned char)(state >> 24);
    }
}

/* Uploads, copies on the device from one buffer to another, and downloads. */
static int32_t there_and_back(struct device_check *it, struct trm_buffer *const buffers[2], uint32_t size,
                              const unsigned char *from, unsigned char *to)
{
    struct trm_span first  = trm_span_of(buffers[0], OFFSET, size);
    struct trm_span second = trm_span_of(buffers[1], OFFSET + 2, size);
    int32_t status         = trm_upload(it->stream, first, from);

    if (status == TRM_OK)
        status = trm_copy(it->stream, second, first);
    if (status == TRM_OK)
        status = trm_download(it->stream, to, second);
    return status == TRM_OK ? trm_stream_sync(it->stream) : status;
}

/* The first byte that differs, or `size`. */
static uint32_t first_difference(const unsigned char *one, const unsigned char *other, uint32_t size)
{
    uint32_t at = 0;

    while (at < size && one[at] == other[at])
        at++;
    return at;
}

/* Returns false after a finding. */
static bool copy_size(struct device_check *it, struct trm_buffer *const buffers[2], uint32_t size,
                      const char *topic)
{
    unsigned char *from = output_allocate(size, 1), *to = output_allocate(size, 1);
    char what[64];
    bool is_fine = false;
    uint32_t at;

    make_bytes(from, size);
    snprintf(what, sizeof(what), "a copy of %u byte%s failed", size, size == 1 ? "" : "s");
    if (there_and_back(it, buffers, size, from, to) != TRM_OK) {
        report_failure(it->report, topic, what);
    } else if ((at = first_difference(from, to, size)) < size) {
        report_add(it->report, FINDING_FAILED, topic, device_remedy(it),
                   "of %u bytes that went to the device and back, byte %u is %u instead of %u", size, at,
                   to[at], from[at]);
    } else {
        is_fine = true;
    }
    free(from);
    free(to);
    return is_fine;
}

static bool copy_all(struct device_check *it, struct trm_buffer *const buffers[2], const char *topic)
{
    int count = it->check->options.is_quick ? QUICK_SIZES : SIZES;

    for (int i = 0; i < count; i++)
        if (!copy_size(it, buffers, sizes[i], topic))
            return false;
    return true;
}

void device_check_copies(struct device_check *it)
{
    struct trm_buffer *buffers[2] = {NULL, NULL};
    char largest[32];

    report_begin(it->report, "copying to the device and back");
    output_bytes(largest, sizeof(largest), it->check->options.is_quick ? sizes[QUICK_SIZES - 1] : LARGEST);
    if (trm_buffer_create(it->device, TRM_MEMORY_DEVICE, LARGEST + MARGIN, &buffers[0]) != TRM_OK ||
        trm_buffer_create(it->device, TRM_MEMORY_DEVICE, LARGEST + MARGIN, &buffers[1]) != TRM_OK)
        report_failure(it->report, "copies", "2 MiB of device memory cannot be had");
    else if (copy_all(it, buffers, "copies"))
        report_add(it->report, FINDING_OK, "copies", NULL,
                   "1 byte to %s, to the device, on it and back, at odd offsets", largest);
    trm_buffer_destroy(buffers[0]);
    trm_buffer_destroy(buffers[1]);
}

/* ---- memory that the host shares ---- */

static const char *const kind_names[] = {[TRM_MEMORY_PINNED] = "pinned", [TRM_MEMORY_UNIFIED] = "unified"};

/* Writes to the memory on the host, copies it on the device, and reads it on the host. */
static bool use_kind(struct device_check *it, int32_t kind, struct trm_buffer *buffer)
{
    const uint32_t size = 4097;
    unsigned char *from = output_allocate(size, 1);
    void *memory        = NULL;
    int32_t status      = trm_buffer_host_pointer(buffer, &memory);
    bool is_fine        = false;

    make_bytes(from, size);
    if (status == TRM_OK) {
        memcpy(memory, from, size);
        status = trm_copy(it->stream, trm_span_of(buffer, 8193, size), trm_span_of(buffer, 0, size));
    }
    if (status == TRM_OK)
        status = trm_stream_sync(it->stream);
    if (status != TRM_OK)
        report_failure(it->report, kind_names[kind], "memory of this kind cannot be used");
    else if (memcmp((unsigned char *)memory + 8193, from, size) != 0)
        report_add(it->report, FINDING_FAILED, kind_names[kind], device_remedy(it),
                   "the host reads something else than the device wrote");
    else
        is_fine = true;
    free(from);
    return is_fine;
}

static void check_kind(struct device_check *it, int32_t kind)
{
    struct trm_buffer *buffer = NULL;
    int32_t status            = trm_buffer_create(it->device, kind, 16384, &buffer);

    if (status == TRM_ERROR_UNSUPPORTED)
        report_add(it->report, FINDING_ABSENT, kind_names[kind], NULL, "%s", trm_last_error().sentence);
    else if (status != TRM_OK && status != TRM_ERROR_OUT_OF_HOST_MEMORY &&
             status != TRM_ERROR_OUT_OF_DEVICE_MEMORY)
        report_failure(it->report, kind_names[kind], "memory of this kind cannot be had");
    else if (status != TRM_OK)
        report_add(it->report, FINDING_FAILED, kind_names[kind],
                   "Raise the limit of locked memory (ulimit -l) if it is low, or free memory.",
                   "16 KiB of %s memory cannot be had: %s", kind_names[kind], trm_last_error().sentence);
    else if (use_kind(it, kind, buffer))
        report_add(it->report, FINDING_OK, kind_names[kind], NULL, "host and device see the same bytes");
    trm_buffer_destroy(buffer);
}

void device_check_memory(struct device_check *it)
{
    report_begin(it->report, "using memory that host and device share");
    check_kind(it, TRM_MEMORY_PINNED);
    check_kind(it, TRM_MEMORY_UNIFIED);
}
