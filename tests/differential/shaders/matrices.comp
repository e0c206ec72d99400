// Matrices of all shapes: products, transposes, outer products, columns and elements.
//! in 0 f32 1024 range -2 2
//! out 1 f32 5760 abs 1e-3 rel 1e-4
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer C { float c[]; };

uint at;

void put(float value) { c[at++] = value; }
void put(vec2 v) { put(v.x); put(v.y); }
void put(vec3 v) { put(v.xy); put(v.z); }
void put(vec4 v) { put(v.xyz); put(v.w); }

void main()
{
    uint i = gl_GlobalInvocationID.x;
    at = i * 90u;
    uint p = i * 16u;
    mat4 m = mat4(a[p], a[p + 1u], a[p + 2u], a[p + 3u], a[p + 4u], a[p + 5u], a[p + 6u], a[p + 7u], a[p + 8u],
                  a[p + 9u], a[p + 10u], a[p + 11u], a[p + 12u], a[p + 13u], a[p + 14u], a[p + 15u]);
    mat2 m2 = mat2(m);
    mat3 m3 = mat3(m);
    mat2x3 m23 = mat2x3(m);
    mat3x2 m32 = mat3x2(m);
    mat2x4 m24 = mat2x4(m);
    mat4x2 m42 = mat4x2(m);
    mat3x4 m34 = mat3x4(m);
    mat4x3 m43 = mat4x3(m);
    put(m * m[1]);
    put(m[2] * m);
    put(m3 * m3[0]);
    put(m2[1] * m2);
    put(m23 * m2[0]);
    put(m3[1] * m23);
    put((m32 * m23)[0]);
    put((m24 * m42)[3]);
    put((m34 * m43)[2]);
    put((m43 * m34)[1]);
    put(transpose(m34)[3]);
    put(transpose(m)[i % 4u]);
    put(outerProduct(m[0].xyz, m[1].xy)[1]);
    put(outerProduct(m[2], m[3])[2]);
    put(matrixCompMult(m24, m24 + m24)[1]);
    put((m2 + m2 * 2.0 - mat2(1.0))[1]);
    put((-m3 * 0.5 + 1.0)[2]);
    put((m3 / 4.0)[i % 3u]);
    put(m[i % 4u][(i + 1u) % 4u]);
    m[1].yz = m[2].xw;
    m[i % 4u] = m[3] + vec4(1);
    m[2][i % 4u] = 7.0;
    put(m[1]);
    put(m[2]);
    m3[0] *= m3;
    m3 *= m3;
    put(m3[0] * 0.01);
    put((mat3(2.0) * mat3(m2))[2]);
    while (at < i * 90u + 90u)
        put(1.0);
}
