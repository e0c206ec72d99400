#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Conversions and bit casts.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Operands { double operands[]; };
layout(std430, binding = 1) writeonly buffer Results { uint64_t results[]; };
layout(std430, binding = 2) readonly buffer Words { uvec2 words[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= uint(operands.length()))
        return;
    double a = operands[i];
    float b = float(a);
    uint at = 32u * i;
    results[at++] = uint64_t(floatBitsToUint(b));
    results[at++] = doubleBitsToUint64(double(b));
    results[at++] = uint64_t(int64_t(int(b)));
    results[at++] = uint64_t(uint(b));
    results[at++] = uint64_t(int64_t(b));
    results[at++] = uint64_t(b);
    results[at++] = uint64_t(int64_t(int(a)));
    results[at++] = uint64_t(uint(a));
    results[at++] = uint64_t(int64_t(a));
    results[at++] = uint64_t(a);
    results[at++] = uint64_t(int64_t(int16_t(b)));
    results[at++] = uint64_t(uint16_t(b));
    results[at++] = uint64_t(int64_t(int8_t(b)));
    results[at++] = uint64_t(uint8_t(b));
    results[at++] = uint64_t(halfBitsToUint16(float16_t(b)));
    results[at++] = uint64_t(halfBitsToUint16(float16_t(a)));
    uvec2 w = words[i];
    uint64_t q = pack64(w);
    results[at++] = q;
    results[at++] = uint64_t(floatBitsToUint(float(int64_t(q))));
    results[at++] = uint64_t(floatBitsToUint(float(q)));
    results[at++] = doubleBitsToUint64(double(int64_t(q)));
    results[at++] = doubleBitsToUint64(double(q));
    results[at++] = uint64_t(floatBitsToUint(float(int(w.x))));
    results[at++] = uint64_t(floatBitsToUint(float(w.x)));
    results[at++] = doubleBitsToUint64(double(int(w.y)));
    results[at++] = uint64_t(halfBitsToUint16(float16_t(int(w.x))));
    u16vec4 h = unpack16(q);
    results[at++] = uint64_t(h.x) ^ uint64_t(h.w) << 16;
    u8vec4 c = unpack8(w.x);
    results[at++] = uint64_t(c.y) | uint64_t(c.w) << 8;
    results[at++] = uint64_t(pack32(h.zy));
    results[at++] = uint64_t(bool(w.x & 1u)) + uint64_t(uint(bool(b)));
    results[at++] = doubleBitsToUint64(packDouble2x32(w));
    results[at++] = uint64_t(unpackDouble2x32(a).y);
    results[at++] = uint64_t(uint(int16_t(w.x)));
}
