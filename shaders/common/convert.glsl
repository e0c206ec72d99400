/* The body of the convert kernels: target[i] = source[i] * scale + bias, as a float in between.
 *
 * Before it: SOURCE and TARGET, the types of the elements; LOAD(element), which makes a float of a SOURCE;
 * STORE(value), which makes a TARGET of a float.
 * SPDX-License-Identifier: MIT
 */
layout(local_size_x = 256, local_size_x_id = 0) in;

layout(std430, set = 0, binding = 0) readonly restrict buffer Source { SOURCE source[]; };
layout(std430, set = 0, binding = 1) writeonly restrict buffer Target { TARGET target[]; };

layout(push_constant) uniform Parameters {
    float scale;
    float bias;
    uint count;
};

/* The nearest integer, of two the even one; 0 to `most`; of a NaN 0. */
uint saturate(float value, float most)
{
    float below = value < most ? value : most;
    return value > 0.0 ? uint(roundEven(below)) : 0u;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= count)
        return;
    target[i] = STORE(fma(LOAD(source[i]), scale, bias));
}
