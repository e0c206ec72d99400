/* One direction of a separable filter: each sample becomes the weighted sum of 2 * radius + 1 samples
 * along an axis.
 *
 * Before it: `source` and `target`, buffers of floats; `width`, `height`, `radius`; prepare(), which the
 * whole group calls first; WEIGHT(k), the weight of tap number k, 0 to 2 * radius; FINISH(sum), what
 * becomes of the sum.
 *
 * Along rows a group first brings what its items need to shared memory, the borders already filled in, so
 * that each sample is read from memory about once. Along columns neighbouring items read neighbouring
 * samples as it is, and caches do the rest.
 * SPDX-License-Identifier: MIT
 */
const uint tile_size = gl_WorkGroupSize.x + 2 * radius_most * channels;
shared float tile[tile_size];

/* A sample of a row of `samples`; `at` may be outside. */
float along_row(uint row, int at, int samples)
{
    if (at >= 0 && at < samples)
        return source[row + at];
    if (border != 0)
        return 0.0;
    int pixel = int(channels);
    if (at < 0) /* the same channel of the first pixel, or of the last */
        return source[row + (pixel - 1 - (-at - 1) % pixel)];
    return source[row + (samples - pixel + (at - samples) % pixel)];
}

/* Along a row, through the tile. */
float from_tile(uint row, uint samples, uint x)
{
    const uint size = gl_WorkGroupSize.x;
    const uint item = gl_LocalInvocationID.x;
    const uint halo = radius * channels;
    const int first = int(gl_WorkGroupID.x * size) - int(halo);
    for (uint i = item; i < size + 2 * halo; i += size)
        tile[i] = along_row(row, first + int(i), int(samples));
    barrier();

    float sum = 0.0;
    for (uint k = 0; k <= 2 * radius; k++)
        sum = fma(WEIGHT(k), tile[item + k * channels], sum);
    return sum;
}

float from_row(uint row, uint samples, uint x)
{
    float sum = 0.0;
    for (uint k = 0; k <= 2 * radius; k++) {
        int at = int(x) + (int(k) - int(radius)) * int(channels);
        sum = fma(WEIGHT(k), along_row(row, at, int(samples)), sum);
    }
    return sum;
}

float from_column(uint plane, uint samples, uint x, uint y)
{
    float sum = 0.0;
    for (uint k = 0; k <= 2 * radius; k++) {
        int at = int(y + k) - int(radius);
        if (border == 0 || (at >= 0 && at < int(height))) {
            uint row = uint(clamp(at, 0, int(height) - 1));
            sum = fma(WEIGHT(k), source[plane + row * samples + x], sum);
        }
    }
    return sum;
}

void main()
{
    const uint samples = width * channels;
    const uint x = gl_GlobalInvocationID.x;
    const uint y = gl_WorkGroupID.y;
    const uint plane = gl_WorkGroupID.z * height * samples;
    const uint row = plane + y * samples;

    prepare();
    float sum = 0.0;
    if (axis == 0 && radius <= radius_most)
        sum = from_tile(row, samples, x);
    else if (x < samples)
        sum = axis == 0 ? from_row(row, samples, x) : from_column(plane, samples, x, y);
    if (x < samples)
        target[row + x] = FINISH(sum);
}
