// A scan in shared memory, where every work-item keeps values over many barriers, in a function of its own.
//! in 0 i32 512
//! out 1 i32 1024
//! groups 4 1 1
#version 450
layout(local_size_x = 128) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) writeonly buffer C { int c[]; };
shared int tile[2][128];

int scan(int mine, uint local, out int total)
{
    int from = 0;
    tile[0][local] = mine;
    barrier();
    for (uint reach = 1u; reach < 128u; reach *= 2u) {
        int value = tile[from][local];
        if (local >= reach)
            value += tile[from][local - reach];
        tile[1 - from][local] = value;
        from = 1 - from;
        barrier();
    }
    int result = tile[from][local];
    total = tile[from][127];
    barrier();
    return result;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    int total, again;
    int kept[3] = int[3](a[i], int(i), 5);
    int one = scan(a[i] >> 8, local, total);
    int other = scan(one ^ kept[local % 3u], local, again);
    c[i * 2u] = one + total + kept[1];
    c[i * 2u + 1u] = other - again + kept[0];
}
