/* One direction of a separable filter: each sample becomes the weighted sum of 2 * radius + 1 samples
 * along an axis.
 *
 * Before it: `source` and `target`, buffers of floats; `width`, `height`, `radius`; prepare(), which the
 * whole group calls first; TAPS, how many there are; WEIGHT(k), the weight of tap number k, 0 to TAPS - 1;
 * FINISH(sum), what becomes of the sum.
 *
 * Along rows a group first brings what its items need to shared memory, the borders already filled in, so
 * that each sample is read from memory about once. Along columns neighbouring items read neighbouring
 * samples as it is, and caches do the rest.
 * SPDX-License-Identifier: MIT
 */
const uint tile_size = gl_WorkGroupSize.x + 2 * radius_most * channels;
const uint tile_radii = axis == 0 ? radius_most + 1 : 0; /* radii from 0 on that go through the tile */
shared float tile[tile_size];

/* Sample number `at` of a row of `samples`, of this channel; it may be outside. */
float along_row(uint row, int at, int samples, int channel)
{
    int inside = at < 0 ? channel : at >= samples ? samples - int(channels) + channel : at;
    float value = source[row + inside];
    return border != 0 && inside != at ? 0.0 : value;
}

/* Load the samples of a group and its borders to shared memory: one for each item, then the rest. The
 * condition is uniform in the group; each branch has its own barrier, so that compilers for the cpu make two
 * loops. */
void load_tile(uint row, uint samples)
{
    const uint size = gl_WorkGroupSize.x;
    const uint item = gl_LocalInvocationID.x;
    const uint begin = gl_WorkGroupID.x * size;
    const uint halo = radius * channels;
    const uint used = size + 2 * halo;
    const int first = int(begin) - int(halo);
    if (begin >= halo && begin + size + halo <= samples) {
        tile[item] = source[row + first + item];
        for (uint i = size + item; i < used; i += size)
            tile[i] = source[row + first + i];
        barrier();
    } else {
        for (uint i = item; i < used; i += size)
            tile[i] = along_row(row, first + int(i), int(samples), int((begin + i) % channels));
        barrier();
    }
}

/* Along a row, through the tile. */
float from_tile(uint row, uint samples)
{
    load_tile(row, samples);

    const uint taps = TAPS;
    float sum = 0.0;
    for (uint k = 0; k < taps; k++)
        sum = fma(WEIGHT(k), tile[gl_LocalInvocationID.x + k * channels], sum);
    return sum;
}

float from_row(uint row, uint samples, uint x)
{
    const uint taps = TAPS;
    const int channel = int(x % channels);
    float sum = 0.0;
    for (uint k = 0; k < taps; k++) {
        int at = int(x) + (int(k) - int(radius)) * int(channels);
        sum = fma(WEIGHT(k), along_row(row, at, int(samples), channel), sum);
    }
    return sum;
}

float from_column(uint plane, uint samples, uint x, uint y)
{
    const uint taps = TAPS;
    float sum = 0.0;
    for (uint k = 0; k < taps; k++) {
        int at = int(y + k) - int(radius);
        int inside = clamp(at, 0, int(height) - 1);
        float weight = border != 0 && inside != at ? 0.0 : WEIGHT(k);
        if (x < samples) /* in here, so that compilers for the cpu walk along the row for each tap */
            sum = fma(weight, source[plane + uint(inside) * samples + x], sum);
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
    if (radius < tile_radii)
        sum = from_tile(row, samples);
    else if (axis != 0)
        sum = from_column(plane, samples, x, y);
    else if (x < samples)
        sum = from_row(row, samples, x);
    if (x < samples)
        target[row + x] = FINISH(sum);
}
