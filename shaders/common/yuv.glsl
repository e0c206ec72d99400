/* Y'CbCr from R'G'B' and back, for rgb_to_yuv and yuv_to_rgb. Before it: samples_f32.glsl or samples_u8.glsl.
 *
 * ITU-R BT.601-7, 2.5.1 and BT.709-6, 3: Y = Kr R + Kg G + Kb B, Cb = (B - Y) / (2 - 2 Kb), Cr = (R - Y) /
 * (2 - 2 Kr). In the full range of a byte chroma 0 is at 128; in the limited range Y goes from 16 to 235
 * and chroma from 16 to 240.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint standard = 0;
layout(constant_id = 4) const uint range = 0;
layout(constant_id = 5) const uint planar = 0;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { SAMPLE source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { SAMPLE target[]; };

layout(push_constant) uniform Parameters {
    uint count;
};

float weight_red()
{
    return standard == 0 ? 0.299 : 0.2126;
}

float weight_blue()
{
    return standard == 0 ? 0.114 : 0.0722;
}

float scale_luma()
{
    return range == 0 ? 1.0 : 219.0 / 255.0;
}

float offset_luma()
{
    return range == 0 ? 0.0 : 16.0 / 255.0;
}

float scale_chroma()
{
    return range == 0 ? 1.0 : 224.0 / 255.0;
}

const float offset_chroma = 128.0 / 255.0;
