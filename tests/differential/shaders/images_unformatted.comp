#version 450
#extension GL_EXT_shader_image_load_formatted : require
// Storage images whose format the shader does not know: one shader for all of them.
//! image inout 0 rgba8 2d 14 6 1 1
//! image inout 1 rg16f 2d 14 6 1 1 range -8 8
//! image inout 2 r32f 2d 14 6 1 1 range -8 8
//! image inout 3 rgba16ui 2d 14 6 1 1
//! image inout 4 r8i 2d 14 6 1 1
//! image inout 5 rgb10_a2 2d 14 6 1 1
//! image inout 6 rg8_snorm 3d 6 4 3 1
//! groups 2 2 1
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) uniform image2D a;
layout(binding = 1) uniform image2D b;
layout(binding = 2) uniform image2D c;
layout(binding = 3) uniform uimage2D d;
layout(binding = 4) uniform iimage2D e;
layout(binding = 5) uniform image2D f;
layout(binding = 6) uniform image3D g;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(a, at, imageLoad(a, at).abgr);
    imageStore(b, at, imageLoad(b, at).yxzw * 0.5);
    imageStore(c, at, imageLoad(c, at) - 1.0);
    imageStore(d, at, imageLoad(d, at).wxyz ^ uvec4(0xff));
    imageStore(e, at, max(imageLoad(e, at), ivec4(-100)) - 3);
    imageStore(f, at, imageLoad(f, at).zyxw);
    if (at.x < 6 && at.y < 4)
        for (int z = 0; z < 3; z++)
            imageStore(g, ivec3(at, z), -imageLoad(g, ivec3(at, z)).yxzw);
}
