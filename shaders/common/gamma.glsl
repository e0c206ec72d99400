/* The body of gamma and gamma_u8. Before it: samples_f32.glsl or samples_u8.glsl.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;
layout(constant_id = 3) const uint curve = 0;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { SAMPLE source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { SAMPLE target[]; };

layout(push_constant) uniform Parameters {
    float exponent;
    uint count;
};

/* Of zero and what is below it the power is not defined everywhere. */
float power(float value, float to)
{
    return value > 0.0 ? pow(value, to) : 0.0;
}

float apply(float value)
{
    switch (curve) {
    case 1:
        return value <= 0.0031308 ? 12.92 * value : 1.055 * power(value, 1.0 / 2.4) - 0.055;
    case 2:
        return value <= 0.04045 ? value * (1.0 / 12.92) : power((value + 0.055) * (1.0 / 1.055), 2.4);
    default:
        return power(value, exponent);
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    float value = apply(LOAD(source[i]));
    target[i] = STORE(value);
}
