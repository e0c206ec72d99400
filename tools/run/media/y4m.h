/* Trireme: YUV4MPEG2, the uncompressed video of mjpegtools, ffmpeg, x264 and others.
 *
 * The first line is like "YUV4MPEG2 W1280 H720 F30:1 Ip A1:1 C420jpeg XYSCSS=420JPEG". Every frame is a line
 * "FRAME", which may have parameters too, and its planes. Samples of more than 8 bits are 16-bit
 * little-endian. See yuv4mpeg(5).
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_MEDIA_Y4M_H
#define TRIREME_TOOLS_RUN_MEDIA_Y4M_H

#include <stddef.h>

#include "tools/run/media/format.h"

/* Parse a first line (without line end). The fault names the file `name`. */
bool y4m_parse(const char *line, struct media_format *format, const char *name, struct fault *fault);

/* Format the first line (with line end): that of the input, with the size and colours of `format`. False: too
 * long. */
bool y4m_print(const struct media_format *format, char *line, size_t capacity);

/* The y4m colours ("mono", "444p10") for a format other than y4m. False: there are none. */
bool y4m_colour(const struct media_format *format, char colour[MEDIA_COLOUR]);

#endif
