/* Three neighbours in a row, for kernels of 3 x 3.
 *
 * Before it: `source`, a buffer of floats; the constants `channels` (samples of a pixel, side by side) and
 * `border` (what is outside of the image: 0 the nearest pixel, 1 zero).
 * SPDX-License-Identifier: MIT
 */

/* The samples left of, at and right of sample x of the row that begins at `row` and has so many samples. */
vec3 window_row(uint row, uint x, uint samples)
{
    float middle = source[row + x];
    float beyond = border == 0 ? middle : 0.0;
    float left = beyond;
    if (x >= channels)
        left = source[row + x - channels];
    float right = beyond;
    if (x + channels < samples)
        right = source[row + x + channels];
    return vec3(left, middle, right);
}

/* The samples left of, at and right of sample x in the rows above, at and below row y of an image. The image
 * begins at row number `rows` of all. */
void window(uint rows, uint x, uint y, uint samples, uint height, out vec3 above, out vec3 at, out vec3 below)
{
    const bool first = y == 0, last = y + 1 == height;
    const uint previous = y - 1, next = y + 1;
    const uint y_above = first ? y : previous, y_below = last ? y : next;
    const bool zero = border != 0;
    at = window_row((rows + y) * samples, x, samples);
    above = mix(window_row((rows + y_above) * samples, x, samples), vec3(0.0), bvec3(first && zero));
    below = mix(window_row((rows + y_below) * samples, x, samples), vec3(0.0), bvec3(last && zero));
}
