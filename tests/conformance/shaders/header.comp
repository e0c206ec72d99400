#version 450
// A buffer with a header before its array, which sets a minimum size.
layout(local_size_x = 16) in;
layout(std430, binding = 0) buffer Samples { uint count; uint total; uint values[]; } samples;

void main()
{
    if (gl_GlobalInvocationID.x < samples.count)
        atomicAdd(samples.total, samples.values[gl_GlobalInvocationID.x]);
}
