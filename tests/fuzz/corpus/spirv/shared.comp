#version 450
// Shared memory, barriers, atomics, buffers of structs, matrices.
layout(local_size_x = 32) in;
struct Item { vec3 position; float mass; mat3 axes; int kinds[3]; };
layout(std430, set = 1, binding = 0) restrict readonly buffer Items { Item items[]; };
layout(std140, set = 0, binding = 1) uniform View { layout(row_major) mat4 view; vec2 sizes[2]; } camera;
layout(std430, set = 0, binding = 0) coherent buffer Sums { uint total; uint bins[16]; float sums[]; };
shared float part[32];
shared uint most;

void main()
{
    uint local = gl_LocalInvocationID.x;
    uint count = uint(items.length());
    if (local == 0)
        most = 0;
    barrier();
    float sum = 0;
    for (uint i = local; i < count; i += gl_WorkGroupSize.x) {
        Item item = items[i];
        vec4 seen = camera.view * vec4(item.axes * item.position, 1) * determinant(item.axes);
        sum += item.mass * seen.x + transpose(item.axes)[1][2] + camera.sizes[i & 1].y;
        atomicAdd(bins[uint(item.kinds[i % 3]) & 15u], 1u);
        atomicMax(most, floatBitsToUint(abs(sum)));
    }
    part[local] = sum;
    for (uint half_size = 16; half_size > 0; half_size /= 2) {
        memoryBarrierShared();
        barrier();
        if (local < half_size)
            part[local] += part[local + half_size];
    }
    if (local == 0) {
        sums[gl_WorkGroupID.x] = part[0];
        atomicCompSwap(total, 0u, atomicExchange(bins[0], most));
    }
}
