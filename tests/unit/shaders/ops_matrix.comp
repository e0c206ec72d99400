#version 450
// Products, transposes, determinants and inverses of matrices of all sizes.
layout(local_size_x = 16) in;
layout(std430, binding = 0) readonly buffer Operands { float operands[]; };
layout(std430, binding = 1) writeonly buffer Results { float results[]; };

uint at;

void put(vec2 v) { results[at++] = v.x; results[at++] = v.y; }
void put(vec3 v) { results[at++] = v.x; results[at++] = v.y; results[at++] = v.z; }
void put(vec4 v) { results[at++] = v.x; results[at++] = v.y; results[at++] = v.z; results[at++] = v.w; }

void main()
{
    uint i = gl_GlobalInvocationID.x, from = 16u * i;
    at = 128u * i;
    mat4 m = mat4(0.0);
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 4; row++)
            m[column][row] = operands[from++];
    mat4x3 a = mat4x3(m);
    mat3x4 b = mat3x4(m[1], m[2], m[3]);
    mat2x3 c = mat2x3(m[0].xyz, m[2].yzw);
    vec4 v = m[3];
    put(a * v);          // 0
    put(v.xyz * a);      // 3
    mat3 ab = a * b;     // 7
    put(ab[0]); put(ab[1]); put(ab[2]);
    mat3x4 t = transpose(a); // 16
    put(t[0]); put(t[1]); put(t[2]);
    mat2x3 s = c * 3.0 + c;  // 28
    put(s[0]); put(s[1]);
    mat3x2 o = outerProduct(v.xy, v.zwx); // 34
    put(o[0]); put(o[1]); put(o[2]);
    results[at++] = determinant(mat2(m)); // 40
    results[at++] = determinant(mat3(m));
    results[at++] = determinant(m);
    mat2 i2 = inverse(mat2(m)); // 43
    put(i2[0]); put(i2[1]);
    mat3 i3 = inverse(mat3(m)); // 47
    put(i3[0]); put(i3[1]); put(i3[2]);
    mat4 i4 = inverse(m); // 56
    put(i4[0]); put(i4[1]); put(i4[2]); put(i4[3]);
    mat4 mm = matrixCompMult(m, m) - m; // 72
    put(mm[0]); put(mm[1]); put(mm[2]); put(mm[3]);
    results[at++] = dot(v, m[0]); // 88
    put(-a[1]); // 89
    put(mat2(m) * mat2(m) * v.zw); // 92
    results[at++] = (i & 1u) == 0u ? m[i & 3u][1] : m[1][i & 3u]; // 94
}
