/* Copies between images, host memory and buffers.
 *
 * The backend copies between its own images and memory. An image of plain memory is copied as rows: a slice
 * is a copy of two dimensions, and slices that follow each other without gaps are one copy.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>

#include "core/image/image_object.h"
#include "core/image/image_region.h"

/* Texels in memory: of a buffer, or of the host. */
struct memory {
    struct core_buffer *buffer; /* NULL: host memory */
    uint64_t offset;            /* in the buffer */
    const void *host;
};

/* A copy that has been checked. */
struct copy {
    struct core_stream *stream;
    struct core_image *image;
    struct trm_image_region region;
    struct core_pitches pitches;
    struct memory memory;
    bool is_to_image;
};

/* ---- plain memory ---------------------------------------------------------------------------- */

/* The rows of a region in an image of plain memory: the first slice. */
static struct core_rows rows_of_image(const struct core_image *image, const struct trm_image_region *region)
{
    const struct trm_image_level *level = &image->plan->level[region->level];
    uint64_t slice                      = (uint64_t)region->layer * level->depth + region->z;
    struct core_buffer *texels          = core_image_texels(image);
    struct core_rows rows               = {
                      .buffer = texels,
                      .offset = core_image_level_offset(image, region->level) + slice * level->slice_pitch +
                                region->y * level->row_pitch + (uint64_t)region->x * trm_format_size(image->desc.format),
                      .pitch = level->row_pitch,
    };
    rows.host = texels->host != NULL ? texels->host + rows.offset : NULL;
    return rows;
}

static uint64_t slice_pitch_of(const struct core_image *image, const struct trm_image_region *region)
{
    return image->plan->level[region->level].slice_pitch;
}

static struct core_rows rows_of_memory(const struct copy *copy)
{
    const struct memory *memory = &copy->memory;
    struct core_rows rows       = {.buffer = memory->buffer, .pitch = copy->pitches.row_pitch};

    if (memory->buffer == NULL) {
        rows.host = (unsigned char *)(uintptr_t)memory->host;
        return rows;
    }
    rows.offset = memory->offset;
    rows.host   = memory->buffer->host != NULL ? memory->buffer->host + memory->offset : NULL;
    return rows;
}

static void advance(struct core_rows *rows, uint64_t bytes)
{
    rows->offset += bytes;
    if (rows->host != NULL)
        rows->host += bytes;
}

/* Copies `slices` times `height` rows of `width` bytes; the sides are at the first slice. */
static int32_t copy_slices(struct core_stream *stream, struct core_rows *to, uint64_t to_slice,
                           struct core_rows *from, uint64_t from_slice, uint64_t width, uint64_t height,
                           uint64_t slices)
{
    int32_t status = TRM_OK;

    if (to_slice == height * to->pitch && from_slice == height * from->pitch) {
        height *= slices;
        slices = 1;
    }
    for (uint64_t i = 0; i < slices && status == TRM_OK; i++) {
        status = core_copy_rows(stream, to, from, width, height);
        advance(to, to_slice);
        advance(from, from_slice);
    }
    return status;
}

static int32_t copy_plain(const struct copy *copy)
{
    const struct core_pitches *pitches = &copy->pitches;
    struct core_rows texels            = rows_of_image(copy->image, &copy->region);
    struct core_rows memory            = rows_of_memory(copy);
    uint64_t slice                     = slice_pitch_of(copy->image, &copy->region);

    if (copy->is_to_image)
        return copy_slices(copy->stream, &texels, slice, &memory, pitches->slice_pitch, pitches->row,
                           copy->region.height, pitches->slices);
    return copy_slices(copy->stream, &memory, pitches->slice_pitch, &texels, slice, pitches->row,
                       copy->region.height, pitches->slices);
}

/* ---- the backend's images -------------------------------------------------------------------- */

/* The backend's table, or that of a stream that records. */
static const struct trm_image_ops *ops_of(const struct core_stream *stream)
{
    return core_stream_is_recording(stream) ? &stream->recorder_ops->image : &stream->device->backend->image;
}

static struct trm_image_part part_of(const struct core_image *image, const struct trm_image_region *region)
{
    return (struct trm_image_part){
        .image = image->backend,
        .level = region->level,
        .x     = region->x,
        .y     = region->y,
        .z     = region->z,
        .layer = region->layer,
    };
}

static int32_t copy_native(const struct copy *copy)
{
    struct core_stream *stream            = copy->stream;
    const struct trm_image_region *region = &copy->region;
    const struct memory *memory           = &copy->memory;
    struct core_in_flight *const sets[]   = {&copy->image->in_flight,
                                           memory->buffer != NULL ? &memory->buffer->in_flight : NULL};
    const struct trm_image_copy_desc desc = {
        .struct_size = sizeof(desc),
        .to_image    = copy->is_to_image,
        .part        = part_of(copy->image, region),
        .place       = memory->buffer != NULL ? core_place(memory->buffer, memory->offset)
                                              : core_place_host(memory->host),
        .row_pitch   = copy->pitches.row_pitch,
        .slice_pitch = copy->pitches.slice_pitch,
        .width       = region->width,
        .height      = region->height,
        .depth       = region->depth,
        .layers      = region->layers,
    };

    uint64_t value = core_stream_next(stream);
    base_error_clear();
    int32_t status = core_stream_commit_work(
        stream, value, "image.copy", ops_of(stream)->copy(stream->backend, value, &desc), CORE_WORK_COPY, 0);
    if (status == TRM_OK)
        core_in_flight_add_each(sets, 2, stream, value);
    return status;
}

static int32_t transfer_native(struct core_stream *stream, struct core_image *destination,
                               const struct trm_image_region *to, struct core_image *source,
                               const struct trm_image_region *from)
{
    struct core_in_flight *const sets[]       = {&destination->in_flight, &source->in_flight};
    const struct trm_image_transfer_desc desc = {
        .struct_size = sizeof(desc),
        .destination = part_of(destination, to),
        .source      = part_of(source, from),
        .width       = to->width,
        .height      = to->height,
        .depth       = to->depth,
        .layers      = to->layers,
    };

    uint64_t value = core_stream_next(stream);
    base_error_clear();
    int32_t status =
        core_stream_commit_work(stream, value, "image.transfer",
                                ops_of(stream)->transfer(stream->backend, value, &desc), CORE_WORK_COPY, 0);
    if (status == TRM_OK)
        core_in_flight_add_each(sets, 2, stream, value);
    return status;
}

/* ---- checks ---------------------------------------------------------------------------------- */

/* NULL, which is explained, unless the image is there and of the stream's device. */
static struct core_image *find_image(const struct core_stream *stream, struct trm_image *handle)
{
    struct core_image *found = core_image_find(handle);

    if (found == NULL || found->device == stream->device)
        return found;
    base_fail(TRM_ERROR_WRONG_DEVICE, "the image belongs to another device (%s) than the stream (%s)",
              found->device->id, stream->device->id);
    return NULL;
}

/* Finds the stream and the image, and completes the region and the pitches. */
static int32_t begin(struct trm_stream *stream, struct trm_image *image,
                     const struct trm_image_region *region, uint64_t row_pitch, uint64_t slice_pitch,
                     struct copy *copy)
{
    int32_t status = core_stream_begin(stream, &copy->stream);
    if (status != TRM_OK)
        return status;
    copy->image = find_image(copy->stream, image);
    if (copy->image == NULL)
        return base_last_status();
    status = core_region_complete(copy->image, region, &copy->region);
    if (status == TRM_OK)
        status = core_pitches_complete(copy->image, &copy->region, row_pitch, slice_pitch, &copy->pitches);
    return status;
}

static int32_t set_host(struct copy *copy, const void *memory)
{
    copy->memory = (struct memory){.host = memory};
    return core_host_check(memory, copy->pitches.extent);
}

static int32_t set_span(struct copy *copy, struct trm_span span)
{
    uint32_t texel = trm_format_size(copy->image->desc.format);
    struct core_buffer *buffer;
    uint64_t length;

    int32_t status = core_span_resolve(span, &buffer, &length);
    if (status == TRM_OK)
        status = core_buffer_check_device(buffer, copy->stream->device);
    if (status != TRM_OK)
        return status;
    if (length < copy->pitches.extent)
        return base_fail(TRM_ERROR_OUT_OF_RANGE,
                         "the texels take %" PRIu64 " bytes, but the span has %" PRIu64, copy->pitches.extent,
                         length);
    if (span.offset % texel != 0)
        return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                         "offset %" PRIu64 " of the span is not a multiple of a texel of %" PRIu32 " bytes",
                         span.offset, texel);
    copy->memory = (struct memory){.buffer = buffer, .offset = span.offset};
    return TRM_OK;
}

/* Enqueues, and counts the bytes of the texels. */
static int32_t finish(const struct copy *copy, enum core_direction direction)
{
    const struct core_pitches *pitches = &copy->pitches;

    int32_t status = copy->image->buffer != NULL ? copy_plain(copy) : copy_native(copy);
    if (status == TRM_OK)
        core_copy_count(copy->stream, direction, pitches->row * copy->region.height * pitches->slices);
    return status;
}

/* ---- the functions of <trireme/image.h> ------------------------------------------------------- */

int32_t trm_image_upload(struct trm_stream *stream, struct trm_image *image,
                         const struct trm_image_region *region, const void *source, uint64_t row_pitch,
                         uint64_t slice_pitch)
{
    struct copy copy = {.is_to_image = true};

    int32_t status = begin(stream, image, region, row_pitch, slice_pitch, &copy);
    if (status == TRM_OK)
        status = set_host(&copy, source);
    return status == TRM_OK ? finish(&copy, CORE_COPY_UP) : status;
}

int32_t trm_image_download(struct trm_stream *stream, void *destination, struct trm_image *image,
                           const struct trm_image_region *region, uint64_t row_pitch, uint64_t slice_pitch)
{
    struct copy copy = {.is_to_image = false};

    int32_t status = begin(stream, image, region, row_pitch, slice_pitch, &copy);
    if (status == TRM_OK)
        status = set_host(&copy, destination);
    return status == TRM_OK ? finish(&copy, CORE_COPY_DOWN) : status;
}

int32_t trm_image_from_buffer(struct trm_stream *stream, struct trm_image *image,
                              const struct trm_image_region *region, struct trm_span source,
                              uint64_t row_pitch, uint64_t slice_pitch)
{
    struct copy copy = {.is_to_image = true};

    int32_t status = begin(stream, image, region, row_pitch, slice_pitch, &copy);
    if (status == TRM_OK)
        status = set_span(&copy, source);
    return status == TRM_OK ? finish(&copy, CORE_COPY_DEVICE) : status;
}

int32_t trm_image_to_buffer(struct trm_stream *stream, struct trm_span destination, struct trm_image *image,
                            const struct trm_image_region *region, uint64_t row_pitch, uint64_t slice_pitch)
{
    struct copy copy = {.is_to_image = false};

    int32_t status = begin(stream, image, region, row_pitch, slice_pitch, &copy);
    if (status == TRM_OK)
        status = set_span(&copy, destination);
    return status == TRM_OK ? finish(&copy, CORE_COPY_DEVICE) : status;
}

static int32_t check_texels(const struct core_image *destination, const struct core_image *source)
{
    uint32_t to = trm_format_size(destination->desc.format), from = trm_format_size(source->desc.format);

    if (to == from)
        return TRM_OK;
    return base_fail(TRM_ERROR_INVALID_ARGUMENT,
                     "a copy of texels of %s, of %" PRIu32 " bytes, to texels of %s, of %" PRIu32,
                     trm_format_name(source->desc.format), from, trm_format_name(destination->desc.format),
                     to);
}

static int32_t transfer(struct core_stream *stream, struct core_image *destination,
                        const struct trm_image_region *to, struct core_image *source,
                        const struct trm_image_region *from)
{
    uint64_t width  = (uint64_t)to->width * trm_format_size(destination->desc.format);
    uint64_t slices = (uint64_t)to->depth * to->layers;
    int32_t status;

    if (destination->buffer == NULL) {
        status = transfer_native(stream, destination, to, source, from);
    } else {
        struct core_rows to_rows = rows_of_image(destination, to), from_rows = rows_of_image(source, from);
        status = copy_slices(stream, &to_rows, slice_pitch_of(destination, to), &from_rows,
                             slice_pitch_of(source, from), width, to->height, slices);
    }
    if (status == TRM_OK)
        core_copy_count(stream, CORE_COPY_DEVICE, width * to->height * slices);
    return status;
}

int32_t trm_image_copy(struct trm_stream *stream, struct trm_image *destination,
                       const struct trm_image_region *destination_region, struct trm_image *source,
                       const struct trm_image_region *source_region)
{
    struct core_stream *found;
    struct trm_image_region to, from;

    int32_t status = core_stream_begin(stream, &found);
    if (status != TRM_OK)
        return status;
    struct core_image *to_image   = find_image(found, destination);
    struct core_image *from_image = to_image != NULL ? find_image(found, source) : NULL;
    if (from_image == NULL)
        return base_last_status();
    status = check_texels(to_image, from_image);
    if (status == TRM_OK)
        status = core_region_complete(to_image, destination_region, &to);
    if (status == TRM_OK)
        status = core_region_complete(from_image, source_region, &from);
    if (status == TRM_OK)
        status = core_region_check_pair(to_image, &to, from_image, &from);
    return status == TRM_OK ? transfer(found, to_image, &to, from_image, &from) : status;
}
