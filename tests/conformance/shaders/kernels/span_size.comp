#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_8bit_storage : require
// Writes how many bytes of its second buffer it was given, and the first of them.
layout(local_size_x = 1) in;
layout(std430, binding = 0) writeonly buffer Result { uint64_t values[]; } result;
layout(std430, binding = 1) readonly buffer Bytes { uint8_t values[]; } bytes;

void main()
{
    uint size        = uint(bytes.values.length());
    result.values[0] = size;
    result.values[1] = size > 0 ? uint(bytes.values[0]) : 0;
}
