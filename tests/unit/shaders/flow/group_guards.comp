#version 450
// What stands between two barriers, guarded in all kinds of ways, one for each value of `kind`.
layout(local_size_x = 32, local_size_y = 2) in;
layout(constant_id = 0) const uint kind = 0u;
layout(set = 0, binding = 0) buffer Hits { uint hits[]; };
layout(push_constant) uniform Arguments { uint offset; uint bound; };
shared uint seen[64];
void main()
{
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y, item = gl_LocalInvocationIndex, more = 0u;
    seen[item] = 0u;
    barrier();
    if (kind == 0u) {
        if (x < bound)
            seen[item] = x + 1u;
    } else if (kind == 1u) {
        if (x + offset < bound)
            seen[item] = x + 1u;
    } else if (kind == 2u) {
        if (offset + x <= bound)
            seen[item] = x + 1u;
    } else if (kind == 3u) {
        if (bound > x + offset && y < offset)
            seen[item] = x + 1u;
    } else if (kind == 4u) {
        if (x == bound)
            seen[item] = x + 1u;
    } else if (kind == 5u) {
        if (!(x + offset < bound))
            seen[item] = x + 1u;
    } else if (kind == 6u) {
        if (int(x) >= int(offset) && int(x) < int(bound))
            seen[item] = x + 1u;
    } else if (kind == 7u) {
        if (gl_GlobalInvocationID.x < bound)
            seen[item] = x + 1u;
    } else {
        more = x < bound ? seen[item] + 7u : x * 2u;
        if (x < offset)
            seen[item] = x + 1u;
    }
    barrier();
    hits[gl_WorkGroupID.x * 64u + item] = seen[(item + 1u) % 64u] + more;
}
