/* The sum, the least or the greatest of two values, as the parameter `operation` says: 0, 1 or 2.
 *
 * Before it: VALUE and IS_NAN(value) as for common/reduce_spans.glsl.
 * SPDX-License-Identifier: MIT
 */
VALUE combine(VALUE x, VALUE y)
{
    if (operation == 0)
        return x + y;
    if (IS_NAN(x))
        return x;
    if (operation == 1)
        return x < y ? x : y;
    return x > y ? x : y;
}
