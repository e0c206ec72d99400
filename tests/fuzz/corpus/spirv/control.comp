#version 450
// Loops in loops, breaks, continues, a switch that falls through, early returns, functions.
layout(local_size_x_id = 3, local_size_y = 2) in;
layout(constant_id = 7) const int rounds = 5;
layout(constant_id = 8) const bool twice = false;
layout(constant_id = 9) const float weight = 0.5;
const int both = rounds * 2 + (twice ? 1 : 0);
layout(std430, binding = 0) buffer A { int a[]; };

int step_of(int x, inout int y)
{
    if (x < 0)
        return 1;
    for (int i = 0; i < rounds; i++) {
        if (i == x)
            continue;
        y += i;
        if (y > 100)
            return i;
    }
    return 0;
}

void main()
{
    uint i = gl_LocalInvocationIndex + gl_WorkGroupID.x * gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    int x = a[i], y = both;
    int table[4] = int[](1, 3, x, y);
    do {
        switch (x & 3) {
        case 0:
            y += 1;
        case 1:
            y ^= table[x & 3];
            break;
        case 2:
            if (y > 3)
                break;
            y++;
        default:
            x += step_of(x, y);
        }
        while (y > 40) {
            y -= x > 2 ? 7 : 3;
            if (y == 42)
                break;
        }
        x--;
    } while (x > 0);
    a[i] = twice ? int(float(y) * weight) : y;
}
