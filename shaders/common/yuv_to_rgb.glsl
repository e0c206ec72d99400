/* The body of yuv_to_rgb and yuv_to_rgb_u8. Before it: samples_f32.glsl or samples_u8.glsl.
 * SPDX-License-Identifier: MIT
 */
#include "yuv.glsl"

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    float y, u, v;
    if (planar != 0) {
        y = LOAD(source[i]);
        u = LOAD(source[count + i]);
        v = LOAD(source[2 * count + i]);
    } else {
        y = LOAD(source[3 * i]);
        u = LOAD(source[3 * i + 1]);
        v = LOAD(source[3 * i + 2]);
    }
    y = (y - offset_luma()) / scale_luma();
    u = (u - offset_chroma) / scale_chroma();
    v = (v - offset_chroma) / scale_chroma();
    float r = y + (2.0 - 2.0 * weight_red()) * v;
    float b = y + (2.0 - 2.0 * weight_blue()) * u;
    float g = (y - weight_red() * r - weight_blue() * b) / (1.0 - weight_red() - weight_blue());
    target[3 * i] = STORE(r);
    target[3 * i + 1] = STORE(g);
    target[3 * i + 2] = STORE(b);
}
