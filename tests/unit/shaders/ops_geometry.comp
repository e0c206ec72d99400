#version 450
// Vectors as directions and points; packing.
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer Operands { vec4 operands[]; };
layout(std430, binding = 1) writeonly buffer Results { float results[]; };
layout(std430, binding = 2) writeonly buffer Words { uint words[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (2u * i + 1u >= uint(operands.length()))
        return;
    vec4 a = operands[2u * i], b = operands[2u * i + 1u];
    uint at = 64u * i;
    results[at++] = length(a);
    results[at++] = length(a.xyz);
    results[at++] = length(a.xy);
    results[at++] = length(a.x);
    results[at++] = distance(a, b);
    results[at++] = distance(a.y, b.y);
    results[at++] = dot(a.xyz, b.xyz);
    vec3 c = cross(a.xyz, b.xyz), n = normalize(b.xyz), u = normalize(a.xyz);
    results[at++] = c.x; results[at++] = c.y; results[at++] = c.z;
    results[at++] = n.x; results[at++] = n.y; results[at++] = n.z;
    vec3 r = reflect(u, n), f = faceforward(u, a.xyz, b.xyz), q = refract(u, n, 0.75), t = refract(u, n, 3.0);
    results[at++] = r.x; results[at++] = r.y; results[at++] = r.z;
    results[at++] = f.x; results[at++] = f.y; results[at++] = f.z;
    results[at++] = q.x; results[at++] = q.y; results[at++] = q.z;
    results[at++] = t.x; results[at++] = t.y; results[at++] = t.z;
    vec2 s = unpackSnorm2x16(floatBitsToUint(a.x)), e = unpackUnorm2x16(floatBitsToUint(a.y)), h = unpackHalf2x16(floatBitsToUint(a.z));
    results[at++] = s.x; results[at++] = s.y; results[at++] = e.x; results[at++] = e.y; results[at++] = h.x; results[at++] = h.y;
    vec4 k = unpackSnorm4x8(floatBitsToUint(a.x)), l = unpackUnorm4x8(floatBitsToUint(a.y));
    results[at++] = k.x; results[at++] = k.y; results[at++] = k.z; results[at++] = k.w;
    results[at++] = l.x; results[at++] = l.y; results[at++] = l.z; results[at++] = l.w;
    ivec3 exponents;
    vec3 parts = frexp(a.xyz, exponents), whole, fraction = modf(b.xyz, whole);
    results[at++] = parts.x; results[at++] = parts.z; results[at++] = float(exponents.x); results[at++] = float(exponents.z);
    results[at++] = whole.x; results[at++] = whole.z; results[at++] = fraction.x; results[at++] = fraction.z;
    vec2 ld = ldexp(a.xy, ivec2(3, -4));
    results[at++] = ld.x; results[at++] = ld.y;
    uint w = 8u * i;
    words[w++] = packSnorm2x16(b.xy);
    words[w++] = packUnorm2x16(b.xy);
    words[w++] = packHalf2x16(b.xy);
    words[w++] = packSnorm4x8(b);
    words[w++] = packUnorm4x8(b);
}
