/* Trireme: reading frames.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/media/reader.h"

#include <inttypes.h>
#include <string.h>

/* ---- opening ---- */

/* What ffmpeg decodes to RGB, which y4m does not hold, takes -pix_fmt. */
struct picture {
    const char *magic;
    size_t length;
    const char *name;
};

static const struct picture pictures[] = {
    {"\x89PNG", 4, "PNG"}, {"GIF8", 4, "GIF"},   {"BM", 2, "BMP"},
    {"II*\0", 4, "TIFF"},  {"MM\0*", 4, "TIFF"}, {"\xff\xd8\xff", 3, "JPEG"},
};

/* Another format: say how ffmpeg makes frames of it. */
static void refuse(const struct reader *reader, size_t got)
{
    for (size_t i = 0; i < sizeof(pictures) / sizeof(pictures[0]); i++) {
        const struct picture *picture = &pictures[i];

        if (got < picture->length || memcmp(reader->input.buffer, picture->magic, picture->length) != 0)
            continue;
        fault_set(reader->fault,
                  "%s: is a %s file, which ffmpeg makes frames of: ffmpeg -i FILE -pix_fmt yuv444p -f "
                  "yuv4mpegpipe - | trireme run … - OUTPUT",
                  reader->input.name, picture->name);
        return;
    }
    fault_set(reader->fault,
              "%s: is neither YUV4MPEG2 nor PNM; other data takes --raw TYPE, other video ffmpeg -i FILE -f "
              "yuv4mpegpipe - | (with -pix_fmt yuv444p where it is RGB)",
              reader->input.name);
}

static int look(struct reader *reader)
{
    size_t got;

    if (!input_peek(&reader->input, 10, &got, reader->fault))
        return MEDIA_NONE;
    if (got == 10 && memcmp(reader->input.buffer, "YUV4MPEG2", 9) == 0)
        return MEDIA_Y4M;
    if (got >= 2 && reader->input.buffer[0] == 'P' && reader->input.buffer[1] >= '1' &&
        reader->input.buffer[1] <= '7')
        return MEDIA_PNM;
    if (got == 0)
        fault_set(reader->fault, "%s: is empty", reader->input.name);
    else
        refuse(reader, got);
    return MEDIA_NONE;
}

static const struct reader_ops *choose(int kind)
{
    switch (kind) {
    case MEDIA_Y4M:
        return &y4m_reader;
    case MEDIA_PNM:
        return &pnm_reader;
    case MEDIA_RAW:
        return &raw_reader;
    default:
        return NULL;
    }
}

static bool open_sequence(struct reader *reader)
{
    reader->ops = &images_reader;
    if (reader->request->kind != MEDIA_NONE && reader->request->kind != MEDIA_PNM)
        return fault_set(reader->fault, "%s: a folder or sequence has PNM images, not %s",
                         reader->request->path, media_kind_name(reader->request->kind));
    reader->known = reader->sequence.count;
    return true;
}

static bool open_input(struct reader *reader)
{
    int kind = reader->request->kind;

    if (!input_open(&reader->input, reader->request->path, reader->fault))
        return false;
    if (kind == MEDIA_NONE)
        kind = look(reader);
    reader->ops = choose(kind);
    return reader->ops != NULL;
}

bool reader_open(struct reader *reader, const struct reader_request *request, struct fault *fault)
{
    memset(reader, 0, sizeof(*reader));
    reader->request          = request;
    reader->fault            = fault;
    reader->input.descriptor = -1;
    pthread_mutex_init(&reader->lock, NULL);
    pthread_cond_init(&reader->turn, NULL);
    if (!sequence_find(&reader->sequence, request->path, fault))
        goto close;
    if (!(reader->sequence.count > 0 ? open_sequence(reader) : open_input(reader)))
        goto close;
    if (!reader->ops->open(reader))
        goto close;
    if (request->limit > 0 && reader->known > request->limit)
        reader->known = request->limit;
    return true;

close:
    reader_close(reader);
    return false;
}

void reader_close(struct reader *reader)
{
    input_close(&reader->input);
    sequence_release(&reader->sequence);
    pthread_cond_destroy(&reader->turn);
    pthread_mutex_destroy(&reader->lock);
}

/* ---- reading ---- */

static int locate_next(struct reader *reader, struct frame *frame, struct reader_place *place)
{
    uint64_t limit = reader->request->limit;

    if (reader->ended || interrupt_came() || (limit > 0 && reader->next == limit))
        return READER_END;
    return reader->ops->locate(reader, frame, place);
}

int reader_read(struct reader *reader, uint64_t index, struct frame *frame)
{
    struct reader_place place = {.index = index};
    int answer;

    pthread_mutex_lock(&reader->lock);
    while (!reader->ended && reader->next != index)
        pthread_cond_wait(&reader->turn, &reader->lock);
    answer = locate_next(reader, frame, &place);
    if (answer == READER_FRAME)
        reader->next++;
    else
        reader->ended = true;
    pthread_cond_broadcast(&reader->turn);
    pthread_mutex_unlock(&reader->lock);
    if (answer == READER_FRAME && !place.loaded && !reader->ops->load(reader, frame, &place))
        return READER_FAILED;
    return answer == READER_FRAME ? READER_FRAME : READER_END;
}

/* ---- for the formats ---- */

uint64_t frame_bytes(const struct frame *frame)
{
    uint64_t size = 0;

    for (uint32_t i = 0; i < frame->count; i++)
        size += frame->size[i];
    return size;
}

static int cut_short(const struct reader *reader, const struct reader_place *place, uint64_t got,
                     uint64_t size)
{
    fault_set(reader->fault,
              "%s: cut short: frame %" PRIu64 ", whose samples begin at byte %" PRIu64 ", has %" PRIu64
              " of %" PRIu64 " bytes",
              reader->input.name, place->index, place->offset, got, size);
    return READER_FAILED;
}

/* Shorten the last frame of flat data to the rest of the input. */
static int shorten(const struct reader *reader, struct frame *frame, const struct reader_place *place,
                   uint64_t got)
{
    uint32_t element = trm_type_size(reader->format.type);

    if (got == 0)
        return READER_END;
    if (got % element != 0) {
        fault_set(reader->fault,
                  "%s: cut short: the last of its %s, at byte %" PRIu64 ", has %" PRIu64 " of %u bytes",
                  reader->input.name, trm_type_name(reader->format.type), place->offset + got - got % element,
                  got % element, element);
        frame->size[0] = got - got % element;
        return READER_FAILED;
    }
    frame->size[0] = got;
    return READER_FRAME;
}

/* Handle an input that ends within a frame. */
static int settle(const struct reader *reader, struct frame *frame, const struct reader_place *place,
                  uint64_t got, uint64_t size)
{
    if (interrupt_came())
        return READER_END;
    if (reader->format.flat)
        return shorten(reader, frame, place, got);
    if (got == 0 && reader->format.kind == MEDIA_RAW)
        return READER_END;
    return cut_short(reader, place, got, size);
}

int reader_locate_bytes(struct reader *reader, struct frame *frame, struct reader_place *place)
{
    struct input *input = &reader->input;
    uint64_t size = frame_bytes(frame), got = 0;

    place->offset = input->position;
    if (input->regular) {
        if (!input_left(input, &got, reader->fault))
            return READER_FAILED;
        if (got > size)
            got = size;
        input_skip(input, got);
    } else {
        place->loaded = true;
        for (uint32_t i = 0; i < frame->count; i++) {
            uint64_t piece;

            if (!input_read(input, frame->data[i], frame->size[i], &piece, reader->fault))
                return READER_FAILED;
            got += piece;
            if (piece < frame->size[i])
                break;
        }
    }
    return got == size ? READER_FRAME : settle(reader, frame, place, got, size);
}

bool reader_load_bytes(struct reader *reader, struct frame *frame, const struct reader_place *place)
{
    uint64_t offset = place->offset;

    for (uint32_t i = 0; i < frame->count; i++) {
        if (!input_read_at(&reader->input, offset, frame->data[i], frame->size[i], reader->fault))
            return false;
        offset += frame->size[i];
    }
    return true;
}
