/* The kernel of the mixes of the suite "pools" on a GPU, for Trireme and for its peers: the same work as
 * mix_kernel() of pools_work.h. Compiled by NVRTC.
 * SPDX-License-Identifier: MIT
 */
extern "C" __global__ void mix(const float *__restrict__ source, float *__restrict__ target, unsigned count,
                               unsigned links)
{
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    if (i >= count)
        return;
    float v = source[i];
    for (unsigned link = 0; link < links; link++)
        v = fmaf(v, 0.5f, 0.25f);
    target[i] = v;
}
