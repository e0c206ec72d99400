// A binary tree in an array: children by pointers, walked with a stack of pointers in a local array.
//! in 20 16pad,u32,4pad,8pad 31 index 1 7
//! out 1 u32 32
//! push u64 0
//! address push 0 0 1 20 0 0
//! address 20 0 32 15 20 32 64
//! address 20 8 32 15 20 64 64
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(buffer_reference) buffer Tree;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Tree {
    Tree left;
    Tree right;
    uint value;
    uint unused0;
    uvec2 unused1;
};
layout(push_constant) uniform Push { Tree root; };
layout(std430, binding = 1) writeonly buffer Out { uint sums[]; };

void main()
{
    Tree stack[8];
    uint depth = 0, sum = 0, limit = gl_LocalInvocationIndex;
    stack[depth++] = root;
    while (depth != 0 && limit-- != 0) {
        Tree at = stack[--depth];
        sum = sum * 3u + at.value;
        if (uint64_t(at.right) != 0ul)
            stack[depth++] = at.right;
        if (uint64_t(at.left) != 0ul)
            stack[depth++] = at.left;
    }
    sums[gl_LocalInvocationIndex] = sum;
}
