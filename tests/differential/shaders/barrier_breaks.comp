// Loops with barriers that all work-items of a group leave in one round, but not at one place: by a `break` inside
// of conditions in which they differ, of inner loops and of switches. x is the same for a group, which only its
// work-items know.
//! in 0 u32 512
//! out 1 u32 2048
//! groups 8 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { uint a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };
shared uint tile[64];

uint turn(uint value, uint local, uint by)
{
    barrier();
    tile[local] = value;
    barrier();
    return value * 3u + tile[(local + by) & 63u];
}

/* One `break` in an `if` that a half takes, which is never reached, and one on each side of another. */
uint sides(uint local, uint x, uint own)
{
    uint sum = own, k = 0u;
    for (; k < 9u; k++) {
        if ((local & 1u) == 0u) {
            sum += local;
            if (x == 1000u)
                break;
        }
        if (local < 20u) {
            sum ^= 5u;
            if (k == x % 7u)
                break;
            sum += 1u;
        } else if (k == x % 7u) {
            sum *= 7u;
            break;
        }
        sum = turn(sum, local, k);
    }
    return sum * 16u + k;
}

/* From an inner loop, from a switch, and at the loop's end. */
uint inside(uint local, uint x, uint own)
{
    uint sum = own, k = 0u;
    do {
        bool is_over = false;
        for (uint i = 0u; i < 1u + local % 3u; i++) {
            sum += i * own;
            if (i == local % 3u && k == x % 5u) {
                is_over = true;
                break;
            }
        }
        if (is_over)
            break;
        switch (local & 3u) {
        case 0u:
            sum += 1u;
            if (x % 11u == 3u)
                continue;
        case 1u:
            sum ^= 9u;
            break;
        default:
            sum += local;
        }
        sum = (x % 11u == 3u) ? sum + 1u : sum * 5u;
    } while (++k < 6u && turn(sum, local, 3u) != 0u);
    return sum + k;
}

/* Work-items wait for the next round, all of them in most rounds; the rest decides whether to leave. */
uint waits(uint local, uint x, uint own)
{
    uint sum = own, k;
    for (k = 0u; k < 8u; k++) {
        sum = turn(sum, local, 1u);
        if (k + (local >> 8) < 2u + x % 3u)
            continue;
        sum *= 3u;
        if (x < 2000u)
            break;
    }
    return sum ^ k;
}

/* The inner loop lets a work-item leave both. */
uint both(uint local, uint x, uint own)
{
    uint sum = own;
    for (uint k = 0u; k < 4u; k++) {
        for (uint i = 0u; i < 3u; i++) {
            if (local > 40u) {
                sum += 3u;
                if (k * 3u + i == x % 13u)
                    return sum;
            } else if (k * 3u + i == x % 13u) {
                return sum + 1u;
            }
            sum = turn(sum, local, k + i);
        }
        sum += k;
    }
    return sum * 2u;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, local = gl_LocalInvocationID.x, x = a[gl_WorkGroupID.x] % 1000u;
    c[i * 4u] = sides(local, x, a[i]);
    c[i * 4u + 1u] = inside(local, x, a[i]);
    c[i * 4u + 2u] = waits(local, x, a[i]);
    c[i * 4u + 3u] = both(local, x, a[i]);
}
