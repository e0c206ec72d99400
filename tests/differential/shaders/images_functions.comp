#version 450
// Images and samplers as parameters of functions, and chosen by the flow of control.
//! image in 0 rgba8 2d 18 10 1 2
//! image out 1 r32f 2d 18 10 1 1 abs 2e-2
//! image out 2 rgba8 2d 18 10 1 1
//! image in 5 r32f 2d 18 10 1 1 range 0 1
//! image in 3 rgba32f 2d 18 10 1 1 range 0 1
//! sampler 0 linear nearest clamp
//! sampler 3 nearest nearest repeat
//! out 4 f32 720 abs 2e-2 filter 4
//! groups 3 3 1
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) uniform sampler2D bytes;
layout(binding = 1) uniform writeonly image2D left;
layout(binding = 2) uniform writeonly image2D right;
layout(binding = 5, r32f) uniform readonly image2D start;
layout(binding = 3) uniform sampler2D floats;
layout(std430, binding = 4) buffer Out { vec4 made[]; };
vec4 around(sampler2D source, vec2 at, float reach)
{
    vec4 sum = vec4(0);
    for (int i = 0; i < 4; i++)
        sum += textureLod(source, at + reach * vec2(i & 1, i >> 1), 0.0);
    return 0.25 * sum;
}
void put(writeonly image2D target, ivec2 at, float value)
{
    if (value > 0.75)
        imageStore(target, at, vec4(1));
    else
        imageStore(target, at, vec4(floor(value * 255.0) / 255.0));
}
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(left);
    if (at.x >= size.x || at.y >= size.y)
        return;
    vec2 place = (vec2(at) + 0.25) / vec2(size);
    vec4 color;
    if ((at.x + at.y) % 3 == 0)
        color = around(bytes, place, 0.031);
    else
        color = around(floats, place, 0.052);
    float here = imageLoad(start, at).x;
    put(right, at, 0.25);
    if (here > 0.5)
        put(left, at, here);
    else
        put(right, at, here);
    if (here <= 0.5)
        put(left, at, 0.5 * here);
    switch (at.y % 3) {
    case 0:
        color += here;
        break;
    case 1:
        color -= 2.0 * here;
        break;
    default:
        color += textureLod(bytes, place, 1.0);
    }
    made[at.y * 18 + at.x] = color;
}
