/* The body of gray and gray_u8. Before it: samples_f32.glsl or samples_u8.glsl.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint channels = 3;
layout(constant_id = 4) const uint standard = 0;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { SAMPLE source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { SAMPLE target[]; };

layout(push_constant) uniform Parameters {
    uint count;
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    float r = LOAD(source[i * channels]);
    float g = LOAD(source[i * channels + 1]);
    float b = LOAD(source[i * channels + 2]);
    float kr = standard == 0 ? 0.299 : 0.2126;
    float kb = standard == 0 ? 0.114 : 0.0722;
    float y = kr * r + (1.0 - kr - kb) * g + kb * b;
    target[i] = STORE(y);
}
