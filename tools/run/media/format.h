/* Trireme: the format of frames: tracks of planes of samples.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_MEDIA_FORMAT_H
#define TRIREME_TOOLS_RUN_MEDIA_FORMAT_H

#include <stdbool.h>
#include <stdint.h>
#include <trireme/type.h>

#include "tools/run/file/file.h"

enum media_kind {
    MEDIA_NONE = 0, /* not known yet */
    MEDIA_Y4M  = 1,
    MEDIA_PNM  = 2,
    MEDIA_RAW  = 3,
};

enum media_role {
    MEDIA_DATA   = 0, /* the only track */
    MEDIA_LUMA   = 1,
    MEDIA_CHROMA = 2,
    MEDIA_ALPHA  = 3,
};

enum {
    MEDIA_TRACKS = 4,    /* of a frame at most */
    MEDIA_HEADER = 4096, /* bytes of a header line at most */
    MEDIA_COLOUR = 32,
};

/* Planes of the same size and meaning that are adjacent in a frame. */
struct media_track {
    int role;          /* enum media_role */
    uint32_t width;    /* pixels; flat data: elements, with a height of 1 */
    uint32_t height;   /* pixels */
    uint32_t channels; /* samples of a pixel, side by side */
    uint32_t planes;
};

struct media_format {
    int kind;         /* enum media_kind */
    int32_t type;     /* enum trm_type of a sample */
    uint32_t maximum; /* the sample that represents 1; 0: samples are plain numbers */
    bool flat;        /* data without a size: the last frame may be shorter */
    uint32_t width;   /* of a frame; flat data: elements, with a height of 1 */
    uint32_t height;
    uint32_t chroma_x; /* pixels in x and y for each chroma sample; 0: no chroma */
    uint32_t chroma_y;
    uint32_t track_count;
    struct media_track tracks[MEDIA_TRACKS];
    char header[MEDIA_HEADER];   /* y4m: the first line without its line end; "" if there was none */
    char colour[MEDIA_COLOUR];   /* y4m: without the C */
    uint32_t rate, rate_divisor; /* if there is no header */
};

uint64_t media_track_samples(const struct media_track *track);
uint64_t media_track_bytes(const struct media_format *format, const struct media_track *track);
uint64_t media_frame_bytes(const struct media_format *format);

/* Fill in the tracks of video: luma, chroma by chroma_x and chroma_y, alpha. */
void media_video_tracks(struct media_format *format, bool alpha);

/* Fill in a single track of interleaved pixels. */
void media_pixel_track(struct media_format *format, uint32_t channels);

/* Check that kernels can count the samples of a frame. The fault names the file `name`. */
bool media_check_size(const struct media_format *format, const char *name, struct fault *fault);

const char *media_kind_name(int kind);
const char *media_role_name(int role);

/* "1280x720 420jpeg, 8 bit", for messages. */
void media_describe(const struct media_format *format, char *text, size_t capacity);

#endif
