/* Trireme: PGM and PPM: images in one file, or one image a file.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output.h"
#include "tools/run/pnm.h"
#include "tools/run/reader.h"
#include "tools/run/writer.h"

/* ---- reading ---- */

static bool is_wide(const struct media_format *format)
{
    return format->type == TRM_TYPE_U16;
}

static void swap_frame(const struct reader *reader, struct frame *frame)
{
    if (is_wide(&reader->format))
        for (uint32_t i = 0; i < frame->count; i++)
            pnm_swap(frame->data[i], frame->data[i], frame->size[i]);
}

/* Check that an image has the format of the first one. */
static bool is_alike(struct reader *reader, const struct media_format *image, const char *name,
                     uint64_t index)
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
    if (answer == PNM_BAD || !is_alike(reader, &image, reader->input.name, place->index))
        return READER_FAILED;
    answer = reader_locate_bytes(reader, frame, place);
    if (answer == READER_FRAME && place->loaded)
        swap_frame(reader, frame);
    return answer;
}

static bool load_from_stream(struct reader *reader, struct frame *frame, const struct reader_place *place)
{
    if (!reader_load_bytes(reader, frame, place))
        return false;
    swap_frame(reader, frame);
    return true;
}

const struct reader_ops pnm_reader = {
    .open   = open_stream,
    .locate = locate_in_stream,
    .load   = load_from_stream,
};

static bool take_only_header(struct input *input, struct media_format *format, struct fault *fault)
{
    int answer = pnm_take_header(input, format, fault);

    return answer == PNM_READ || (answer == PNM_END && fault_set(fault, "%s: is empty", input->name));
}

static bool open_sequence(struct reader *reader)
{
    struct input input;
    bool well;

    if (!input_open(&input, reader->sequence.paths[0], reader->fault))
        return false;
    well = take_only_header(&input, &reader->format, reader->fault);
    input_close(&input);
    return well;
}

static int locate_in_sequence(struct reader *reader, struct frame *frame, struct reader_place *place)
{
    (void)frame;
    return place->index < reader->sequence.count ? READER_FRAME : READER_END;
}

static bool load_image(struct reader *reader, struct input *input, struct frame *frame, uint64_t index)
{
    struct media_format image;

    if (!take_only_header(input, &image, reader->fault) || !is_alike(reader, &image, input->name, index))
        return false;
    for (uint32_t i = 0; i < frame->count; i++) {
        uint64_t got;

        if (!input_read(input, frame->data[i], frame->size[i], &got, reader->fault))
            return false;
        if (got < frame->size[i])
            return fault_set(reader->fault, "%s: cut short: frame %" PRIu64 " ends at byte %" PRIu64,
                             input->name, index, input->position);
    }
    swap_frame(reader, frame);
    return true;
}

static bool load_from_sequence(struct reader *reader, struct frame *frame, const struct reader_place *place)
{
    struct input input;
    bool well;

    if (!input_open(&input, reader->sequence.paths[place->index], reader->fault))
        return false;
    well = load_image(reader, &input, frame, place->index);
    input_close(&input);
    return well;
}

const struct reader_ops pnm_sequence_reader = {
    .open   = open_sequence,
    .locate = locate_in_sequence,
    .load   = load_from_sequence,
};

/* ---- writing ---- */

static bool open_writer(struct writer *writer)
{
    if (is_wide(&writer->format))
        writer->swapped = output_allocate(media_frame_bytes(&writer->format), 1);
    return true;
}

static bool write_image(struct writer *writer, const struct frame *frame)
{
    const struct media_format *format = &writer->format;
    char header[64];

    snprintf(header, sizeof(header), "P%c\n%u %u\n%u\n", format->tracks[0].channels == 1 ? '5' : '6',
             format->width, format->height, format->maximum);
    if (!outlet_write(&writer->outlet, header, strlen(header), writer->fault))
        return false;
    for (uint32_t i = 0; i < frame->count; i++) {
        const void *samples = frame->data[i];

        if (writer->swapped) {
            pnm_swap(writer->swapped, samples, frame->size[i]);
            samples = writer->swapped;
        }
        if (!outlet_write(&writer->outlet, samples, frame->size[i], writer->fault))
            return false;
    }
    outlet_mark(&writer->outlet);
    return true;
}

static bool write_to_stream(struct writer *writer, uint64_t index, const struct frame *frame)
{
    (void)index;
    return write_image(writer, frame);
}

const struct writer_ops pnm_writer = {
    .open  = open_writer,
    .write = write_to_stream,
};

/* The path of a frame: numbered like the input, or from 1 on; in a folder, with the name of the input
 * file. */
static char *image_path(const struct writer *writer, uint64_t index)
{
    const struct sequence *names = writer->names;
    const char *ending           = writer->format.tracks[0].channels == 1 ? ".pgm" : ".ppm";
    const char *name             = NULL;
    char number[40];
    size_t length;
    char *path;

    if (!writer->folder)
        return sequence_path(writer->path, index + (names->count > 0 ? names->first : 1));
    if (index < names->count) {
        name   = strrchr(names->paths[index], '/');
        name   = name ? name + 1 : names->paths[index];
        length = strcspn(name, "") - strlen(strrchr(name, '.'));
    } else {
        snprintf(number, sizeof(number), "frame%06" PRIu64, index + 1);
        name   = number;
        length = strlen(number);
    }
    path = output_allocate(strlen(writer->path) + length + 8, 1);
    sprintf(path, "%s%s%.*s%s", writer->path, writer->path[strlen(writer->path) - 1] == '/' ? "" : "/",
            (int)length, name, ending);
    return path;
}

static bool write_to_sequence(struct writer *writer, uint64_t index, const struct frame *frame)
{
    char *path = image_path(writer, index);
    bool well  = outlet_open(&writer->outlet, path, writer->fault);

    if (well) {
        well = write_image(writer, frame);
        if (!outlet_close(&writer->outlet, writer->fault))
            well = false;
    }
    free(path);
    return well;
}

const struct writer_ops pnm_sequence_writer = {
    .open  = open_writer,
    .write = write_to_sequence,
};
