/* Trireme: YUV4MPEG2: its frames.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output/output.h"
#include "tools/run/media/reader.h"
#include "tools/run/media/writer.h"
#include "tools/run/media/y4m.h"

static const char frame_magic[] = "FRAME";

enum line_answer {
    LINE_READ,
    LINE_NONE, /* the input has ended */
    LINE_BAD,  /* the line end is missing, or the line has a zero byte; the fault is set */
};

/* Read a line of at most MEDIA_HEADER bytes, without its line end. `what` names it in messages. */
static int take_line(struct reader *reader, const char *what, char line[MEDIA_HEADER])
{
    struct input *input      = &reader->input;
    uint64_t place           = input->position;
    const unsigned char *end = NULL;
    size_t got               = 0;

    /* The lines of frames are short: peek at a few bytes first, so that samples are not copied twice. */
    for (size_t wanted = 64; !end && wanted <= MEDIA_HEADER; wanted *= 4) {
        if (!input_peek(input, wanted, &got, reader->fault))
            return LINE_BAD;
        end = memchr(input->buffer + input->begin, '\n', got);
        if (got < wanted)
            break;
    }
    if (got == 0)
        return LINE_NONE;
    if (!end || memchr(input->buffer + input->begin, '\0', (size_t)(end - (input->buffer + input->begin)))) {
        if (!interrupt_came())
            fault_set(reader->fault, "%s: byte %" PRIu64 ": %s is %s", input->name, place, what,
                      end || got >= MEDIA_HEADER ? "no line of text" : "cut short");
        return LINE_BAD;
    }
    got = (size_t)(end - (input->buffer + input->begin));
    memcpy(line, input->buffer + input->begin, got);
    line[got] = '\0';
    input_take(input, got + 1);
    return LINE_READ;
}

/* ---- reading ---- */

static bool open_reader(struct reader *reader)
{
    char line[MEDIA_HEADER];
    uint64_t left;

    if (take_line(reader, "the first line", line) != LINE_READ)
        return fault_set(reader->fault, "%s: is empty", reader->input.name);
    if (!y4m_parse(line, &reader->format, reader->input.name, reader->fault))
        return false;
    if (!reader->input.regular)
        return true;
    if (!input_left(&reader->input, &left, reader->fault))
        return false;
    /* Exact if no frame has parameters, which is usual. Used for the progress only. */
    reader->known = left / (media_frame_bytes(&reader->format) + sizeof(frame_magic));
    return true;
}

static void keep_note(struct frame *frame, const char *text)
{
    if (!frame->note)
        return;
    free(*frame->note);
    *frame->note = *text ? output_copy(text) : NULL;
}

static int locate(struct reader *reader, struct frame *frame, struct reader_place *place)
{
    uint64_t begin = reader->input.position;
    size_t magic   = sizeof(frame_magic) - 1;
    char line[MEDIA_HEADER], what[64];
    int answer;

    snprintf(what, sizeof(what), "the line of frame %" PRIu64, place->index);
    answer = take_line(reader, what, line);
    if (answer != LINE_READ)
        return answer == LINE_NONE || interrupt_came() ? READER_END : READER_FAILED;
    if (strncmp(line, frame_magic, magic) != 0 || (line[magic] != '\0' && line[magic] != ' ')) {
        fault_set(reader->fault, "%s: byte %" PRIu64 ": frame %" PRIu64 " does not begin with \"FRAME\"",
                  reader->input.name, begin, place->index);
        return READER_FAILED;
    }
    keep_note(frame, line + magic);
    return reader_locate_bytes(reader, frame, place);
}

const struct reader_ops y4m_reader = {
    .open   = open_reader,
    .locate = locate,
    .load   = reader_load_bytes,
};

/* ---- writing ---- */

static bool begin(struct writer *writer, struct writer_target *target)
{
    char line[MEDIA_HEADER + 64];

    if (!y4m_print(&writer->format, line, sizeof(line)))
        return fault_set(writer->fault, "%s: the first line would be too long", writer->path);
    return writer_put(target, line, strlen(line));
}

static const char *note_of(const struct frame *frame)
{
    return frame->note && *frame->note ? *frame->note : "";
}

static uint64_t frame_size(const struct writer *writer, const struct frame *frame)
{
    (void)writer;
    return sizeof(frame_magic) + strlen(note_of(frame)) + frame_bytes(frame);
}

static bool write_frame(const struct writer *writer, struct writer_target *target, const struct frame *frame)
{
    char line[MEDIA_HEADER + 8];

    (void)writer;
    snprintf(line, sizeof(line), "%s%s\n", frame_magic, note_of(frame));
    if (!writer_put(target, line, strlen(line)))
        return false;
    for (uint32_t i = 0; i < frame->count; i++)
        if (!writer_put(target, frame->data[i], frame->size[i]))
            return false;
    return true;
}

const struct writer_ops y4m_writer = {
    .begin = begin,
    .size  = frame_size,
    .write = write_frame,
};
