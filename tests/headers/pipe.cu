// Each function of trireme/device/pipe.cuh, for tests/headers/device.sh.
#include <trireme/device/pipe.cuh>

template <typename T, unsigned Tile, unsigned Depth>
static __device__ void copy(typename trireme::pipe<T, Tile, Depth>::ring &ring, const T *from, T *to, unsigned count)
{
    trireme::pipe<T, Tile, Depth> pipe(ring);

    for (unsigned first = blockIdx.x * Tile; first < count; first += gridDim.x * Tile) {
        if (pipe.is_producer()) {
            pipe.produce(from + first, min(Tile, count - first));
            continue;
        }
        const T *tile = pipe.consume();
        for (unsigned i = pipe.consumer(); i < pipe.count(); i += pipe.consumers())
            to[first + i] = tile[i];
        pipe.release();
    }
}

extern "C" __global__ void floats(const float *from, float *to, unsigned count)
{
    __shared__ trireme::pipe<float, 1024, 4>::ring ring;
    copy<float, 1024, 4>(ring, from, to, count);
}

extern "C" __global__ void bytes(const unsigned char *from, unsigned char *to, unsigned count)
{
    __shared__ trireme::pipe<unsigned char, 4096, 3>::ring ring;
    copy<unsigned char, 4096, 3>(ring, from, to, count);
}
