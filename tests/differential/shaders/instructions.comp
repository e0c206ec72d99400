// Instructions that GLSL itself has no words for.
//! in 0 f32 256 special
//! in 1 f32 256 range -7 7
//! in 2 i32 256
//! in 3 i32 256 range -9 9
//! out 4 u32 3584
//! out 5 f32 2304 ulp 1 abs 1e-6
//! groups 4 1 1
#version 450
#extension GL_EXT_spirv_intrinsics : require
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { float a[]; };
layout(std430, binding = 1) readonly buffer B { float b[]; };
layout(std430, binding = 2) readonly buffer E { int e[]; };
layout(std430, binding = 3) readonly buffer F { int f[]; };
layout(std430, binding = 4) writeonly buffer C { uint c[]; };
layout(std430, binding = 5) writeonly buffer D { float d[]; };

spirv_instruction(id = 140) float op_frem(float x, float y);
spirv_instruction(id = 138) int op_srem(int x, int y);
spirv_instruction(id = 181) bool op_unordered_equal(float x, float y);
spirv_instruction(id = 182) bool op_ordered_not_equal(float x, float y);
spirv_instruction(id = 185) bool op_unordered_less(float x, float y);
spirv_instruction(id = 187) bool op_unordered_greater(float x, float y);
spirv_instruction(id = 189) bool op_unordered_less_equal(float x, float y);
spirv_instruction(id = 191) bool op_unordered_greater_equal(float x, float y);
spirv_instruction(id = 116) float op_quantize(float x);
spirv_instruction(id = 83) float op_copy(float x);
spirv_instruction(id = 196) int op_left(int x, uint y);
spirv_instruction(id = 134) uint op_udiv(uint x, uint y);
spirv_instruction(set = "GLSL.std.450", id = 79) float op_nmin(float x, float y);
spirv_instruction(set = "GLSL.std.450", id = 80) float op_nmax(float x, float y);
spirv_instruction(set = "GLSL.std.450", id = 81) float op_nclamp(float x, float y, float z);

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 14u, p = i * 9u;
    float x = a[i], y = b[i], z = a[255u - i];
    int u = e[i], v = f[i] == 0 || f[i] == -1 ? 4 : f[i];
    c[o + 0u] = uint(op_srem(u & 0x7fffffff, abs(v))); // of negative numbers Vulkan promises nothing
    c[o + 1u] = uint((u & 0x7fffffff) % abs(v));
    c[o + 2u] = uint(op_unordered_equal(x, z));
    c[o + 3u] = uint(op_ordered_not_equal(x, z));
    c[o + 4u] = uint(op_unordered_less(x, z));
    c[o + 5u] = uint(op_unordered_greater(x, z));
    c[o + 6u] = uint(op_unordered_less_equal(x, z));
    c[o + 7u] = uint(op_unordered_greater_equal(x, z));
    c[o + 8u] = uint(op_left(u, uint(v) & 31u));
    c[o + 9u] = op_udiv(uint(u), 77u);
    c[o + 10u] = uint(isnan(x) || isnan(z));
    c[o + 11u] = uint(!op_unordered_less(x, y));
    c[o + 12u] = uint(!(x >= z));
    c[o + 13u] = uint(x != z);
    d[p + 0u] = op_frem(y, 1.5);
    d[p + 1u] = op_frem(y, -2.25);
    d[p + 2u] = mod(y, -2.25);
    d[p + 3u] = op_quantize(y);
    d[p + 4u] = op_copy(y) + 1.0;
    d[p + 5u] = op_nmin(x, y);
    d[p + 6u] = op_nmax(x, y);
    d[p + 7u] = op_nclamp(x, -2.0, 3.0);
    d[p + 8u] = op_quantize(y * 1e-3);
}
