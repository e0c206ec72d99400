// Divergent loops: each work-item turns as often as its point says.
//! out 0 u32 4096
//! push f32 -2 -1.25 2.5 u32 64
//! groups 8 8 1
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) writeonly buffer C { uint c[]; };
layout(push_constant) uniform Push { float left; float top; float width; uint side; };

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    precise float x0 = left + width * float(at.x) / 64.0;
    precise float y0 = top + width * float(at.y) / 64.0;
    precise float x = 0.0, y = 0.0;
    uint turns = 0u;
    while (turns < 40u) {
        precise float xx = x * x, yy = y * y;
        if (xx + yy > 4.0)
            break;
        precise float xy = x * y;
        y = xy * 2.0 + y0;
        x = xx - yy + x0;
        turns++;
    }
    c[at.y * side + at.x] = turns;
}
