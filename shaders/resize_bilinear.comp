#version 450
/* resize_bilinear: an image in another size; each sample is interpolated between the four around its
 * place
 *
 *      x = (column + 1/2) * width / target_width - 1/2,  y = (row + 1/2) * height / target_height - 1/2,
 *      target[row][column] = the bilinear interpolation of source at (x, y)
 *
 * Centres of pixels lie at halves. Beyond the outermost centres the outermost pixels go on. There is
 * no filter against aliasing: reduce by two at most in one step, or blur first.
 *
 * Arguments
 *     source          planes x height x width x channels floats
 *     target          planes x target_height x target_width x channels floats
 *     width           of an image of source, in pixels
 *     height          of an image of source, in pixels
 *     target_width    of an image of target. `trireme run` takes it from its option `width`
 *     target_height   of an image of target. `trireme run` takes it from its option `height`
 * Launch
 *     target_width * channels items in x, target_height in y, planes in z
 * Constants
 *     0               items of a group in x (64)
 *     1               items of a group in y (4)
 *     channels        samples of a pixel, side by side (1)
 * Example
 *     trireme run -k resize_bilinear:width=96,height=64 in.y4m out.y4m
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 64, local_size_y = 4, local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 3) const uint channels = 1;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { float source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { float target[]; };

layout(push_constant) uniform Parameters {
    uint width;
    uint height;
    uint target_width;
    uint target_height;
};

/* Where a place lies along an axis: the sample before it, the one after it, and how far it is from the
 * first to the second. */
struct place {
    uint before;
    uint after;
    float part;
};

place locate(uint at, uint size, uint target_size)
{
    float centre = (float(at) + 0.5) * (float(size) / float(target_size)) - 0.5;
    float inside = clamp(centre, 0.0, float(size - 1));
    uint before = min(uint(inside), size - 1);
    return place(before, min(before + 1, size - 1), inside - float(before));
}

void main()
{
    const uint x = gl_GlobalInvocationID.x;
    const uint y = gl_GlobalInvocationID.y;
    if (x >= target_width * channels || y >= target_height)
        return;
    const uint plane = gl_GlobalInvocationID.z;
    const uint channel = x % channels;

    place column = locate(x / channels, width, target_width);
    place row = locate(y, height, target_height);
    uint left = column.before * channels + channel;
    uint right = column.after * channels + channel;
    uint above = (plane * height + row.before) * width * channels;
    uint below = (plane * height + row.after) * width * channels;

    float upper = mix(source[above + left], source[above + right], column.part);
    float lower = mix(source[below + left], source[below + right], column.part);
    target[(plane * target_height + y) * target_width * channels + x] = mix(upper, lower, row.part);
}
