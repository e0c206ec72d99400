/* Trireme: a pipe between the warps of one work-group, for kernels in CUDA C++.
 *
 * One warp, the producer, moves tiles from global memory into a ring in shared memory; all other warps, the
 * consumers, compute. So loads run ahead of the arithmetic without costing it registers. Tiles are moved by the bulk
 * copy engine from Hopper on (cp.async.bulk), by cp.async on Ampere and Ada.
 *
 *     using floats = trireme::pipe<float, 2048, 4>;      // tiles of 2048 floats, four in the ring
 *
 *     __global__ void kernel(const float *from, float *to, unsigned tiles)
 *     {
 *         __shared__ floats::ring ring;
 *         floats pipe(ring);
 *         for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
 *             if (pipe.is_producer()) {
 *                 pipe.produce(from + 2048 * tile, 2048);
 *             } else {
 *                 const float *x = pipe.consume();
 *                 for (unsigned i = pipe.consumer(); i < 2048; i += pipe.consumers())
 *                     to[2048 * tile + i] = f(x[i]);
 *                 pipe.release();
 *             }
 *         }
 *     }
 *
 * All threads of the group construct the pipe. The group has one dimension and whole warps, at least two; the first is
 * the producer. The producer calls produce() as often as the consumers call consume(); each of these calls is made by
 * all threads of a warp together. Before the kernel ends, every tile that was produced has been consumed.
 *
 * Needs compute capability 8.0. Compile with the folder of Trireme's headers: nvcc $(pkg-config --cflags trireme), or
 * the option "-I<folder>" for TRM_MODULE_CUDA.
 * SPDX-License-Identifier: MIT
 */
#ifndef TRIREME_DEVICE_PIPE_CUH
#define TRIREME_DEVICE_PIPE_CUH

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#error "trireme/device/pipe.cuh needs compute capability 8.0 or later"
#endif

namespace trireme {

template <typename T, unsigned Tile, unsigned Depth> class pipe {
    static_assert(Depth >= 2, "a ring has at least two tiles");
    static_assert(Tile * sizeof(T) % 16 == 0, "a tile has a multiple of 16 bytes");

public:
    /* In shared memory. */
    struct alignas(128) ring {
        T tiles[Depth][Tile];
        unsigned long long full[Depth], empty[Depth]; /* barriers (mbarrier) */
        unsigned counts[Depth];                       /* elements of each tile */
    };

    /* Called by all threads of the group, which it synchronises. */
    __device__ explicit pipe(ring &of) : ring_(of), position_(0)
    {
        if (threadIdx.x == 0) {
            for (unsigned i = 0; i < Depth; i++) {
                initialise(of.full[i], lanes + 1); /* and the count of the tile */
                initialise(of.empty[i], blockDim.x / lanes - 1);
            }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
        }
        __syncthreads();
    }

    __device__ bool is_producer() const { return threadIdx.x < lanes; }

    /* The number of this consumer thread, and how many there are. */
    __device__ unsigned consumer() const { return threadIdx.x - lanes; }
    __device__ unsigned consumers() const { return blockDim.x - lanes; }

    /* Moves the next tile: `count` elements, at most Tile, from global memory that nothing writes meanwhile. Waits
     * until the consumers have released the tile that was in its place. Sources and sizes that are multiples of 16
     * bytes are fast. By all threads of the producer. */
    __device__ void produce(const T *from, unsigned count)
    {
        unsigned place = position_ % Depth, lane = threadIdx.x, bytes = count * (unsigned)sizeof(T);

        if (position_ >= Depth)
            wait(ring_.empty[place], (position_ / Depth - 1) % 2);
        position_++;
        if (lane == 0) {
            ring_.counts[place] = count;
            arrive(ring_.full[place]);
        }
        if ((bytes | (unsigned)(unsigned long long)from) % 16 == 0 && bytes != 0)
            move(place, from, bytes);
        else
            copy(place, from, count);
    }

    /* Waits for the next tile and returns it. By all threads of a consumer. */
    __device__ const T *consume()
    {
        unsigned place = position_ % Depth;

        wait(ring_.full[place], position_ / Depth % 2);
        return ring_.tiles[place];
    }

    /* The elements of the tile that consume() returned. */
    __device__ unsigned count() const { return ring_.counts[position_ % Depth]; }

    /* Gives the tile that consume() returned back. By all threads of a consumer. */
    __device__ void release()
    {
        __syncwarp();
        if (threadIdx.x % lanes == 0)
            arrive(ring_.empty[position_ % Depth]);
        position_++;
    }

private:
    static constexpr unsigned lanes = 32;

    ring &ring_;
    unsigned position_; /* of the next tile of this thread */

    static __device__ unsigned address(const void *shared) { return (unsigned)__cvta_generic_to_shared(shared); }

    static __device__ void initialise(unsigned long long &barrier, unsigned arrivals)
    {
        asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&barrier)), "r"(arrivals) : "memory");
    }

    static __device__ void arrive(unsigned long long &barrier)
    {
        asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(address(&barrier))
                     : "memory");
    }

    static __device__ void wait(unsigned long long &barrier, unsigned parity)
    {
        unsigned is_done = 0;

        while (!is_done) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(is_done)
                         : "r"(address(&barrier)), "r"(parity)
                         : "memory");
#else
            asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(is_done)
                         : "r"(address(&barrier)), "r"(parity)
                         : "memory");
#endif
        }
    }

    __device__ void move(unsigned place, const T *from, unsigned bytes)
    {
        unsigned to = address(ring_.tiles[place]), full = address(&ring_.full[place]);

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        if (threadIdx.x != 0) {
            arrive(ring_.full[place]);
            return;
        }
        asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }" ::"r"(full),
                     "r"(bytes)
                     : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                     "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(full)
                     : "memory");
#else
        for (unsigned at = threadIdx.x * 16; at < bytes; at += lanes * 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + at),
                         "l"(__cvta_generic_to_global((const char *)from + at))
                         : "memory");
        asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(full) : "memory");
#endif
    }

    __device__ void copy(unsigned place, const T *from, unsigned count)
    {
        for (unsigned i = threadIdx.x; i < count; i += lanes)
            ring_.tiles[place][i] = from[i];
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        /* The copy engine may write the next tile here. */
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
        arrive(ring_.full[place]);
    }
};

} // namespace trireme

#endif
