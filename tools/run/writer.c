/* Trireme: writing frames.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/writer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "tools/run/y4m.h"

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

/* ---- the object ---- */

static const struct writer_ops *choose(const struct writer *writer)
{
    switch (writer->format.kind) {
    case MEDIA_Y4M:
        return &y4m_writer;
    case MEDIA_PNM:
        return writer->folder || writer->pattern ? &pnm_sequence_writer : &pnm_writer;
    default:
        return &raw_writer;
    }
}

bool writer_open(struct writer *writer, const char *path, const struct media_format *format,
                 const struct sequence *names, struct fault *fault)
{
    memset(writer, 0, sizeof(*writer));
    writer->outlet.descriptor = -1;
    writer->path              = path;
    writer->format            = *format;
    writer->names             = names;
    writer->fault             = fault;
    writer->folder            = is_folder(path);
    writer->pattern           = !writer->folder && sequence_is_pattern(path);
    writer->ops               = choose(writer);
    if (writer->ops == &pnm_sequence_writer) {
        if (writer->folder && mkdir(path, 0777) != 0 && errno != EEXIST)
            return fault_set(fault, "%s: cannot be made: %s", path, strerror(errno));
    } else if (writer->folder) {
        return fault_set(fault, "%s: is a folder; %s is written to one file", path,
                         media_kind_name(format->kind));
    } else if (!outlet_open(&writer->outlet, path, fault)) {
        return false;
    }
    return writer->ops->open(writer);
}

bool writer_write(struct writer *writer, uint64_t index, const struct frame *frame)
{
    if (!writer->ops->write(writer, index, frame))
        return false;
    writer->frames++;
    return true;
}

bool writer_close(struct writer *writer)
{
    bool well = outlet_close(&writer->outlet, writer->fault);

    free(writer->swapped);
    writer->swapped = NULL;
    return well;
}
