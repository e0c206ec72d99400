#version 450
// Copies between buffers. Its SPIR-V is in copy.inc, made by
//
//     glslc -O --target-env=vulkan1.1 -mfmt=num -o copy.inc copy.comp
//
// Each item has four loads in flight, to hide latency. The first items copy the last words, which do not fill an
// element.

#define ITEMS 256
#define PIECE (4 * ITEMS) // adjacent elements that a group copies in one step

layout(local_size_x = ITEMS) in;
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
    uint source;      // first element to read
    uint destination; // and to write
    uint count;       // elements
    uint tail;        // words after them
};

void copy_vectors(uint base, uint i)
{
    if (base + PIECE <= count) {
        uvec4 a = from[source + i], b = from[source + i + ITEMS], c = from[source + i + 2 * ITEMS],
              d = from[source + i + 3 * ITEMS];
        to[destination + i]             = a;
        to[destination + i + ITEMS]     = b;
        to[destination + i + 2 * ITEMS] = c;
        to[destination + i + 3 * ITEMS] = d;
        return;
    }
    for (; i < count; i += ITEMS)
        to[destination + i] = from[source + i];
}

void copy_words(uint base, uint i)
{
    if (base + PIECE <= count) {
        uint a = from_words[source + i], b = from_words[source + i + ITEMS],
             c = from_words[source + i + 2 * ITEMS], d = from_words[source + i + 3 * ITEMS];
        to_words[destination + i]             = a;
        to_words[destination + i + ITEMS]     = b;
        to_words[destination + i + 2 * ITEMS] = c;
        to_words[destination + i + 3 * ITEMS] = d;
        return;
    }
    for (; i < count; i += ITEMS)
        to_words[destination + i] = from_words[source + i];
}

void main()
{
    uint item = gl_LocalInvocationID.x;
    for (uint base = gl_WorkGroupID.x * PIECE; base < count; base += gl_NumWorkGroups.x * PIECE) {
        if (BY_WORDS)
            copy_words(base, base + item);
        else
            copy_vectors(base, base + item);
    }
    if (gl_GlobalInvocationID.x < tail)
        to_words[4 * (destination + count) + item] = from_words[4 * (source + count) + item];
}
