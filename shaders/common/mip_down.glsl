/* The box filter from a level of an image to the next, of any size. What includes it defines texel(), store(),
 * and the sizes of both levels; an extent that stays the same (1, or layers) is not filtered.
 *
 * Texel i of m covers texels i * n / m to (i + 1) * n / m of n. So with an even n it is the mean of two; with an odd
 * one, n = 2 * m + 1, of three, of which the outer two count with the part that is covered.
 * SPDX-License-Identifier: MIT
 */
vec4 texel(ivec3 at);
void store(ivec3 at, vec4 color);

vec3 weights(int at, int from, int to)
{
    if (from == to)
        return vec3(1, 0, 0);
    if (from == 2 * to)
        return vec3(0.5, 0.5, 0);
    return vec3(float(to - at), float(to), float(at + 1)) / float(from);
}

/* Texels with a weight of 0 are not read: one of them may be infinite, or outside. */
void mip_down(ivec3 at, ivec3 from, ivec3 to)
{
    if (any(greaterThanEqual(at, to)))
        return;
    vec3 x = weights(at.x, from.x, to.x), y = weights(at.y, from.y, to.y), z = weights(at.z, from.z, to.z);
    ivec3 first = mix(2 * at, at, equal(from, to));
    vec4 sum    = vec4(0);
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                float weight = x[i] * y[j] * z[k];
                if (weight != 0)
                    sum += weight * texel(first + ivec3(i, j, k));
            }
    store(at, sum);
}
