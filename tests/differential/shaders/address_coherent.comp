// Volatile and coherent members through pointers, which one work-item writes and others read behind a barrier.
//! inout 20 u32,u32,62u32 1 range 0 9
//! out 1 u32 64
//! push u64 0
//! address push 0 0 1 20 0 0
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Board {
    volatile uint flag;
    coherent uint sum;
    coherent uint lines[62];
};
layout(push_constant) uniform Push { Board board; };
layout(std430, binding = 1) writeonly buffer Out { uint results[]; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    if (i < 62u)
        board.lines[i] = board.lines[i] * 2u + i;
    if (i == 63u)
        board.flag = 42u;
    memoryBarrierBuffer();
    barrier();
    uint other = board.lines[(i * 11u) % 62u];
    atomicAdd(board.sum, other);
    results[i] = other + board.flag;
}
