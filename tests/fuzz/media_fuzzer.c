/* A fuzz target: frames as `trireme run` reads and writes them. The first line of an input has a byte of
 * options and a number of bytes for a batch, the rest is the file.
 *
 * For any bytes: a file and a pipe give the same frames, or the same failure; a file that is read without a
 * failure is read to its end; and the frames that were read are written so that they are read again.
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tools/output/output.h"
#include "tools/run/media/reader.h"
#include "tools/run/media/writer.h"

enum {
    LARGEST     = 1 << 17, /* bytes of a frame: an input has less */
    MOST_FRAMES = 1 << 15,
};

enum {
    OPTION_RAW    = 1,
    OPTION_IMAGES = 2, /* numbers in images */
    OPTION_LIMIT  = 4,
    OPTION_FOLDER = 8, /* the file is an image of a folder */
};

/* What one reading gave. */
struct result {
    bool opened;
    uint64_t frames;
    uint64_t digest;   /* of samples, sizes and notes */
    uint64_t position; /* where the input ended */
    struct media_format format;
    char text[FAULT_TEXT];
};

static uint64_t add_bytes(uint64_t digest, const void *bytes, uint64_t size)
{
    const unsigned char *from = bytes;

    for (uint64_t i = 0; i < size; i++)
        digest = (digest ^ from[i]) * UINT64_C(0x100000001b3);
    return digest * UINT64_C(0x9e3779b97f4a7c15) + size;
}

/* ---- the memory of a frame ---- */

struct memory {
    unsigned char *bytes;
    void *data[MEDIA_TRACKS];
    uint64_t size[MEDIA_TRACKS];
    char *note;
    struct frame frame;
};

static void lay_out(struct memory *memory, const struct media_format *format)
{
    uint64_t used = 0;

    for (uint32_t i = 0; i < format->track_count; i++) {
        memory->data[i] = memory->bytes + used;
        memory->size[i] = media_track_bytes(format, &format->tracks[i]);
        used += memory->size[i];
    }
    memory->frame = (struct frame){memory->data, memory->size, format->track_count, &memory->note};
}

/* ---- reading ---- */

/* Passes a frame on; NULL: nothing. */
static void write_frame(struct writer *writer, struct memory *memory)
{
    struct writer_place place;

    if (writer &&
        (!writer_reserve(writer, &memory->frame, &place) || !writer_write(writer, &place, &memory->frame)))
        fuzz_fail("a frame was not written: %s", writer->fault->text);
}

static void read_frames(struct reader *reader, struct writer *writer, struct result *result)
{
    struct memory memory = {.bytes = output_allocate(LARGEST, 1)};
    int answer           = READER_FRAME;

    while (answer == READER_FRAME) {
        lay_out(&memory, &reader->format);
        answer = reader_read(reader, result->frames, &memory.frame);
        if (answer != READER_FRAME)
            break;
        for (uint32_t i = 0; i < memory.frame.count; i++)
            result->digest = add_bytes(result->digest, memory.data[i], memory.size[i]);
        if (memory.note)
            result->digest = add_bytes(result->digest, memory.note, strlen(memory.note));
        write_frame(writer, &memory);
        if (++result->frames > MOST_FRAMES)
            fuzz_fail("more frames than bytes");
    }
    free(memory.note);
    free(memory.bytes);
    if (answer == READER_FAILED && !fault_is_set(reader->fault))
        fuzz_fail("a frame failed without a word");
}

/* With a path for the output, its frames are written there. False: frames are larger than any input. */
static bool read_all(const struct reader_request *request, const char *output, struct result *result)
{
    struct reader reader;
    struct writer writer;
    struct claims claims;
    struct fault fault;
    bool fits = true;

    memset(result, 0, sizeof(*result));
    fault_init(&fault);
    claims_init(&claims);
    result->opened = reader_open(&reader, request, &fault);
    if (result->opened == fault_is_set(&fault))
        fuzz_fail("opened: %d, with the failure \"%s\"", result->opened, fault.text);
    if (result->opened) {
        result->format = reader.format;
        fits           = media_frame_bytes(&reader.format) <= LARGEST;
        if (output && !writer_open(&writer, output, &reader.format, &reader.sequence, &claims, &fault))
            fuzz_fail("the output was not opened: %s", fault.text);
        if (fits)
            read_frames(&reader, output ? &writer : NULL, result);
        if (output && fits && !writer_finish(&writer))
            fuzz_fail("the output was not finished: %s", fault.text);
        result->position = reader.input.position;
        if (output)
            writer_close(&writer);
        reader_close(&reader);
    }
    strcpy(result->text, fault.text);
    claims_fini(&claims);
    fault_fini(&fault);
    return fits;
}

/* ---- the same bytes as a file and as a pipe ---- */

static void write_input(const char *path, const uint8_t *bytes, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    if (file < 0 || write(file, bytes, size) != (ssize_t)size || close(file) != 0)
        fuzz_fail("%s cannot be written", path);
}

static bool read_from_pipe(const struct reader_request *request, const uint8_t *bytes, size_t size,
                           struct result *result)
{
    struct reader_request from = *request;
    char path[40];
    int ends[2];
    bool fits;

    if (pipe2(ends, O_CLOEXEC) != 0 || write(ends[1], bytes, size) != (ssize_t)size)
        fuzz_fail("no pipe of %zu bytes", size);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
    close(ends[1]);
    from.path = path;
    fits      = read_all(&from, NULL, result);
    close(ends[0]);
    return fits;
}

static void compare(const struct result *one, const struct result *other, const char *what)
{
    if (one->opened != other->opened || one->frames != other->frames || one->digest != other->digest ||
        (one->text[0] != '\0') != (other->text[0] != '\0'))
        fuzz_fail("%s: %" PRIu64 " frames and \"%s\", then %" PRIu64 " and \"%s\"", what, one->frames,
                  one->text, other->frames, other->text);
}

/* What was read without a failure is written, and read again. */
static void read_again(const struct reader_request *request, const struct result *result)
{
    struct reader_request again = *request;
    struct result second, third;

    if (result->frames == 0 && result->format.kind != MEDIA_Y4M)
        return; /* no file is made of no images */
    read_all(request, "output", &second);
    again.path = "output";
    read_all(&again, NULL, &third);
    compare(result, &second, "read and written");
    compare(result, &third, "written and read");
}

/* In a folder, a file has one image or is refused: nothing of it is dropped. */
static void try_folder(const uint8_t *bytes, size_t size)
{
    struct reader_request folder = {.path = "folder"};
    struct reader_request file   = {.path = "folder/image.ppm", .kind = MEDIA_PNM};
    struct result one, all;

    mkdir("folder", 0777);
    write_input("folder/image.ppm", bytes, size);
    if (!read_all(&folder, NULL, &one) || one.text[0] != '\0')
        return;
    read_all(&file, NULL, &all);
    if (one.frames != 1)
        fuzz_fail("a file of a folder gave %" PRIu64 " images", one.frames);
    compare(&all, &one, "as a file and in a folder");
}

static void try_file(const struct reader_request *request, const uint8_t *bytes, size_t size)
{
    struct result file, pipe;

    write_input("input", bytes, size);
    if (!read_all(request, NULL, &file) || !read_from_pipe(request, bytes, size, &pipe))
        return;
    compare(&file, &pipe, "as a file and as a pipe");
    if (file.text[0] != '\0')
        return;
    if (request->limit == 0 && file.position != size)
        fuzz_fail("read to byte %" PRIu64 " of %zu without a failure", file.position, size);
    read_again(request, &file);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const int32_t types[]  = {TRM_TYPE_F32, TRM_TYPE_F16, TRM_TYPE_U8, TRM_TYPE_U16};
    struct fuzz_input input       = {bytes, size};
    struct reader_request request = {.path = "input"};
    uint8_t options               = fuzz_take_byte(&input);
    uint8_t number                = fuzz_take_byte(&input);

    if (input.left > 60000) /* a pipe holds 64 KiB */
        return 0;
    if (options & OPTION_RAW) {
        request.kind  = MEDIA_RAW;
        request.type  = types[number % 4];
        request.batch = 8 * (1 + (uint64_t)(number / 4));
    }
    if ((options & OPTION_RAW) && (options & OPTION_IMAGES)) {
        request.width    = 1 + number % 16;
        request.height   = 1 + number / 16;
        request.channels = 1;
    }
    if (options & OPTION_LIMIT)
        request.limit = 1 + number % 3;
    if (options & OPTION_FOLDER)
        try_folder(input.bytes, input.left);
    else
        try_file(&request, input.bytes, input.left);
    return 0;
}
