/* Trireme: writing frames.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/media/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/run/media/y4m.h"

struct ending {
    const char *text;
    int kind;
};

static const struct ending endings[] = {
    {".y4m", MEDIA_Y4M}, {".ppm", MEDIA_PNM},  {".pgm", MEDIA_PNM}, {".pnm", MEDIA_PNM}, {".raw", MEDIA_RAW},
    {".bin", MEDIA_RAW}, {".f32", MEDIA_RAW},  {".f16", MEDIA_RAW}, {".u8", MEDIA_RAW},  {".u16", MEDIA_RAW},
    {".yuv", MEDIA_RAW}, {".gray", MEDIA_RAW}, {".rgb", MEDIA_RAW},
};

static bool is_folder(const char *path)
{
    struct stat state;
    size_t length = strlen(path);

    return (length > 0 && path[length - 1] == '/') || (stat(path, &state) == 0 && S_ISDIR(state.st_mode));
}

int writer_kind(const char *path)
{
    const char *dot = strrchr(path, '.');

    if (is_folder(path))
        return MEDIA_PNM;
    for (size_t i = 0; dot && i < sizeof(endings) / sizeof(endings[0]); i++)
        if (strcasecmp(dot, endings[i].text) == 0)
            return endings[i].kind;
    return MEDIA_NONE;
}

bool writer_is_compressed(const char *path)
{
    static const char *const names[] = {".mp4", ".m4v", ".mkv", ".webm", ".avi",  ".mov",
                                        ".png", ".jpg", ".gif", ".jpeg", ".webp", ".tiff"};
    const char *dot                  = strrchr(path, '.');

    if (!dot || is_folder(path))
        return false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcasecmp(dot, names[i]) == 0)
            return true;
    return false;
}

/* ---- formats and the frames that they can hold ---- */

static bool refuse(const struct media_format *from, const char *what, const char *path, struct fault *fault)
{
    char text[128];

    media_describe(from, text, sizeof(text));
    return fault_set(fault, "%s: %s cannot be written as %s", path, text, what);
}

static bool as_y4m(struct media_format *format, const char *path, struct fault *fault)
{
    const struct media_format from = *format;

    if (from.kind == MEDIA_Y4M)
        return true;
    if (from.flat || from.maximum == 0 || !y4m_colour(&from, format->colour))
        return refuse(&from, "y4m; '-k rgb_to_yuv:planar=1,range=1' makes video of colour images", path,
                      fault);
    format->header[0] = '\0';
    return true;
}

static bool ends_in_pgm(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot && !is_folder(path) && strcasecmp(dot, ".pgm") == 0;
}

static bool as_pnm(struct media_format *format, const char *path, struct fault *fault)
{
    const struct media_track *track = &format->tracks[0];

    if (format->flat || format->track_count != 1 || track->planes != 1 ||
        (track->channels != 1 && track->channels != 3) ||
        (format->type != TRM_TYPE_U8 && format->type != TRM_TYPE_U16))
        return refuse(format,
                      "pnm, which holds gray and RGB; colour video stays y4m, or becomes pnm through ffmpeg",
                      path, fault);
    if (track->channels == 3 && ends_in_pgm(path))
        return refuse(format, "pgm, which holds gray: add -k gray, or name it .ppm", path, fault);
    if (format->maximum == 0)
        format->maximum = format->type == TRM_TYPE_U8 ? 255 : 65535;
    return true;
}

bool writer_format(const struct media_format *from, int kind, struct media_format *format, const char *path,
                   struct fault *fault)
{
    bool well = true;

    *format = *from;
    if (kind == MEDIA_Y4M)
        well = as_y4m(format, path, fault);
    else if (kind == MEDIA_PNM)
        well = as_pnm(format, path, fault);
    format->kind = kind;
    return well;
}

/* ---- opening ---- */

static const struct writer_ops *choose(int kind)
{
    switch (kind) {
    case MEDIA_Y4M:
        return &y4m_writer;
    case MEDIA_PNM:
        return &pnm_writer;
    default:
        return &raw_writer;
    }
}

static bool make_folder(struct writer *writer)
{
    if (mkdir(writer->path, 0777) == 0)
        writer->folder_made = true;
    else if (errno != EEXIST)
        return fault_set(writer->fault, "%s: cannot be made: %s", writer->path, strerror(errno));
    return access(writer->path, W_OK | X_OK) == 0 ||
           fault_set(writer->fault, "%s: cannot be written: %s", writer->path, strerror(errno));
}

static bool open_output(struct writer *writer)
{
    if (writer->images)
        return !writer->folder || make_folder(writer);
    if (writer->folder)
        return fault_set(writer->fault, "%s: is a folder; %s is written to one file", writer->path,
                         media_kind_name(writer->format.kind));
    if (strcmp(writer->path, "-") == 0 && isatty(STDOUT_FILENO))
        return fault_set(writer->fault, "standard output is a terminal: frames are not written there");
    return outlet_open(&writer->outlet, writer->path, CLAIM_OUTPUT, writer->claims, writer->fault);
}

bool writer_open(struct writer *writer, const char *path, const struct media_format *format,
                 const struct sequence *names, struct claims *claims, struct fault *fault)
{
    memset(writer, 0, sizeof(*writer));
    pthread_mutex_init(&writer->lock, NULL);
    writer->outlet.descriptor = -1;
    writer->path              = path;
    writer->format            = *format;
    writer->names             = names;
    writer->claims            = claims;
    writer->fault             = fault;
    writer->folder            = is_folder(path);
    writer->pattern           = !writer->folder && sequence_is_pattern(path);
    writer->ops               = choose(format->kind);
    writer->images            = format->kind == MEDIA_PNM && (writer->folder || writer->pattern);
    if (!open_output(writer)) {
        writer_close(writer);
        return false;
    }
    writer->parallel = writer->images || writer->outlet.regular;
    return true;
}

/* ---- writing ---- */

bool writer_put(struct writer_target *target, const void *data, uint64_t size)
{
    bool well = target->at_offset ? outlet_write_at(target->outlet, target->offset, data, size, target->fault)
                                  : outlet_write(target->outlet, data, size, target->fault);

    target->offset += size;
    return well;
}

/* Discard what a file held, and write what comes before the first frame. */
static bool begin(struct writer *writer)
{
    struct writer_target target = {&writer->outlet, 0, false, writer->fault};

    if (writer->images || writer->outlet.begun)
        return true;
    if (!outlet_begin(&writer->outlet, writer->fault) ||
        (writer->ops->begin && !writer->ops->begin(writer, &target)))
        return false;
    writer->end = target.offset;
    outlet_keep(&writer->outlet, writer->end);
    return true;
}

bool writer_reserve(struct writer *writer, const struct frame *frame, struct writer_place *place)
{
    if (!begin(writer))
        return false;
    place->index  = writer->reserved;
    place->offset = writer->end;
    writer->end += writer->ops->size(writer, frame);

    pthread_mutex_lock(&writer->lock);
    writer->places[place->index % WRITER_PLACES].written = false;
    writer->places[place->index % WRITER_PLACES].made    = false;
    writer->places[place->index % WRITER_PLACES].end     = writer->end;
    writer->reserved++;
    pthread_mutex_unlock(&writer->lock);
    return true;
}

/* Count a frame, and those behind it that were waiting for it. */
static void note_written(struct writer *writer, uint64_t index, bool made)
{
    pthread_mutex_lock(&writer->lock);
    writer->places[index % WRITER_PLACES].written = true;
    writer->places[index % WRITER_PLACES].made    = made;
    while (writer->frames < writer->reserved && writer->places[writer->frames % WRITER_PLACES].written) {
        outlet_keep(&writer->outlet, writer->places[writer->frames % WRITER_PLACES].end);
        writer->frames++;
    }
    pthread_mutex_unlock(&writer->lock);
}

static bool write_file(struct writer *writer, const struct writer_place *place, const struct frame *frame)
{
    struct writer_target target = {&writer->outlet, place->offset, writer->parallel, writer->fault};

    if (!writer->ops->write(writer, &target, frame))
        return false;
    note_written(writer, place->index, false);
    return true;
}

static bool write_image(struct writer *writer, const struct writer_place *place, const struct frame *frame)
{
    struct outlet outlet;
    struct writer_target target = {&outlet, 0, false, writer->fault};
    char *path                  = images_path(writer, place->index);
    bool well                   = outlet_open(&outlet, path, CLAIM_OUTPUT, writer->claims, writer->fault);

    if (well) {
        well = writer->ops->write(writer, &target, frame);
        if (!outlet_close(&outlet, writer->fault))
            well = false;
        if (well)
            note_written(writer, place->index, outlet.made);
        else if (outlet.made)
            unlink(path);
    }
    free(path);
    return well;
}

bool writer_write(struct writer *writer, const struct writer_place *place, const struct frame *frame)
{
    return writer->images ? write_image(writer, place, frame) : write_file(writer, place, frame);
}

uint64_t writer_frames(struct writer *writer)
{
    uint64_t frames;

    pthread_mutex_lock(&writer->lock);
    frames = writer->frames;
    pthread_mutex_unlock(&writer->lock);
    return frames;
}

/* ---- closing ---- */

bool writer_finish(struct writer *writer)
{
    return begin(writer);
}

/* After a failure, images behind the missing one are no part of the output. */
static void remove_later(struct writer *writer)
{
    for (uint64_t i = writer->frames; i < writer->reserved; i++) {
        char *path;

        if (!writer->places[i % WRITER_PLACES].made)
            continue;
        path = images_path(writer, i);
        unlink(path);
        free(path);
    }
    if (writer->folder_made && writer->frames == 0)
        rmdir(writer->path);
}

bool writer_close(struct writer *writer)
{
    bool well;

    if (!writer->ops)
        return true;
    well = outlet_close(&writer->outlet, writer->fault);
    if (writer->images && fault_is_set(writer->fault))
        remove_later(writer);
    pthread_mutex_destroy(&writer->lock);
    writer->ops = NULL;
    return well;
}
