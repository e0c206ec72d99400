// Structs, matrices, bools and small vectors in shared memory.
//! in 0 f32 512 range -9 9
//! out 1 f32 512 ulp 4 abs 1e-5
//! groups 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { vec4 a[]; };
layout(std430, binding = 1) writeonly buffer C { vec4 c[]; };

struct body {
    vec3 position;
    mat2 turn;
    bool alive;
    bvec2 sides;
    float list[2];
};
shared body bodies[64];
shared mat3 common_;
shared bool any_;

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x;
    vec4 x = a[i];
    bodies[local].position = x.xyz;
    bodies[local].turn = mat2(x.x, x.y, x.z, x.w);
    bodies[local].alive = x.x > 0.0;
    bodies[local].sides = greaterThan(x.yz, vec2(0));
    bodies[local].list[local & 1u] = x.w;
    bodies[local].list[1u - (local & 1u)] = -x.w;
    if (local == 0u) {
        common_ = mat3(2.0);
        common_[1].z = 3.0;
        any_ = true;
    }
    barrier();
    body other = bodies[63u - local];
    vec3 v = common_ * other.position;
    v.xy += other.turn * bodies[(local + 5u) & 63u].position.yz;
    v.z += other.list[local % 2u];
    c[i] = vec4(v, float(other.alive && any_) + 2.0 * float(other.sides.x) + 4.0 * float(bodies[local].sides.y));
}
