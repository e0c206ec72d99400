#version 450
/* Rotary position embedding: in each head of each token, values i and i + half are turned by an angle of the token's
 * position. x: pairs of a head, y: heads, z: tokens. */
layout(local_size_x = 64) in;

layout(std430, set = 0, binding = 0) readonly buffer X { float x[]; };
layout(std430, set = 0, binding = 1) readonly buffer Positions { int positions[]; };
layout(std430, set = 0, binding = 2) writeonly buffer Y { float y[]; };
layout(push_constant) uniform Parameters {
    uint heads;
    uint size; /* of a head */
    float base;
};

void main()
{
    uint i = gl_GlobalInvocationID.x, head = gl_GlobalInvocationID.y, token = gl_GlobalInvocationID.z;
    uint pairs = size / 2;
    if (i >= pairs)
        return;
    uint at = (token * heads + head) * size + i;
    float angle = float(positions[token]) * pow(base, -2.0 * float(i) / float(size));
    float c = cos(angle), s = sin(angle), first = x[at], second = x[at + pairs];
    y[at] = first * c - second * s;
    y[at + pairs] = first * s + second * c;
}
