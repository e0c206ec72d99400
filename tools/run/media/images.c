/* Trireme: PGM and PPM: images with a file each, in a folder or numbered.
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output/output.h"
#include "tools/run/media/pnm.h"
#include "tools/run/media/reader.h"
#include "tools/run/media/writer.h"

/* ---- reading ---- */

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

static int locate(struct reader *reader, struct frame *frame, struct reader_place *place)
{
    (void)frame;
    return place->index < reader->sequence.count ? READER_FRAME : READER_END;
}

static bool load_image(struct reader *reader, struct input *input, struct frame *frame, uint64_t index)
{
    struct media_format image;

    if (!take_only_header(input, &image, reader->fault) || !pnm_is_alike(reader, &image, input->name, index))
        return false;
    for (uint32_t i = 0; i < frame->count; i++) {
        uint64_t got;

        if (!input_read(input, frame->data[i], frame->size[i], &got, reader->fault))
            return false;
        if (got < frame->size[i])
            return fault_set(reader->fault, "%s: cut short: frame %" PRIu64 " ends at byte %" PRIu64,
                             input->name, index, input->position);
    }
    if (!pnm_take_end(input, reader->fault))
        return false;
    pnm_swap_frame(reader, frame);
    return true;
}

static bool load(struct reader *reader, struct frame *frame, const struct reader_place *place)
{
    struct input input;
    bool well;

    if (!input_open(&input, reader->sequence.paths[place->index], reader->fault))
        return false;
    well = load_image(reader, &input, frame, place->index);
    input_close(&input);
    return well;
}

const struct reader_ops images_reader = {
    .open   = open_sequence,
    .locate = locate,
    .load   = load,
};

/* ---- the files that are written ---- */

/* The name of the input file without its ending, or "frame000001". The caller frees it. */
static char *stem_of(const struct sequence *names, uint64_t index)
{
    const char *slash;
    char number[40];
    char *stem;

    if (index >= names->count) {
        snprintf(number, sizeof(number), "frame%06" PRIu64, index + 1);
        return output_copy(number);
    }
    slash = strrchr(names->paths[index], '/');
    stem  = output_copy(slash ? slash + 1 : names->paths[index]);

    char *dot = strrchr(stem, '.');
    if (dot)
        *dot = '\0';
    return stem;
}

/* Numbered like the input, or from 1 on; in a folder, with the name of the input file. */
char *images_path(const struct writer *writer, uint64_t index)
{
    const struct sequence *names = writer->names;
    const char *ending           = writer->format.tracks[0].channels == 1 ? ".pgm" : ".ppm";
    const char *slash            = writer->path[strlen(writer->path) - 1] == '/' ? "" : "/";
    char *stem, *path;
    size_t length;

    if (!writer->folder)
        return sequence_path(writer->path, index + (names->count > 0 ? names->first : 1));
    stem   = stem_of(names, index);
    length = strlen(writer->path) + strlen(stem) + 8;
    path   = output_allocate(length, 1);
    snprintf(path, length, "%s%s%s%s", writer->path, slash, stem, ending);
    free(stem);
    return path;
}

static int compare_paths(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Two files of the input that differ in their endings alone would become one. */
static bool check_distinct(char **paths, uint64_t count, struct fault *fault)
{
    qsort(paths, count, sizeof(*paths), compare_paths);
    for (uint64_t i = 1; i < count; i++)
        if (strcmp(paths[i - 1], paths[i]) == 0)
            return fault_set(fault,
                             "%s: two images of the input would be written to it, because their names differ "
                             "in the ending alone; number the output instead, such as frame%%04d.ppm",
                             paths[i]);
    return true;
}

bool images_check(const struct writer *writer, uint64_t count)
{
    char **paths = output_allocate(count, sizeof(*paths));
    bool well    = true;

    for (uint64_t i = 0; i < count && well; i++) {
        paths[i] = images_path(writer, i);
        well     = claims_write_path(writer->claims, paths[i], CLAIM_OUTPUT, writer->fault);
    }
    if (well && writer->folder)
        well = check_distinct(paths, count, writer->fault);
    for (uint64_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
    return well;
}
