// Switches: falling through, a default in the middle, nested, with returns and continues inside.
//! in 0 i32 256 range -3 12
//! out 1 i32 256
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) writeonly buffer C { int c[]; };

int classify(int x)
{
    switch (x) {
    case -2:
    case -1:
        return -100;
    case 0:
        x += 5;
    case 1:
        x += 7;
        break;
    default:
        x *= 2;
    case 2:
        x -= 1;
        break;
    case 3: {
        for (int k = 0; k < 5; k++) {
            switch (k) {
            case 1:
                continue;
            case 3:
                x += 1000;
                break;
            default:
                x += k;
            }
            x *= 2;
        }
        break;
    }
    case 4:
        if (x > 3)
            break;
        x = 9999;
    case 5:
        return x + 300;
    }
    return x;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    int x = a[i];
    int result = classify(x);
    switch (x & 3) {
    }
    switch (x & 3) {
    default:
        result += 1;
    }
    switch (uint(x)) {
    case 4294967295u:
        result += 20000;
        break;
    case 7u:
        result += 70000;
    }
    /* into a case that does nothing, with another one behind it */
    switch (x & 3) {
    case 0:
    case 1:
        break;
    case 2:
        result += 300000;
        break;
    }
    switch ((x >> 1) & 3) {
    case 0: {
        int unused = x * 3;
    }
    case 1: {
    } break;
    case 2: {
        result ^= 0x55000;
    } break;
    }
    c[i] = result;
    switch ((x >> 1) & 3) {
    case 0: {
        int unused = x * 3;
    }
    case 1: {
        bool neither = x > 7;
    } break;
    case 2: {
        c[i] = -result;
    } break;
    }
}
