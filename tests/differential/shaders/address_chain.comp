// Pointers to structs of pointers, which the shader stores in memory itself and follows again.
//! in 20 f32 64 range -3 3
//! inout 21 8pad,8pad,u32,4pad 64 index 3 5
//! out 1 f32 64
//! push u64 0 0
//! address push 0 0 1 20 0 0
//! address push 8 0 1 21 0 0
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Float { float v; };
layout(buffer_reference) buffer Cell;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Cell {
    Float data;
    Cell other;
    uint mark;
};
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Handle { Cell cell; };
layout(push_constant) uniform Push { Float values; Cell cells; };
layout(std430, binding = 1) writeonly buffer Out { float results[]; };

void main()
{
    int i = int(gl_LocalInvocationIndex);
    Cell mine = cells[i];
    mine.data = values + (63 - i);
    mine.other = cells + ((i * 7) % 64);
    mine.mark += uint(i);
    barrier();
    memoryBarrierBuffer();
    barrier();
    Handle handle = Handle(uint64_t(mine) + 8ul);
    Cell far = handle.cell.other.other;
    Float number = handle.cell.data;
    results[i] = number.v + far.data.v * 2.0 + float(far.mark);
}
