#version 450
/* One step of n bodies that attract each other, 256 at a time through shared memory; n is a multiple of 256. */
layout(local_size_x = 256) in;

layout(std430, set = 0, binding = 0) readonly buffer Bodies { vec4 bodies[]; }; /* w: the mass */
layout(std430, set = 0, binding = 1) readonly buffer Speeds { vec4 speeds[]; };
layout(std430, set = 0, binding = 2) writeonly buffer NewBodies { vec4 new_bodies[]; };
layout(std430, set = 0, binding = 3) writeonly buffer NewSpeeds { vec4 new_speeds[]; };
layout(push_constant) uniform Parameters {
    uint n;
    float step;
    float softening;
};

shared vec4 tile[256];

void main()
{
    uint i = gl_GlobalInvocationID.x, t = gl_LocalInvocationID.x;
    vec4 own = bodies[i];
    vec3 force = vec3(0.0);

    for (uint begin = 0; begin < n; begin += 256) {
        tile[t] = bodies[begin + t];
        barrier();
        for (uint j = 0; j < 256; j++) {
            vec4 other = tile[j];
            vec3 d = other.xyz - own.xyz;
            float r = inversesqrt(dot(d, d) + softening);
            force += d * (other.w * r * r * r);
        }
        barrier();
    }
    vec3 speed = speeds[i].xyz + force * step;
    new_speeds[i] = vec4(speed, 0.0);
    new_bodies[i] = vec4(own.xyz + speed * step, own.w);
}
