/* Trireme: raw arrays of numbers.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/media/reader.h"
#include "tools/run/media/writer.h"

/* ---- reading ---- */

static bool open_images(struct reader *reader)
{
    reader->format.width  = reader->request->width;
    reader->format.height = reader->request->height;
    media_pixel_track(&reader->format, reader->request->channels);
    return media_check_size(&reader->format, reader->input.name, reader->fault);
}

static bool open_flat(struct reader *reader)
{
    reader->format.flat   = true;
    reader->format.width  = (uint32_t)(reader->request->batch / trm_type_size(reader->format.type));
    reader->format.height = 1;
    media_pixel_track(&reader->format, 1);
    return true;
}

static bool open_reader(struct reader *reader)
{
    uint64_t left, size;

    reader->format.kind         = MEDIA_RAW;
    reader->format.type         = reader->request->type;
    reader->format.rate         = 25;
    reader->format.rate_divisor = 1;
    if (!(reader->request->width > 0 ? open_images(reader) : open_flat(reader)))
        return false;
    if (!reader->input.regular)
        return true;
    if (!input_left(&reader->input, &left, reader->fault))
        return false;
    size          = media_frame_bytes(&reader->format);
    reader->known = left / size + (reader->format.flat && left % size != 0);
    return true;
}

const struct reader_ops raw_reader = {
    .open   = open_reader,
    .locate = reader_locate_bytes,
    .load   = reader_load_bytes,
};

/* ---- writing ---- */

static uint64_t frame_size(const struct writer *writer, const struct frame *frame)
{
    (void)writer;
    return frame_bytes(frame);
}

static bool write_frame(const struct writer *writer, struct writer_target *target, const struct frame *frame)
{
    (void)writer;
    for (uint32_t i = 0; i < frame->count; i++)
        if (!writer_put(target, frame->data[i], frame->size[i]))
            return false;
    return true;
}

const struct writer_ops raw_writer = {
    .size  = frame_size,
    .write = write_frame,
};
