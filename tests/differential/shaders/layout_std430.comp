// Storage buffers by std430, read and written: structs of arrays of structs, row-major matrices, whole and in
// parts.
//! inout 0 60f32 64 range -5 5 rel 1e-5 abs 1e-4
//! inout 1 60f32 64 range -5 5 rel 1e-5 abs 1e-4
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;

struct point {
    vec3 position;
    float weight;
};

struct record {
    point center;                       /* 0 */
    vec4 color;                         /* 16 */
    mat4 transform;                     /* 32 */
    point corners[3];                   /* 96 */
    vec2 pad[1];                        /* 144 */
    float tail[2];                      /* 152 */
    mat4 plain;                         /* 160 */
    vec4 end;                           /* 224 */
};

layout(std430, row_major, binding = 0) buffer Records { record records[]; };
layout(std430, binding = 1) buffer Others { record others[]; };

void swap(inout point a, inout point b)
{
    point t = a;
    a = b;
    b = t;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    record r = records[i];
    swap(r.corners[0], r.corners[2]);
    r.center.position.zx = r.center.position.xy;
    r.transform[1] = r.color;
    r.transform[i % 4u][2] = 0.5;
    r.plain = transpose(r.transform);
    records[i].corners[1] = r.corners[i % 3u];
    records[i].center = r.center;
    records[i].transform = r.transform;
    records[i].transform[3].y = 0.25;
    records[i].transform[2][i % 4u] = 0.125;
    records[i].plain = r.plain;
    records[i].end.wzyx = r.end;
    records[i].corners[2].position = r.corners[0].position;
    records[i].corners[2].position[i % 3u] = float(i);
    records[i].color = records[i].transform * vec4(0, 1, 0, 0);
    records[i].tail[i % 2u] = 1.0;
    others[i].transform = records[i].transform;
    others[i].plain[i % 4u] = records[i].plain[1];
    others[i].corners = r.corners;
    records[i].pad[0] = others[i].plain[2].yx;
    record whole = others[i];
    whole.end = whole.plain * whole.end;
    others[i].end = (others[i].transform * whole.color) * 0.25;
}
