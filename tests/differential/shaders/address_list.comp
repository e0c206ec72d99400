// A linked list through forward pointers; every work-item stops at another node, or at the null pointer.
//! in 20 f32,u32,8pad 32 range 0 16
//! out 1 f32 64
//! push u64 0
//! address push 0 0 1 20 0 0
//! address 20 8 16 31 20 16 16
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {
    float value;
    uint mark;
    Node next;
};
layout(push_constant) uniform Push { Node head; };
layout(std430, binding = 1) writeonly buffer Out { float sums[]; };

void main()
{
    uint i = gl_LocalInvocationIndex;
    Node at = head;
    float sum = 0;
    for (uint k = 0; k < i; k++) {
        sum += at.value + float(at.mark & 3u);
        if (uint64_t(at.next) == 0ul)
            break;
        at = at.next;
    }
    sums[i] = sum;
}
