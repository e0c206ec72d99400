// Work-items of a group that leave loops with barriers one by one, or together by different ways; x is given.
#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) readonly buffer X { uint x[]; };
layout(std430, binding = 1) writeonly buffer Y { uint y[]; };
layout(push_constant) uniform P { uint kind, n; };
shared uint tile[32];
shared uint more;

uint other(uint l, uint v)
{
    tile[l] = v;
    barrier();
    v += tile[31u - l];
    barrier();
    return v;
}

/* The barriers are in the first round; then each leaves in a round of its own. */
uint one_by_one(uint i, uint l)
{
    uint v = x[i], k, from_counter;
    for (k = 0u;; k++) {
        if (k == 0u)
            v = other(l, v);
        from_counter = k * 3u + n;
        if (k == x[i] % 8u)
            break;
        v = v * 5u + 1u;
    }
    return v * 64u + k + from_counter;
}

/* All return in the same round, and the loop has no other end. */
uint returning(uint i, uint l)
{
    uint v = x[i];
    for (uint k = 0u;; k++) {
        v = other(l, v);
        if ((l & 1u) == 0u) {
            if (k == n)
                return v;
            v += 3u;
        } else if (k == n) {
            return v + 1u;
        }
    }
}

/* The whole group leaves, or none of it: no work-item of it would end the loop. */
uint ended(uint i, uint l)
{
    if (x[i] < n)
        return 7u;
    if (l == 0u)
        more = 3u;
    uint v = x[i];
    while (true) {
        v = other(l, v);
        uint left = more;
        barrier();
        if (left == 0u)
            break;
        if (l == 0u)
            more = left - 1u;
    }
    return v;
}

/* Some leave the switch, and the others the function; what is behind has a barrier for none. */
uint two_ways(uint i, uint l)
{
    uint v = other(l, x[i]);
    switch (0) {
    default:
        if (l < n)
            break;
        v += 5u;
        if (kind == 3u)
            return v;
        v = other(l, v);
    }
    return kind == 3u ? v * 2u : other(l, v);
}

/* Each takes its own of two cases, or all take the one with a barrier. */
uint cases(uint i, uint l)
{
    uint v = x[i];
    switch (n == 9u ? 2u : l % 2u) {
    case 0u:
        v += 1u;
        break;
    case 2u:
        v = other(l, v);
        if (l < 5u)
            break;
    case 1u:
        v *= 3u;
        break;
    }
    return v;
}

/* The last round's end lets all go, whether they break or not. */
uint counted(uint i, uint l)
{
    uint v = x[i];
    for (uint k = 0u; k < 4u; k++) {
        v = other(l, v);
        if (k == n && (l & 1u) == 0u)
            break;
        v = v * 3u + 1u;
    }
    return v;
}

/* All return in one round, from the inner loop of two. */
uint nested(uint i, uint l)
{
    uint v = x[i];
    for (uint round = 0u;; round += 4u) {
        for (uint k = 0u; k < 4u; k++) {
            v = other(l, v);
            if ((l & 1u) == 0u) {
                if (round + k == n)
                    return v;
                v += 3u;
            } else if (round + k == n) {
                return v + 1u;
            }
        }
        v ^= 5u;
    }
}

/* The group loads the count before the loop; where all have left, none has written it. */
uint counts(uint i, uint l)
{
    if (x[i] < n)
        return 7u;
    uint v = x[i];
    if (l == 0u)
        more = 4u;
    barrier();
    uint count = more - 1u;
    for (uint k = 0u; k != count; k++)
        v = other(l, v);
    return v;
}

/* A group that has nothing to do would count down from a negative number. */
uint rest(uint i, uint l)
{
    if (i >= n)
        return 7u;
    uint v = x[i], count = n - gl_WorkGroupID.x * 32u;
    for (uint k = 0u; k < count; k++)
        v = other(l, v);
    return v;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x, v = 0u;
    switch (kind) {
    case 0u: v = one_by_one(i, l); break;
    case 1u: v = returning(i, l); break;
    case 2u: v = ended(i, l); break;
    case 3u: v = two_ways(i, l); break;
    case 4u: v = cases(i, l); break;
    case 5u: v = counted(i, l); break;
    case 6u: v = nested(i, l); break;
    case 7u: v = counts(i, l); break;
    case 8u: v = rest(i, l); break;
    }
    y[i] = v;
}
