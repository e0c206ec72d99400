/* Trireme: PGM and PPM: gray and RGB images, alone or one after the other in a file.
 *
 * "P6 640 480 255\n" and the samples, row after row; white space and comments (from '#' to the end of the line) may stand
 * between the numbers. Samples above 255 take two bytes, the higher one first. See pgm(5), ppm(5).
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_TOOLS_RUN_PNM_H
#define TRIREME_TOOLS_RUN_PNM_H

#include "tools/run/input.h"
#include "tools/run/media.h"

enum pnm_answer {
    PNM_READ = 0,
    PNM_END, /* there is no further image */
    PNM_BAD, /* the fault says what is wrong */
};

/* Take the header of the next image: the input stands at its samples then. Fills in kind, type, maximum, size and track. */
int pnm_take_header(struct input *input, struct media_format *format, struct fault *fault);

/* Turn the bytes of 16-bit samples around, from one place to another or in place. */
void pnm_swap(void *to, const void *from, uint64_t bytes);

#endif
