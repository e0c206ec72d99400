// The index of the device, which is 0 where a group has one device.
//! inout 0 u32 64
//! groups 2 1 1
#version 450
#extension GL_EXT_device_group : require
layout(local_size_x = 32) in;
layout(std430, binding = 0) buffer C { uint c[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    c[i] = c[i] * 3u + uint(gl_DeviceIndex + 1) * i;
}
