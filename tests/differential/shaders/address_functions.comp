// Pointers as parameters and results of functions, and chosen by conditions.
//! in 20 f32,3u32 16 range 0 10
//! in 21 f32,3u32 16 range 20 30
//! inout 22 f32,3u32 64 range 0 1
//! push u64 0 0 0
//! address push 0 0 1 20 0 0
//! address push 8 0 1 21 0 0
//! address push 16 0 1 22 0 0
//! groups 1 1 1
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Item {
    float weight;
    uint tags[3];
};
layout(push_constant) uniform Push { Item one; Item other; Item to; };

Item choose(Item a, Item b, uint i)
{
    if ((i & 1u) == 0u)
        return a + int(i >> 3);
    if (i > 40u)
        return b;
    return i > 20u ? b + 3 : a + 2;
}

float read(const Item item, uint i)
{
    return item.weight + float(item.tags[i % 3u]);
}

void swap(inout Item a, inout Item b)
{
    Item c = a;
    a = b;
    b = c;
}

void write(Item item, float value, uint i)
{
    item.weight = value;
    item.tags[i % 3u] += i;
}

void main()
{
    uint i = gl_LocalInvocationIndex;
    Item a = choose(one, other, i), b = choose(other, one, i + 1u);
    if (i % 5u == 0u)
        swap(a, b);
    Item target = i < 32u ? to + int(i) : to + int(95u - i);
    write(target, read(a, i) - read(b, i + 1u), i);
}
