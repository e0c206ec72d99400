#version 450
// Every operation on 32-bit integers: 64 results for each pair of operands.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Operands { uvec2 operands[]; };
layout(std430, binding = 1) writeonly buffer Results { uint results[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= uint(operands.length()))
        return;
    uint a = operands[i].x, b = operands[i].y;
    int c = int(a), d = int(b);
    uint at = 64u * i;
    results[at++] = a + b;
    results[at++] = a - b;
    results[at++] = a * b;
    results[at++] = a / b;
    results[at++] = a % b;
    results[at++] = uint(c + d);
    results[at++] = uint(c - d);
    results[at++] = uint(c * d);
    results[at++] = uint(c / d);
    results[at++] = uint(c % d);
    results[at++] = uint(-c);
    results[at++] = ~a;
    results[at++] = a & b;
    results[at++] = a | b;
    results[at++] = a ^ b;
    results[at++] = a << (b & 31u);
    results[at++] = a >> (b & 31u);
    results[at++] = uint(c >> (d & 31));
    results[at++] = uint(c << (d & 31));
    results[at++] = uint(a < b) | uint(a <= b) << 1 | uint(a > b) << 2 | uint(a >= b) << 3 | uint(a == b) << 4 | uint(a != b) << 5;
    results[at++] = uint(c < d) | uint(c <= d) << 1 | uint(c > d) << 2 | uint(c >= d) << 3 | uint(c == d) << 4 | uint(c != d) << 5;
    results[at++] = min(a, b);
    results[at++] = max(a, b);
    results[at++] = uint(min(c, d));
    results[at++] = uint(max(c, d));
    results[at++] = clamp(a, 1000u, 3000000000u);
    results[at++] = uint(clamp(c, -1000, 1000));
    results[at++] = uint(abs(c));
    results[at++] = uint(sign(c));
    results[at++] = bitfieldExtract(a, int(b & 15u), int(b >> 4 & 15u));
    results[at++] = uint(bitfieldExtract(c, int(b & 15u), int(b >> 4 & 15u)));
    results[at++] = bitfieldInsert(a, b, int(b & 15u), int(b >> 4 & 15u));
    results[at++] = bitfieldReverse(a);
    results[at++] = uint(bitCount(a));
    results[at++] = uint(findLSB(a));
    results[at++] = uint(findMSB(a));
    results[at++] = uint(findMSB(c));
    uint carry, borrow, high, low;
    results[at++] = uaddCarry(a, b, carry);
    results[at++] = carry;
    results[at++] = usubBorrow(a, b, borrow);
    results[at++] = borrow;
    umulExtended(a, b, high, low);
    results[at++] = high;
    results[at++] = low;
    int signedHigh, signedLow;
    imulExtended(c, d, signedHigh, signedLow);
    results[at++] = uint(signedHigh);
    results[at++] = uint(signedLow);
    results[at++] = c > 0 ? a : b;
    results[at++] = a / 7u;
    results[at++] = uint(c / -7);
    results[at++] = a << b;
    results[at++] = uint(c / (d | 1));
    uvec3 v = uvec3(a, b, a ^ b);
    uvec3 w = v.zxy * uvec3(3u, 5u, 7u) + (v >> 3u) - uvec3(lessThan(v, v.yzx));
    results[at++] = w.x ^ w.y ^ w.z;
    uvec2 carries, sums = uaddCarry(v.xy, v.zx, carries);
    results[at++] = sums.x + 3u * sums.y + 5u * carries.x + 7u * carries.y;
    results[at++] = bitfieldExtract(a, 0, 32);
    results[at++] = uint(bitfieldExtract(c, 0, 0));
    results[at++] = bitfieldInsert(a, b, 0, 32);
    results[at++] = uint(any(equal(v, v.yzx))) + 2u * uint(all(greaterThanEqual(v, uvec3(1u))));
}
