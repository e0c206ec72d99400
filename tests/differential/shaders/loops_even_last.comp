#version 450
/* A guard around the whole body, elements of one byte, fewer groups than a thread runs items, and no rounds. */
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 32) in;
//! in 0 u8 96
//! out 1 f32 96
//! inout 2 u8 96
//! groups 3 1 1
//! push u32 95 u32 0 u32 3
layout(binding = 0) readonly buffer X { uint8_t x[]; };
layout(binding = 1) writeonly buffer Y { float y[]; };
layout(binding = 2) buffer Z { uint8_t z[]; };
layout(push_constant) uniform Arguments { uint count; uint none; uint few; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < count) {
        uint v = uint(x[i]), u = uint(z[i]);
        for (uint r = 0u; r < none; r++)
            v = v * 3u + 1u;
        for (uint r = none; r < few; r++)
            u = u * 5u + v;
        y[i] = float(v) / 255.0;
        z[i] = uint8_t(u);
    }
}
