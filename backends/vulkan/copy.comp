#version 450
// Copies between buffers. The words are in copy.inc, made by
//
//     glslc -O --target-env=vulkan1.1 -mfmt=num -o copy.inc copy.comp
//
// Memory waits for nobody who has four loads under way. The last words, fewer than an element has, go by the first items.

layout(local_size_x = 256) in;
layout(constant_id = 0) const bool BY_WORDS = false; // elements are words and not vectors of four

layout(set = 0, binding = 0) readonly buffer From
{
    uvec4 from[];
};
layout(set = 0, binding = 0) readonly buffer FromWords
{
    uint from_words[];
};
layout(set = 0, binding = 1) writeonly buffer To
{
    uvec4 to[];
};
layout(set = 0, binding = 1) writeonly buffer ToWords
{
    uint to_words[];
};
layout(push_constant) uniform Arguments
{
    uint source;      // element that is the first to be read
    uint destination; // and written
    uint count;       // of elements
    uint tail;        // words behind them
};

void copy_vectors(uint i, uint stride)
{
    for (; i + 3 * stride < count; i += 4 * stride) {
        uvec4 a = from[source + i], b = from[source + i + stride], c = from[source + i + 2 * stride],
              d = from[source + i + 3 * stride];
        to[destination + i]              = a;
        to[destination + i + stride]     = b;
        to[destination + i + 2 * stride] = c;
        to[destination + i + 3 * stride] = d;
    }
    for (; i < count; i += stride)
        to[destination + i] = from[source + i];
}

void copy_words(uint i, uint stride)
{
    for (; i + 3 * stride < count; i += 4 * stride) {
        uint a = from_words[source + i], b = from_words[source + i + stride],
             c = from_words[source + i + 2 * stride], d = from_words[source + i + 3 * stride];
        to_words[destination + i]              = a;
        to_words[destination + i + stride]     = b;
        to_words[destination + i + 2 * stride] = c;
        to_words[destination + i + 3 * stride] = d;
    }
    for (; i < count; i += stride)
        to_words[destination + i] = from_words[source + i];
}

void main()
{
    uint i = gl_GlobalInvocationID.x, stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    if (BY_WORDS)
        copy_words(i, stride);
    else
        copy_vectors(i, stride);
    if (i < tail)
        to_words[4 * (destination + count) + i] = from_words[4 * (source + count) + i];
}
