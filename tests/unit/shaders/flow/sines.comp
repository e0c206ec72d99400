#version 450
// one pair in the stage that computes; in the loop the sine and the cosine are on both sides of a branch
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { float x[]; };
layout(set = 0, binding = 1) buffer Y { float y[]; };
layout(push_constant) uniform Arguments { uint n; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= n)
        return;
    float angle = x[i], sum = sin(angle) * cos(angle);
    for (float k = 2.0; k < 5.0; k++)
        sum += k > angle ? sin(k * angle) : cos(k * angle);
    y[i] = sum;
}
