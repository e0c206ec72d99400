// Tiles of 16 x 16 turned in shared memory.
//! in 0 f32 4096
//! out 1 f32 4096
//! groups 4 4 1
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) writeonly buffer C { float c[]; };
shared float tile[16][17];

void main()
{
    uvec2 from = gl_GlobalInvocationID.xy;
    tile[gl_LocalInvocationID.y][gl_LocalInvocationID.x] = a[from.y * 64u + from.x];
    memoryBarrierShared();
    barrier();
    uvec2 to = gl_WorkGroupID.yx * 16u + gl_LocalInvocationID.xy;
    c[to.y * 64u + to.x] = tile[gl_LocalInvocationID.x][gl_LocalInvocationID.y];
}
