#version 450
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer X { int x[]; };
shared int tile[32];

void main()
{
    uint l = gl_LocalInvocationID.x;
    int v = x[l], k = 0;
    for (;; k++) {
        if (v > 5) {
            v += 2;
            if (x[32] == k)
                break;
        } else if (x[32] == k) {
            break;
        }
        tile[l] = v;
        barrier();
        v = tile[l ^ 1u];
    }
    x[l] = v + k;
}
