// Conditions: ternaries, commas, short circuits, assignments inside expressions.
//! in 0 i32 256 range -9 9
//! in 1 i32 256 range -9 9
//! out 2 i32 2048
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) readonly buffer B { int b[]; };
layout(std430, binding = 2) writeonly buffer C { int c[]; };

int calls = 0;

bool touch(bool answer)
{
    calls++;
    return answer;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 8u;
    int x = a[i], y = b[i];
    c[o + 0u] = x > y ? (x > 0 ? 1 : y > 0 ? 2 : 3) : x == y ? 4 : 5;
    int z = (x += 2, y -= x, x * y);
    c[o + 1u] = z;
    bool both = touch(x > 0) && touch(y > 0) || touch(z > 0);
    c[o + 2u] = calls * 10 + int(both);
    c[o + 3u] = (x++) + (++y) - (z--) * 2;
    c[o + 4u] = x * 10000 + y * 100 + z;
    ivec3 v = x < y ? ivec3(x, y, z) : ivec3(z, y, x);
    v.zx = v.xy + (v.y > 0 ? ivec2(1) : ivec2(-1, 2));
    c[o + 5u] = v.x + v.y * 31 + v.z * 961;
    v[i % 3u] = -1;
    v.yz *= ivec2(2, 3);
    c[o + 6u] = v.x + v.y * 31 + v.z * 961;
    int chain;
    x = y = chain = z + 1;
    x += y *= chain -= 3;
    c[o + 7u] = x + y + chain;
}
