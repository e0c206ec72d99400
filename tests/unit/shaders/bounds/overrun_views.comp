#version 450
// Each view of a buffer has as many elements as its own type makes of the bytes.
layout(local_size_x_id = 0) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 0) readonly buffer X4 { vec4 x4[]; };
layout(std430, binding = 0) readonly buffer Tail { uint head[4]; uvec2 rest[]; } tail;
layout(std430, binding = 1) buffer Result { uint result[]; };
layout(push_constant) uniform Arguments { int kind, index; };

void main()
{
    uint found = 0u;
    if (kind == 0)
        found = floatBitsToUint(x[index]);
    if (kind == 1)
        found = floatBitsToUint(x4[index].w);
    if (kind == 2)
        found = tail.rest[index].y;
    if (kind == 3)
        found = uint(x.length()) * 10000u + uint(x4.length()) * 100u + uint(tail.rest.length());
    result[gl_GlobalInvocationID.x] = found;
}
