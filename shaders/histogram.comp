#version 450
/* histogram: how often each value stands among bytes: bins[v] += the number of i with source[i] = v
 *
 * Each group counts in shared memory and adds what it found to `bins`, which the caller sets to zero
 * first.
 *
 * Arguments
 *     source          count bytes
 *     bins            256 unsigned integers
 *     count           the number of bytes, at most 2^32 - 1 - the bytes of a block
 * Launch
 *     ceil(count / (256 * 64)) groups in x: a group counts a block of group size x per_item bytes
 * Constants
 *     0               items of a group (256)
 *     per_item        bytes that an item reads (64)
 * Example
 *     struct trm_argument arguments[] = {trm_arg_buffer(source), trm_arg_buffer(bins),
 *                                        trm_arg_u32(count)};
 *     trm_kernel_named(device, "histogram", NULL, 0, &kernel);
 *     grid = trm_grid_1d((count + 256 * 64 - 1) / (256 * 64), 0);
 *     trm_launch(stream, kernel, &grid, arguments, 3);
 * SPDX-License-Identifier: MIT
 */
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 4) const uint per_item = 64;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { uint8_t source[]; };
layout(std430, set = 0, binding = 1) restrict buffer Bins { uint bins[]; };

layout(push_constant) uniform Parameters {
    uint count;
};

shared uint found[256];

void main()
{
    const uint size = gl_WorkGroupSize.x;
    const uint item = gl_LocalInvocationID.x;
    const uint begin = gl_WorkGroupID.x * size * per_item;

    for (uint bin = item; bin < 256; bin += size)
        found[bin] = 0;
    barrier();

    for (uint k = 0; k < per_item; k++) {
        uint i = begin + k * size + item;
        if (i < count)
            atomicAdd(found[uint(source[i])], 1);
    }
    barrier();

    for (uint bin = item; bin < 256; bin += size) {
        if (found[bin] != 0)
            atomicAdd(bins[bin], found[bin]);
    }
}
