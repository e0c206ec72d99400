/* Trireme: PGM and PPM: images in one file; images.c has those with a file each.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/run/media/pnm.h"
#include "tools/run/media/reader.h"
#include "tools/run/media/writer.h"

/* ---- reading ---- */

static bool is_wide(const struct media_format *format)
{
    return format->type == TRM_TYPE_U16;
}

void pnm_swap_frame(const struct reader *reader, struct frame *frame)
{
    if (is_wide(&reader->format))
        for (uint32_t i = 0; i < frame->count; i++)
            pnm_swap(frame->data[i], frame->data[i], frame->size[i]);
}

bool pnm_is_alike(struct reader *reader, const struct media_format *image, const char *name, uint64_t index)
{
    const struct media_format *first = &reader->format;

    if (image->width == first->width && image->height == first->height &&
        image->tracks[0].channels == first->tracks[0].channels && image->maximum == first->maximum)
        return true;
    return fault_set(reader->fault,
                     "%s: frame %" PRIu64
                     " is %ux%u with %u channel%s up to %u, those before it are %ux%u with "
                     "%u up to %u",
                     name, index, image->width, image->height, image->tracks[0].channels,
                     image->tracks[0].channels == 1 ? "" : "s", image->maximum, first->width, first->height,
                     first->tracks[0].channels, first->maximum);
}

/* Read the format from the first image without consuming it: a file is rewound, a pipe keeps the header in
 * its buffer. */
static bool open_stream(struct reader *reader)
{
    struct input *input = &reader->input;
    size_t begin        = input->begin;
    uint64_t position   = input->position, left;
    size_t got;

    /* Buffer the whole header, so that its beginning is still available afterwards. */
    if (!input_peek(input, MEDIA_HEADER, &got, reader->fault))
        return false;
    switch (pnm_take_header(input, &reader->format, reader->fault)) {
    case PNM_END:
        return fault_set(reader->fault, "%s: is empty", input->name);
    case PNM_BAD:
        return false;
    default:
        break;
    }
    if (input->position - position > MEDIA_HEADER)
        return fault_set(reader->fault, "%s: the header of the first image has more than %d bytes",
                         input->name, MEDIA_HEADER);
    if (input->regular && input_left(input, &left, reader->fault)) {
        uint64_t header = input->position - position;

        reader->known = (left + header) / (media_frame_bytes(&reader->format) + header);
    }
    if (input->begin == 0 && input->end == 0)
        input->end = (size_t)(begin + (input->position - position));
    input->begin    = begin;
    input->position = position;
    return true;
}

static int locate_in_stream(struct reader *reader, struct frame *frame, struct reader_place *place)
{
    struct media_format image;
    int answer = pnm_take_header(&reader->input, &image, reader->fault);

    if (answer == PNM_END || interrupt_came())
        return READER_END;
    if (answer == PNM_BAD || !pnm_is_alike(reader, &image, reader->input.name, place->index))
        return READER_FAILED;
    answer = reader_locate_bytes(reader, frame, place);
    if (answer == READER_FRAME && place->loaded)
        pnm_swap_frame(reader, frame);
    return answer;
}

static bool load_from_stream(struct reader *reader, struct frame *frame, const struct reader_place *place)
{
    if (!reader_load_bytes(reader, frame, place))
        return false;
    pnm_swap_frame(reader, frame);
    return true;
}

const struct reader_ops pnm_reader = {
    .open   = open_stream,
    .locate = locate_in_stream,
    .load   = load_from_stream,
};

/* ---- writing ---- */

enum {
    HEADER = 64,
    CHUNK  = 32768 /* bytes that are swapped at a time */
};

static int print_header(const struct media_format *format, char text[HEADER])
{
    return snprintf(text, HEADER, "P%c\n%u %u\n%u\n", format->tracks[0].channels == 1 ? '5' : '6',
                    format->width, format->height, format->maximum);
}

static uint64_t image_size(const struct writer *writer, const struct frame *frame)
{
    char header[HEADER];

    return (uint64_t)print_header(&writer->format, header) + frame_bytes(frame);
}

static bool put_swapped(struct writer_target *target, const unsigned char *samples, uint64_t size)
{
    unsigned char chunk[CHUNK];

    for (uint64_t done = 0; done < size; done += CHUNK) {
        uint64_t part = size - done < CHUNK ? size - done : CHUNK;

        pnm_swap(chunk, samples + done, part);
        if (!writer_put(target, chunk, part))
            return false;
    }
    return true;
}

static bool write_image(const struct writer *writer, struct writer_target *target, const struct frame *frame)
{
    char header[HEADER];

    if (!writer_put(target, header, (uint64_t)print_header(&writer->format, header)))
        return false;
    for (uint32_t i = 0; i < frame->count; i++) {
        bool wide = is_wide(&writer->format);

        if (!(wide ? put_swapped(target, frame->data[i], frame->size[i])
                   : writer_put(target, frame->data[i], frame->size[i])))
            return false;
    }
    return true;
}

const struct writer_ops pnm_writer = {
    .size  = image_size,
    .write = write_image,
};
