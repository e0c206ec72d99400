/* The same with the values in shared memory. */
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 16, local_size_y = 4) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer B { uint b[]; };
layout(std430, binding = 2) readonly buffer C { float16_t c[]; };
layout(std430, binding = 3) writeonly buffer D { float d[]; };
shared uint xs[64];

void main()
{
    uint l = gl_LocalInvocationIndex, i = gl_WorkGroupID.x * 64u + l, lane = l % 32u, from = l - lane;
    uint x = a[i], at = i * 16u;

    xs[l] = x;
    barrier();
    uint odd = 0u, below = 1u, twenty = 0u, equal = 1u, few = 0u, thirteen = 0u, many = 0u, some = 0u, there = 0u, low = 0u;
    for (uint k = 0u; k < 32u; k++) {
        uint y = xs[from + k], bit = 1u << k;
        odd |= (y & 1u) != 0u ? bit : 0u;
        below &= y < 39u ? 1u : 0u;
        twenty |= y == 20u ? 1u : 0u;
        equal &= y == xs[from] ? 1u : 0u;
        few |= y > 12u ? bit : 0u;
        thirteen |= y == 13u ? 2u : 0u;
        many += y > 30u && (y & 2u) != 0u ? 0x01000000u : 0u;
        some |= y > 20u ? bit : 0u;
        there |= y >= 6u ? bit : 0u;
        low |= y >= 6u && y < 20u ? bit : 0u;
    }
    b[at] = odd;
    b[at + 1u] = 0u;
    b[at + 2u] = below;
    b[at + 3u] = twenty;
    b[at + 4u] = equal + 2u;
    b[at + 5u] = 0x12345678u >> lane & 1u;
    b[at + 6u] = odd >> (31u - lane) & 1u;
    uint less = (1u << lane) - 1u;
    b[at + 7u] = uint(bitCount(odd)) + 64u * uint(bitCount(odd & (less * 2u + 1u))) + 4096u * uint(bitCount(odd & less));
    b[at + 8u] = uint(findLSB(odd | 0x40000000u)) + 64u * uint(findMSB(odd | 4u));
    b[at + 9u] = 1u << lane ^ ~less * 3u ^ less * 7u;
    b[at + 10u] = ~(less * 2u + 1u) ^ (less * 2u + 1u) * 5u;
    b[at + 11u] = x > 12u ? few + (x > 30u ? many : 0u) ^ thirteen : x;
    b[at + 12u] = ~0u;
    b[at + 13u] = l >= 32u ? some : 5u;
    b[at + 14u] = x < 6u ? 0u : low;
    b[at + 15u] = x < 6u ? 0u : there;
    for (uint k = l; k < 128u && gl_WorkGroupID.x % 2u == 0u; k += 64u)
        d[gl_WorkGroupID.x * 64u + k] = float(c[gl_WorkGroupID.x * 64u + k]);
}
