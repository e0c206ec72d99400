#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
// Layouts: what stands where in buffers and push constants, loaded and stored by parts and whole.
layout(local_size_x = 4) in;

struct Part { float f; vec3 v; uint8_t c; mat2x3 m; };
struct Flag { bool yes; uint n; };

layout(std140, binding = 0) uniform Block {
    float first;
    vec3 second[2];
    layout(row_major) mat3x2 rows;
    mat3x2 columns;
    Flag flag;
    float list[3];
} block;
layout(std430, binding = 1) readonly buffer In {
    uint count;
    Flag flags[2];
    layout(row_major) mat4x3 rows;
    Part parts[];
} source;
layout(scalar, binding = 2) buffer Out {
    uint16_t tag;
    uint8_t small[3];
    Part parts[4];
    layout(row_major) mat4x3 rows;
    bool flags[6];
    float list[20];
    double wide;
    float rest[];
} result;
layout(std430, binding = 3) buffer Typed { ivec3 typed[]; };
layout(push_constant) uniform Push {
    uint8_t a;
    int16_t b;
    float16_t h;
    float c;
    vec3 d;
    layout(row_major) mat2 e;
    int f[3];
    uint64_t g;
} push;

void main()
{
    uint i = gl_LocalInvocationIndex;
    result.parts[i] = source.parts[i];
    result.parts[i].v += block.second[i & 1u] + push.d;
    result.parts[i].m[1] *= push.c;
    result.flags[i] = source.flags[i & 1u].yes;
    if (i == 0u) {
        result.tag = uint16_t(source.count);
        result.small[0] = push.a;
        result.small[1] = uint8_t(push.b);
        result.small[2] = source.parts[2].c;
        result.rows = source.rows;
        result.rows[3] = result.rows[2] + vec3(push.e[0], push.e[1].y);
        result.rows[1][2] = float(push.h);
        result.flags[4] = block.flag.yes;
        result.flags[5] = block.flag.n == 7u;
        float list[20];
        for (int n = 0; n < 20; n++)
            list[n] = float(n) + block.list[n % 3];
        result.list = list;
        result.wide = double(push.g) + block.first;
        mat3x2 rows = block.rows, columns = block.columns;
        for (int column = 0; column < 3; column++) {
            result.rest[4 * column] = rows[column].x;
            result.rest[4 * column + 1] = rows[column].y;
            result.rest[4 * column + 2] = columns[column].x;
            result.rest[4 * column + 3] = block.columns[column][1];
        }
        result.rest[12] = float(result.rest.length());
        result.rest[13] = float(source.parts.length());
        result.rest[14] = float(push.f[0] + 10 * push.f[1] + 100 * push.f[push.a % 3]);
        result.rest[15] = block.rows[1].y;
    }
    typed[i] = typed[i].zxy + int(i);
    typed[i].y = -typed[i].y;
}
