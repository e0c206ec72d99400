// One access for each kind of variable. Push constants say which one, and with which index.
// SPDX-License-Identifier: MIT
#define SHARED_WRITE 0
#define SHARED_READ 1
#define SHARED_ATOMIC 2
#define SHARED_MEMBER 3
#define SHARED_WHOLE 4
#define LOCAL_WRITE 5
#define LOCAL_READ 6
#define LOCAL_INNER 7
#define LOCAL_THROUGH_POINTER 8
#define GLOBAL_WRITE 9
#define VECTOR_WRITE 10
#define VECTOR_READ 11
#define VECTOR_VALUE 12
#define MATRIX_WRITE 13
#define MATRIX_READ 14
#define MATRIX_COMPONENT 15
#define CONSTANT_READ 16
#define ARGUMENT_READ 17
#define UNIFORM_READ 18
#define BUFFER_WRITE 19
#define BUFFER_READ 20
#define BUFFER_ATOMIC 21
#define BUFFER_MEMBER 22
#define BUFFER_WHOLE 23
#define BUILTIN_READ 24
// clang-format off
struct Pair {
    uint head;
    uint tail[3];
};

layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer Result { uint result[]; };
layout(set = 0, binding = 1) buffer Data { uint data[]; };
layout(set = 0, binding = 2) uniform Table { uvec4 rows[4]; };
layout(set = 0, binding = 3) buffer Pairs { uint count; Pair pairs[]; };
layout(push_constant) uniform Arguments { int kind; int index; uint weights[4]; };

shared uint tile[24];
shared Pair couples[5];
uint history[6];

const uint primes[7] = uint[7](2, 3, 5, 7, 11, 13, 17);

#define ACCESS                                                                              \
    switch (kind) {                                                                         \
    case SHARED_WRITE: tile[index] = id; break;                                             \
    case SHARED_READ: sum += tile[index]; break;                                            \
    case SHARED_ATOMIC: sum += atomicAdd(tile[index], 1u); break;                           \
    case SHARED_MEMBER: couples[1].tail[index] = id; break;                                 \
    case SHARED_WHOLE: pair = couples[index]; break;                                        \
    case LOCAL_WRITE: local[index] = id; break;                                             \
    case LOCAL_READ: sum += local[index]; break;                                            \
    case LOCAL_INNER: grid[id & 1u][index] = id; break;                                     \
    case LOCAL_THROUGH_POINTER: fraction += modf(2.5, parts[index]); break;                 \
    case GLOBAL_WRITE: history[index] = id; break;                                          \
    case VECTOR_WRITE: vector[index] = id; break;                                           \
    case VECTOR_READ: sum += vector[index]; break;                                          \
    case VECTOR_VALUE: sum += (vector + uvec4(id))[index]; break;                           \
    case MATRIX_WRITE: matrix[index] = vec3(float(id)); break;                              \
    case MATRIX_READ: fraction += matrix[index].y; break;                                   \
    case MATRIX_COMPONENT: matrix[id & 1u][index] = 1.0; break;                             \
    case CONSTANT_READ: sum += primes[index]; break;                                        \
    case ARGUMENT_READ: sum += weights[index]; break;                                       \
    case UNIFORM_READ: sum += rows[index].z; break;                                         \
    case BUFFER_WRITE: data[index] = id; break;                                             \
    case BUFFER_READ: sum += data[index]; break;                                            \
    case BUFFER_ATOMIC: atomicMax(data[index], id); break;                                  \
    case BUFFER_MEMBER: pairs[1].tail[index] = id; break;                                   \
    case BUFFER_WHOLE: pair = pairs[index]; break;                                          \
    case BUILTIN_READ: sum += gl_LocalInvocationID[index]; break;                           \
    }
