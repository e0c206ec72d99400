// Items below one another, where what they do stands inside of the question.
//! in 0 2i32 1110 range -99 99
//! out 1 u32 1110
//! groups 5 4 1
//! push u32 37 u32 30
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, binding = 0) readonly buffer A { ivec2 a[]; };
layout(std430, binding = 1) writeonly buffer C { uint c[]; };
layout(push_constant) uniform P { uint width, height; };

void main()
{
    uint x = gl_GlobalInvocationID.x, y = gl_GlobalInvocationID.y;
    if (x < width && y < height) {
        ivec2 own = a[y * width + x];
        ivec2 next = own;
        if (y + 1u < height)
            next = a[(y + 1u) * width + x];
        uint sum = uint(own.x * next.y);
        switch (own.y & 3) {
        case 0:
            sum += y;
            break;
        case 1:
            sum ^= uint(next.x / max(own.x, 1));
        default:
            sum *= 3u;
        }
        c[y * width + x] = sum;
    }
}
