#version 450
/* The discrete Fourier transform of rows of 1024 complex numbers: Stockham's, of radix 4, through shared memory. A group
 * has a row, an invocation four numbers. */
layout(local_size_x = 256) in;

layout(std430, set = 0, binding = 0) readonly buffer X { vec2 x[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Y { vec2 y[]; };

shared vec2 row[1024];

vec2 times(vec2 a, vec2 b)
{
    return vec2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

void main()
{
    uint i = gl_LocalInvocationID.x, begin = gl_WorkGroupID.x * 1024;
    vec2 a = x[begin + i], b = x[begin + i + 256], c = x[begin + i + 512], d = x[begin + i + 768];

    for (uint p = 1; p < 1024; p *= 4) {
        uint k = i & (p - 1);
        float angle = -6.283185307 * float(k) / float(4 * p);
        vec2 w = vec2(cos(angle), sin(angle)), w2 = times(w, w);
        b = times(b, w);
        c = times(c, w2);
        d = times(d, times(w2, w));
        vec2 ac = a + c, amc = a - c, bd = b + d, bmd = vec2(b.y - d.y, d.x - b.x);
        uint to = (i - k) * 4 + k;
        row[to] = ac + bd;
        row[to + p] = amc + bmd;
        row[to + 2 * p] = ac - bd;
        row[to + 3 * p] = amc - bmd;
        barrier();
        a = row[i];
        b = row[i + 256];
        c = row[i + 512];
        d = row[i + 768];
        barrier();
    }
    y[begin + i] = a;
    y[begin + i + 256] = b;
    y[begin + i + 512] = c;
    y[begin + i + 768] = d;
}
