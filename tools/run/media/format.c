/* Trireme: the format of frames.
 * SPDX-License-Identifier: MIT
 */
#include "tools/run/media/format.h"

#include <stdio.h>
#include <string.h>

uint64_t media_track_samples(const struct media_track *track)
{
    return (uint64_t)track->width * track->height * track->channels * track->planes;
}

uint64_t media_track_bytes(const struct media_format *format, const struct media_track *track)
{
    return media_track_samples(track) * trm_type_size(format->type);
}

uint64_t media_frame_bytes(const struct media_format *format)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < format->track_count; i++)
        bytes += media_track_bytes(format, &format->tracks[i]);
    return bytes;
}

static void add_track(struct media_format *format, struct media_track track)
{
    format->tracks[format->track_count++] = track;
}

void media_video_tracks(struct media_format *format, bool alpha)
{
    uint32_t width = format->width, height = format->height;
    uint32_t x = format->chroma_x, y = format->chroma_y;

    format->track_count = 0;
    add_track(format, (struct media_track){MEDIA_LUMA, width, height, 1, 1});
    /* ⌈width / x⌉ without overflow; both are at least 1. */
    if (x > 0)
        add_track(format,
                  (struct media_track){MEDIA_CHROMA, (width - 1) / x + 1, (height - 1) / y + 1, 1, 2});
    if (alpha)
        add_track(format, (struct media_track){MEDIA_ALPHA, width, height, 1, 1});
}

void media_pixel_track(struct media_format *format, uint32_t channels)
{
    format->track_count = 0;
    add_track(format, (struct media_track){MEDIA_DATA, format->width, format->height, channels, 1});
}

/* Kernels count with 32 bits, some of them signed, and floats take four bytes a sample. */
bool media_check_size(const struct media_format *format, const char *name, struct fault *fault)
{
    const uint64_t most = UINT32_C(1) << 29;

    for (uint32_t i = 0; i < format->track_count; i++) {
        const struct media_track *track = &format->tracks[i];

        if ((uint64_t)track->width * track->height > most || media_track_samples(track) > most)
            return fault_set(fault, "%s: frames of %ux%u are too large: at most 2^29 samples", name,
                             format->width, format->height);
    }
    return true;
}

const char *media_kind_name(int kind)
{
    static const char *const names[] = {"none", "y4m", "pnm", "raw"};

    return names[kind];
}

const char *media_role_name(int role)
{
    static const char *const names[] = {"data", "luma", "chroma", "alpha"};

    return names[role];
}

void media_describe(const struct media_format *format, char *text, size_t capacity)
{
    if (format->flat)
        snprintf(text, capacity, "%s data", trm_type_name(format->type));
    else if (format->kind == MEDIA_Y4M)
        snprintf(text, capacity, "%ux%u %s video", format->width, format->height, format->colour);
    else
        snprintf(text, capacity, "%ux%u images of %u channel%s, %s", format->width, format->height,
                 format->tracks[0].channels, format->tracks[0].channels == 1 ? "" : "s",
                 trm_type_name(format->type));
}
