/* Videos for the tests of `trireme run`.
 *
 *     video make COLOURS WIDTH HEIGHT FRAMES [PARAMETERS]
 *         writes a YUV4MPEG2 video with moving shapes and noise to standard output
 *     video compare A B [MARGIN]
 *         prints how much two videos differ: "largest mean", of luma, then of chroma; without MARGIN pixels
 *         at each border
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/output/output.h"
#include "tools/run/media/reader.h"
#include "tools/run/media/y4m.h"

static int failed(struct fault *fault)
{
    fprintf(stderr, "video: %s\n", fault->text);
    return 1;
}

/* ---- making ---- */

static uint32_t noise(uint32_t x, uint32_t y, uint32_t frame)
{
    uint32_t bits = x * 374761393u + y * 668265263u + frame * 2246822519u;

    bits = (bits ^ (bits >> 13)) * 1274126177u;
    return (bits ^ (bits >> 16)) & 0xff;
}

/* 0 to 65535: a slope with a moving square on it, and noise below. */
static uint32_t sample(uint32_t x, uint32_t y, uint32_t plane, uint32_t frame)
{
    uint32_t left = 3 * frame + 5, value;

    if (y % 64 >= 48)
        return noise(x, y, frame + 7 * plane) * 257;
    value = (x * 300 + y * 150 + plane * 9000) % 65536;
    return x >= left && x < left + 20 && y % 64 >= 8 && y % 64 < 28 ? 65535 - value : value;
}

static void write_plane(const struct media_format *format, const struct media_track *track, uint32_t plane,
                        uint32_t frame)
{
    for (uint32_t y = 0; y < track->height; y++) {
        for (uint32_t x = 0; x < track->width; x++) {
            uint32_t value = sample(x, y, plane, frame) * (uint64_t)format->maximum / 65535;

            putchar((int)(value & 0xff));
            if (format->type == TRM_TYPE_U16)
                putchar((int)(value >> 8));
        }
    }
}

static int make(char **arguments, struct fault *fault)
{
    struct media_format format;
    char line[256];

    snprintf(line, sizeof(line), "YUV4MPEG2 W%s H%s F25:1 Ip A1:1 C%s", arguments[1], arguments[2],
             arguments[0]);
    if (!y4m_parse(line, &format, "video", fault))
        return failed(fault);
    printf("%s\n", line);
    for (uint32_t frame = 0; frame < strtoul(arguments[3], NULL, 10); frame++) {
        uint32_t plane = 0;

        printf("FRAME%s%s\n", arguments[4] ? " " : "", arguments[4] ? arguments[4] : "");
        for (uint32_t i = 0; i < format.track_count; i++)
            for (uint32_t p = 0; p < format.tracks[i].planes; p++)
                write_plane(&format, &format.tracks[i], plane++, frame);
    }
    return fflush(stdout) == 0 ? 0 : 1;
}

/* ---- comparing ---- */

struct video {
    struct reader_request request;
    struct reader reader;
    void *data[MEDIA_TRACKS];
    uint64_t size[MEDIA_TRACKS];
    struct frame frame;
};

struct difference {
    uint32_t largest;
    uint64_t sum;
    uint64_t count;
};

static bool open_video(struct video *video, const char *path, struct fault *fault)
{
    memset(video, 0, sizeof(*video));
    video->request.path = path;
    if (!reader_open(&video->reader, &video->request, fault))
        return false;
    for (uint32_t i = 0; i < video->reader.format.track_count; i++) {
        video->size[i] = media_track_bytes(&video->reader.format, &video->reader.format.tracks[i]);
        video->data[i] = output_allocate(video->size[i], 1);
    }
    video->frame = (struct frame){video->data, video->size, video->reader.format.track_count, NULL};
    return true;
}

static void close_video(struct video *video)
{
    for (uint32_t i = 0; i < video->frame.count; i++)
        free(video->data[i]);
    reader_close(&video->reader);
}

static uint32_t value_at(const void *samples, int32_t type, uint64_t at)
{
    return type == TRM_TYPE_U8 ? ((const uint8_t *)samples)[at] : ((const uint16_t *)samples)[at];
}

static void compare_track(const struct video *one, const struct video *other, uint32_t index, uint32_t margin,
                          struct difference *difference)
{
    const struct media_track *track = &one->reader.format.tracks[index];
    int32_t type                    = one->reader.format.type;

    for (uint32_t row = 0; row < track->height * track->planes; row++) {
        uint32_t y = row % track->height;

        for (uint32_t x = margin; y >= margin && y + margin < track->height && x + margin < track->width;
             x++) {
            uint64_t at = (uint64_t)row * track->width + x;
            int64_t apart =
                (int64_t)value_at(one->data[index], type, at) - value_at(other->data[index], type, at);

            apart = apart < 0 ? -apart : apart;
            if (apart > difference->largest)
                difference->largest = (uint32_t)apart;
            difference->sum += (uint64_t)apart;
            difference->count++;
        }
    }
}

static int compare_videos(struct video *one, struct video *other, uint32_t margin, struct fault *fault)
{
    struct difference luma = {0}, chroma = {0};
    uint64_t frame;

    if (one->reader.format.type != other->reader.format.type ||
        media_frame_bytes(&one->reader.format) != media_frame_bytes(&other->reader.format)) {
        fault_set(fault, "the videos have frames of different sizes");
        return failed(fault);
    }
    for (frame = 0;; frame++) {
        int first = reader_read(&one->reader, frame, &one->frame);

        if (reader_read(&other->reader, frame, &other->frame) != first)
            fault_set(fault, "one video is longer");
        if (first != READER_FRAME || fault_is_set(fault))
            break;
        for (uint32_t i = 0; i < one->frame.count; i++)
            compare_track(one, other, i, margin, i == 0 ? &luma : &chroma);
    }
    if (fault_is_set(fault) || frame == 0)
        return failed(fault);
    printf("%" PRIu32 " %.4f %" PRIu32 " %.4f\n", luma.largest, (double)luma.sum / (double)luma.count,
           chroma.largest, chroma.count ? (double)chroma.sum / (double)chroma.count : 0.0);
    return 0;
}

static int compare(char **arguments, struct fault *fault)
{
    struct video one, other;
    int status = 1;

    if (!open_video(&one, arguments[0], fault))
        return failed(fault);
    if (open_video(&other, arguments[1], fault)) {
        status =
            compare_videos(&one, &other, arguments[2] ? (uint32_t)strtoul(arguments[2], NULL, 10) : 0, fault);
        close_video(&other);
    } else {
        failed(fault);
    }
    close_video(&one);
    return status;
}

int main(int argc, char **argv)
{
    struct fault fault;

    fault_init(&fault);
    if (argc >= 6 && argc <= 7 && strcmp(argv[1], "make") == 0)
        return make(argv + 2, &fault);
    if (argc >= 4 && argc <= 5 && strcmp(argv[1], "compare") == 0)
        return compare(argv + 2, &fault);
    fprintf(stderr, "video make COLOURS WIDTH HEIGHT FRAMES [PARAMETERS] | video compare A B [MARGIN]\n");
    return 2;
}
