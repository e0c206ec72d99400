/* The body of alpha_blend and alpha_blend_u8. Before it: samples_f32.glsl or samples_u8.glsl.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint premultiplied = 0;

layout(std430, set = 0, binding = 0) readonly restrict buffer Front { SAMPLE front[]; };
layout(std430, set = 0, binding = 1) readonly restrict buffer Back { SAMPLE back[]; };
layout(std430, set = 0, binding = 2) writeonly restrict buffer Target { SAMPLE target[]; };

layout(push_constant) uniform Parameters {
    uint count;
};

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    const uint at = 4 * i;
    float front_alpha = LOAD(front[at + 3]);
    float back_alpha = LOAD(back[at + 3]);
    float behind = premultiplied != 0 ? 1.0 - front_alpha : back_alpha * (1.0 - front_alpha);
    float before = premultiplied != 0 ? 1.0 : front_alpha;
    float alpha = premultiplied != 0 ? front_alpha + back_alpha * behind : front_alpha + behind;
    float whole = premultiplied != 0 ? 1.0 : alpha > 0.0 ? 1.0 / alpha : 0.0;
    float red = (LOAD(front[at]) * before + LOAD(back[at]) * behind) * whole;
    float green = (LOAD(front[at + 1]) * before + LOAD(back[at + 1]) * behind) * whole;
    float blue = (LOAD(front[at + 2]) * before + LOAD(back[at + 2]) * behind) * whole;
    target[at] = STORE(red);
    target[at + 1] = STORE(green);
    target[at + 2] = STORE(blue);
    target[at + 3] = STORE(alpha);
}
