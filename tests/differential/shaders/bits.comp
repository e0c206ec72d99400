// Integer functions: carries, wide products, bit fields, searches.
//! in 0 u32 512 special
//! in 1 u32 512 special
//! out 2 u32 12288
//! groups 8 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) readonly buffer B { uint b[]; };
layout(std430, binding = 2) writeonly buffer C { uint c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint o = i * 24u;
    uint x = a[i], y = b[i];
    int sx = int(x), sy = int(y);
    uint carry, borrow, high, low;
    int shigh, slow;
    int offset = int(y & 15u), bits = int(y >> 4 & 15u);
    c[o + 0u] = uaddCarry(x, y, carry);
    c[o + 1u] = carry;
    c[o + 2u] = usubBorrow(x, y, borrow);
    c[o + 3u] = borrow;
    umulExtended(x, y, high, low);
    c[o + 4u] = high;
    c[o + 5u] = low;
    imulExtended(sx, sy, shigh, slow);
    c[o + 6u] = uint(shigh);
    c[o + 7u] = uint(slow);
    c[o + 8u] = bitfieldExtract(x, offset, bits);
    c[o + 9u] = uint(bitfieldExtract(sx, offset, bits));
    c[o + 10u] = bitfieldInsert(x, y, offset, bits);
    c[o + 11u] = uint(bitfieldInsert(sx, sy, bits, offset));
    c[o + 12u] = bitfieldReverse(x);
    c[o + 13u] = uint(bitCount(x)) + 100u * uint(bitCount(sy));
    c[o + 14u] = uint(findLSB(x));
    c[o + 15u] = uint(findMSB(x));
    c[o + 16u] = uint(findLSB(sx));
    c[o + 17u] = uint(findMSB(sx));
    c[o + 18u] = bitfieldExtract(x, 0, 32);
    c[o + 19u] = bitfieldInsert(x, y, 0, 32);
    uvec2 pair = uvec2(x, y), swapped = pair.yx, carries, highs, lows;
    uvec2 sums = uaddCarry(pair, swapped, carries);
    umulExtended(pair, swapped + uvec2(1), highs, lows);
    c[o + 20u] = sums.x ^ carries.y ^ highs.x ^ lows.y;
    uvec2 reversed = bitfieldReverse(pair);
    c[o + 21u] = reversed.x - reversed.y;
    ivec2 found = findMSB(ivec2(pair)) * 64 + findLSB(pair) + bitCount(pair) * 4096;
    c[o + 22u] = uint(found.x * 3 + found.y);
    ivec2 fields = bitfieldExtract(ivec2(pair), offset, bits) + bitfieldInsert(ivec2(pair), ivec2(swapped), offset, bits);
    c[o + 23u] = uint(fields.x ^ fields.y);
}
