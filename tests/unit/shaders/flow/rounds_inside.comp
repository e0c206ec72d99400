#version 450
// Loops inside of the guard, whose work-items meet no others behind it.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint factor = 5u;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform Arguments { uint n; uint rounds; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n) {
        uint v = x[i], begin = 0u;
        for (uint half_way = 0u; half_way < 2u; half_way++)
            for (; begin < rounds * half_way; begin++)
                v = v * factor + begin;
        y[i] = v;
    }
}
