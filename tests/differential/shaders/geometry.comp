// Lengths, products and reflections.
//! in 0 f32 768 range -4 4
//! in 1 f32 768 range -4 4
//! out 2 f32 7680 rel 1e-4 abs 1e-4
//! groups 3 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { vec4 a[]; };
layout(std430, binding = 1) readonly buffer B { vec4 b[]; };
layout(std430, binding = 2) writeonly buffer C { float c[]; };

uint at;

void put(float value)
{
    c[at++] = value;
}

void put(vec3 value)
{
    put(value.x);
    put(value.y);
    put(value.z);
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    at = i * 40u;
    vec4 x = a[i], y = b[i] + vec4(0.25);
    put(length(x.x));
    put(length(x.xy));
    put(length(x.xyz));
    put(length(x));
    put(distance(x.x, y.x));
    put(distance(x.xy, y.xy));
    put(distance(x, y));
    put(dot(x.xy, y.xy));
    put(dot(x.xyz, y.xyz));
    put(dot(x, y));
    put(cross(x.xyz, y.xyz));
    put(normalize(x.xyz + vec3(5)));
    put(dot(normalize(x + vec4(5)), vec4(1)));
    put(normalize(x.x) * sign(x.x));
    put(faceforward(x.xyz, y.xyz, x.zyx + vec3(7)));
    put(dot(faceforward(x, y, vec4(9, 0, 0, 0) + x), vec4(1)));
    put(reflect(x.xyz, normalize(y.xyz + vec3(5))));
    put(reflect(x.x, 1.0));
    put(refract(normalize(x.xyz - vec3(9)), normalize(y.xyz + vec3(5)), 0.8));
    put(dot(refract(normalize(x - vec4(9)), normalize(y + vec4(5)), 0.5), vec4(1)));
    put(refract(normalize(x.xyz - vec3(9, 1, 0)), normalize(vec3(1, y.y * 0.1, 6)), 3.0));
    while (at < i * 40u + 40u)
        put(0.0);
}
