/* vulkan backend: small copies from and to plain host memory, through pieces of pinned memory.
 * SPDX-License-Identifier: MIT
 */
#include "backends/vulkan/stream/staging.h"

#include <string.h>

#include "backends/vulkan/memory/memory.h"
#include "backends/vulkan/stream/staging_internal.h"

#define SMALL_PIECE (UINT64_C(64) << 10)
#define LARGE_PIECE VULKAN_STAGING_SMALL
#define IDLE_MOST (UINT64_C(64) << 20) /* bytes of unused pieces that are kept */
#define ROOM_ALIGNMENT 16u

/* The host copies a quarter as fast as the bus, so an upload counts four times towards the next submission:
 * the device starts early on what is already staged. */
#define HOST_COPY_WORTH 4u

/* Larger downloads from host-visible memory are copied by the host directly, which ends the batch. */
#define DIRECT_DOWNLOAD (UINT64_C(32) << 10)

void vulkan_copy_rows(void *destination, uint64_t destination_pitch, const void *source,
                      uint64_t source_pitch, uint64_t width, uint64_t height)
{
    unsigned char *to         = destination;
    const unsigned char *from = source;
    if (destination_pitch == width && source_pitch == width) {
        memcpy(to, from, width * height);
        return;
    }
    for (uint64_t row = 0; row < height; row++)
        memcpy(to + row * destination_pitch, from + row * source_pitch, width);
}

/* ---- pieces ---------------------------------------------------------------------------------------- */

static void piece_free(struct trm_backend_device *device, struct vulkan_staging *piece)
{
    vulkan_heap_free(piece->memory);
    trm_util_release(device->instance->host, piece, sizeof(*piece));
}

static int32_t piece_make(struct trm_backend_device *device, uint64_t size, struct vulkan_staging **out)
{
    struct vulkan_staging *piece = trm_util_allocate(device->instance->host, sizeof(*piece));
    if (piece == NULL)
        return trm_util_fail_host_memory(device->instance->host, "staging memory");
    int32_t status =
        vulkan_heap_allocate(device->heap, TRM_MEMORY_PINNED, size, ROOM_ALIGNMENT, &piece->memory);
    if (status != TRM_OK) {
        trm_util_release(device->instance->host, piece, sizeof(*piece));
        return status;
    }
    *out = piece;
    return TRM_OK;
}

static struct vulkan_staging **list_of(struct vulkan_stager *stager, uint64_t size)
{
    return size <= SMALL_PIECE ? &stager->small : &stager->large;
}

static int32_t piece_acquire(struct trm_backend_device *device, uint64_t size, struct vulkan_staging **out)
{
    struct vulkan_stager *stager = device->stager;
    struct vulkan_staging **list = list_of(stager, size);
    pthread_mutex_lock(&stager->lock);
    struct vulkan_staging *piece = *list;
    if (piece != NULL) {
        *list = piece->next;
        stager->idle -= piece->memory->size;
    }
    pthread_mutex_unlock(&stager->lock);
    if (piece == NULL)
        return piece_make(device, size <= SMALL_PIECE ? SMALL_PIECE : LARGE_PIECE, out);
    piece->used = 0;
    *out        = piece;
    return TRM_OK;
}

static bool piece_cache(struct vulkan_stager *stager, struct vulkan_staging *piece)
{
    bool kept = false;
    pthread_mutex_lock(&stager->lock);
    if (stager->idle + piece->memory->size <= IDLE_MOST) {
        struct vulkan_staging **list = list_of(stager, piece->memory->size);
        piece->next                  = *list;
        *list                        = piece;
        stager->idle += piece->memory->size;
        kept = true;
    }
    pthread_mutex_unlock(&stager->lock);
    return kept;
}

void vulkan_staging_release(struct trm_backend_device *device, struct vulkan_staging *pieces)
{
    while (pieces != NULL) {
        struct vulkan_staging *next = pieces->next;
        if (!piece_cache(device->stager, pieces))
            piece_free(device, pieces);
        pieces = next;
    }
}

int32_t vulkan_staging_reserve(struct trm_backend_device *device, struct vulkan_batch *batch, uint64_t size,
                               struct trm_backend_memory **memory, uint64_t *offset)
{
    struct vulkan_staging *piece = batch->staging;
    if (piece == NULL || piece->memory->size - piece->used < size) {
        struct vulkan_staging *fresh = NULL;
        int32_t status               = piece_acquire(device, size, &fresh);
        if (fresh == NULL)
            return status;
        fresh->next    = piece;
        batch->staging = fresh;
        piece          = fresh;
    }
    *memory = piece->memory;
    *offset = piece->used;
    piece->used += (size + ROOM_ALIGNMENT - 1) & ~(uint64_t)(ROOM_ALIGNMENT - 1);
    if (piece->used > piece->memory->size)
        piece->used = piece->memory->size;
    return TRM_OK;
}

/* ---- uploads --------------------------------------------------------------------------------------- */

int32_t vulkan_staging_check_settled(struct trm_backend_stream *stream, bool *settled)
{
    uint64_t completed = 0;
    *settled           = true;
    if (stream->host_written == 0)
        return TRM_OK;
    int32_t status = vulkan_timeline_read(stream->timeline, stream->host_written, &completed);
    *settled       = completed >= stream->host_written;
    return status;
}

static int32_t upload_small(struct trm_backend_stream *stream, uint64_t value,
                            const struct trm_copy_2d_desc *desc)
{
    struct vulkan_batch *batch;
    struct trm_backend_memory *piece = NULL;
    uint64_t offset = 0, bytes = desc->width * desc->height;
    int32_t status = vulkan_stream_open(stream, value, &batch);
    if (status == TRM_OK)
        status = vulkan_staging_reserve(stream->device, batch, bytes, &piece, &offset);
    if (piece == NULL)
        return status;
    vulkan_copy_rows(piece->host + offset, desc->width, desc->source.host, desc->source_pitch, desc->width,
                     desc->height);
    status =
        vulkan_record_copy_2d(&stream->recorder, desc->destination.memory, desc->destination.offset,
                              desc->destination_pitch, piece, offset, desc->width, desc->width, desc->height);
    return status == TRM_OK ? vulkan_stream_note(stream, value, HOST_COPY_WORTH * bytes) : status;
}

int32_t vulkan_staging_upload(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc)
{
    bool settled = false;
    if (desc->width * desc->height <= VULKAN_STAGING_SMALL) {
        int32_t status = vulkan_staging_check_settled(stream, &settled);
        if (status != TRM_OK)
            return status;
    }
    return settled ? upload_small(stream, value, desc) : vulkan_staging_job(stream, value, desc);
}

/* ---- downloads ------------------------------------------------------------------------------------- */

static struct vulkan_host_copy host_copy_of(const struct trm_copy_2d_desc *desc, const void *source,
                                            uint64_t source_pitch)
{
    return (struct vulkan_host_copy){
        .destination       = desc->destination.host,
        .source            = source,
        .width             = desc->width,
        .height            = desc->height,
        .destination_pitch = desc->destination_pitch,
        .source_pitch      = source_pitch,
    };
}

/* Later operations may write the memory, so the batch ends here. */
static int32_t download_directly(struct trm_backend_stream *stream, uint64_t value,
                                 const struct trm_copy_2d_desc *desc)
{
    struct vulkan_batch *batch;
    const struct vulkan_host_copy copy =
        host_copy_of(desc, desc->source.memory->host + desc->source.offset, desc->source_pitch);
    int32_t status = vulkan_stream_open(stream, value, &batch);
    if (status == TRM_OK)
        status = vulkan_batch_add_host_copy(stream, batch, &copy);
    if (status == TRM_OK)
        status = vulkan_stream_note(stream, value, desc->width * desc->height);
    if (status != TRM_OK)
        return status;
    stream->host_written = value;
    return vulkan_stream_close_batch(stream);
}

static int32_t download_small(struct trm_backend_stream *stream, uint64_t value,
                              const struct trm_copy_2d_desc *desc)
{
    struct vulkan_batch *batch;
    struct trm_backend_memory *piece = NULL;
    uint64_t offset = 0, bytes = desc->width * desc->height;
    int32_t status = vulkan_stream_open(stream, value, &batch);
    if (status == TRM_OK)
        status = vulkan_staging_reserve(stream->device, batch, bytes, &piece, &offset);
    if (piece == NULL)
        return status;
    status = vulkan_record_copy_2d(&stream->recorder, piece, offset, desc->width, desc->source.memory,
                                   desc->source.offset, desc->source_pitch, desc->width, desc->height);
    if (status != TRM_OK)
        return status;
    const struct vulkan_host_copy copy = host_copy_of(desc, piece->host + offset, desc->width);
    status                             = vulkan_batch_add_host_copy(stream, batch, &copy);
    if (status != TRM_OK)
        return status;
    stream->host_written = value;
    return vulkan_stream_note(stream, value, bytes);
}

int32_t vulkan_staging_download(struct trm_backend_stream *stream, uint64_t value,
                                const struct trm_copy_2d_desc *desc)
{
    uint64_t bytes = desc->width * desc->height;
    if (bytes > VULKAN_STAGING_SMALL)
        return vulkan_staging_job(stream, value, desc);
    if (bytes > DIRECT_DOWNLOAD && stream->device->physical->unified && desc->source.memory->host != NULL)
        return download_directly(stream, value, desc);
    return download_small(stream, value, desc);
}

/* ---- the device's part ----------------------------------------------------------------------------- */

int32_t vulkan_staging_init(struct trm_backend_device *device)
{
    struct vulkan_stager *stager = trm_util_allocate(device->instance->host, sizeof(*stager));
    if (stager == NULL)
        return trm_util_fail_host_memory(device->instance->host, "a device");
    pthread_mutex_init(&stager->lock, NULL);
    pthread_mutex_init(&stager->making, NULL);
    device->stager = stager;
    return TRM_OK;
}

static void free_list(struct trm_backend_device *device, struct vulkan_staging *piece)
{
    while (piece != NULL) {
        struct vulkan_staging *next = piece->next;
        piece_free(device, piece);
        piece = next;
    }
}

void vulkan_staging_fini(struct trm_backend_device *device)
{
    struct vulkan_stager *stager = device->stager;
    if (stager == NULL)
        return;
    vulkan_lanes_fini(device);
    free_list(device, stager->small);
    free_list(device, stager->large);
    pthread_mutex_destroy(&stager->making);
    pthread_mutex_destroy(&stager->lock);
    trm_util_release(device->instance->host, stager, sizeof(*stager));
    device->stager = NULL;
}
