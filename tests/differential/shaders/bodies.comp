// Bodies that pull each other: vectors, a loop over tiles, square roots.
//! in 0 f32 1024 range -10 10
//! out 1 f32 1024 rel 1e-3 abs 1e-3
//! push u32 256 f32 0.01 0.5
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { vec4 a[]; };
layout(std430, binding = 1) writeonly buffer C { vec4 c[]; };
layout(push_constant) uniform Push { uint count; float step_; float softening; };
shared vec4 tile[gl_WorkGroupSize.x];

vec3 pull(vec3 me, vec4 other)
{
    vec3 away = other.xyz - me;
    float square = dot(away, away) + softening;
    float inverse_ = inversesqrt(square);
    return away * (abs(other.w) * inverse_ * inverse_ * inverse_);
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec3 me = a[i].xyz, force = vec3(0);
    for (uint base = 0u; base < count; base += gl_WorkGroupSize.x) {
        tile[gl_LocalInvocationID.x] = a[base + gl_LocalInvocationID.x];
        barrier();
        for (uint k = 0u; k < gl_WorkGroupSize.x; k++)
            force += pull(me, tile[k]);
        barrier();
    }
    c[i] = vec4(me + force * step_, length(force));
}
