/* Trireme: PGM and PPM: gray and RGB images, one or more in a file.
 *
 * An image is "P6 640 480 255\n" and its samples, row after row. White space and comments (from '#' to the
 * end of the line) may separate the numbers. Samples above 255 take two bytes, the higher one first. See
 * pgm(5), ppm(5).
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_MEDIA_PNM_H
#define TRIREME_TOOLS_RUN_MEDIA_PNM_H

#include "tools/run/file/file.h"
#include "tools/run/media/format.h"

enum pnm_answer {
    PNM_READ = 0,
    PNM_END, /* there are no more images */
    PNM_BAD, /* the fault says what is wrong */
};

/* Read the header of the next image, and fill in kind, type, maximum, size and track. The samples follow. */
int pnm_take_header(struct input *input, struct media_format *format, struct fault *fault);

/* Check that an input ends behind its only image; white space and comments may follow. */
bool pnm_take_end(struct input *input, struct fault *fault);

/* Swap the bytes of 16-bit samples; `to` may be `from`. */
void pnm_swap(void *to, const void *from, uint64_t bytes);

#endif
