// Elements of arrays, their members and whole arrays as arguments of functions.
//! inout 0 f32 68
//! inout 0 f32 68
//! inout 0 f32 68
//! image in 1 rgba32f 2d 8 8 1 1 range 0 1
//! image in 1 rgba32f 2d 8 8 1 1 range 0 1
//! sampler 1 nearest nearest repeat
//! out 2 f32 64 abs 1e-4 rel 1e-4
//! groups 1 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer Part { vec4 head; float x[]; } parts[3];
layout(binding = 1) uniform sampler2D textures[2];
layout(std430, binding = 2) buffer Out { float y[]; };

void change(inout float value, float by)
{
    value = value * 0.5 + by;
}

float pick(uint k, uint i)
{
    return parts[k].x[i] + parts[k].head[i % 4u];
}

vec4 all(sampler2D given[2], vec2 at)
{
    return textureLod(given[0], at, 0.0) - textureLod(given[1], at.yx, 0.0);
}

vec4 one(sampler2D given, vec2 at)
{
    return textureLod(given, at, 0.0);
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec2 at = vec2(i % 8u, i / 8u) / 8.0 + 0.06;
    change(parts[i / 32u].x[i], pick(2, i));
    y[i] = pick(i / 32u, i) + all(textures, at).x + one(textures[1], at).w;
}
