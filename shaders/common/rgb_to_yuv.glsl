/* The body of rgb_to_yuv and rgb_to_yuv_u8. Before it: samples_f32.glsl or samples_u8.glsl.
 * SPDX-License-Identifier: MIT
 */
#include "yuv.glsl"

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    float r = LOAD(source[3 * i]);
    float g = LOAD(source[3 * i + 1]);
    float b = LOAD(source[3 * i + 2]);
    float y = weight_red() * r + (1.0 - weight_red() - weight_blue()) * g + weight_blue() * b;
    float u = (b - y) / (2.0 - 2.0 * weight_blue());
    float v = (r - y) / (2.0 - 2.0 * weight_red());
    y = y * scale_luma() + offset_luma();
    u = u * scale_chroma() + offset_chroma;
    v = v * scale_chroma() + offset_chroma;
    if (planar != 0) {
        target[i] = STORE(y);
        target[count + i] = STORE(u);
        target[2 * count + i] = STORE(v);
    } else {
        target[3 * i] = STORE(y);
        target[3 * i + 1] = STORE(u);
        target[3 * i + 2] = STORE(v);
    }
}
