// Values that go around a loop and change places: every phi reads what the others were.
//! in 0 i32 512
//! out 1 i32 1024
//! groups 2 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { ivec4 a[]; };
layout(std430, binding = 1) writeonly buffer C { ivec4 c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    ivec4 v = a[i];
    int x = v.x, y = v.y, z = v.z, w = v.w;
    for (int k = 0; k < 7; k++) {
        int t = x;
        x = y;
        y = t;
        if ((z & 1) != 0) {
            t = z;
            z = w;
            w = t + k;
        } else {
            z = (z >> 1) ^ x;
        }
    }
    c[i * 2u] = ivec4(x, y, z, w);
    int lo = v.x, hi = v.y;
    bool turned = false;
    for (int k = 0; k < 5 && lo != hi; k++) {
        if (lo > hi) {
            int t = lo;
            lo = hi;
            hi = t;
            turned = !turned;
        }
        lo += hi / 3 + 1;
        v = v.wxyz;
    }
    c[i * 2u + 1u] = ivec4(lo, hi, turned ? 1 : 0, v.z);
}
