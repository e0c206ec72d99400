/* Trireme: YUV4MPEG2, the uncompressed video of mjpegtools, ffmpeg, x264 and others.
 *
 * "YUV4MPEG2 W1280 H720 F30:1 Ip A1:1 C420jpeg XYSCSS=420JPEG" is a first line; then every frame is a line "FRAME", which may
 * have parameters too, and its planes. Samples of more than 8 bits take two bytes, the lower one first. See yuv4mpeg(5).
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_Y4M_H
#define TRIREME_TOOLS_RUN_Y4M_H

#include <stddef.h>

#include "tools/run/media.h"

/* Understand a first line (without its end). Says what is wrong with it, after `name` of the file. */
bool y4m_parse(const char *line, struct media_format *format, const char *name, struct fault *fault);

/* The first line (with its end) for a format: as it was read, but for size and colours. False: too long. */
bool y4m_print(const struct media_format *format, char *line, size_t capacity);

/* The colours that a format other than y4m has there ("mono", "444p10"). False: it has none. */
bool y4m_colour(const struct media_format *format, char colour[MEDIA_COLOUR]);

#endif
