/* The same with scalars; a group's rows are those whose number among its expert's is in its part. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint ids[]; };
layout(std430, binding = 1) readonly buffer B { float16_t b[]; };
layout(std430, binding = 2) readonly buffer C { float16_t weights[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };
layout(push_constant) uniform Arguments { uint count; };

void main()
{
    uint expert = gl_WorkGroupID.x, part = gl_WorkGroupID.y, at = 0u;

    for (uint row = 0u; row < count; row++) {
        if (ids[row] != expert)
            continue;
        if (at / 32u == part && row % 64u == gl_LocalInvocationIndex)
            for (uint column = 0u; column < 16u; column++) {
                float sum = 0.0;
                for (uint k = 0u; k < 32u; k++)
                    sum += float(b[row * 32u + k]) * float(weights[expert * 512u + k * 16u + column]);
                d[row * 16u + column] = sum;
            }
        at++;
    }
}
