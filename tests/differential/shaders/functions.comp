// Functions: in, out and inout, early returns, structs and arrays by value, overloads, a tree of calls.
//! in 0 i32 256 range -50 50
//! out 1 i32 2048
//! groups 4 1 1
#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer A { int a[]; };
layout(std430, binding = 1) writeonly buffer C { int c[]; };

struct state {
    int values[4];
    ivec2 where;
};

const int table[5] = int[5](3, 1, 4, 1, 5);
int counter = 100;

void divide(int x, int y, out int quotient, out int remainder)
{
    quotient = 0;
    if (y == 0) {
        remainder = x;
        return;
    }
    quotient = abs(x) / abs(y);
    remainder = abs(x) - quotient * abs(y);
}

int rotate(inout ivec3 v)
{
    v = v.yzx;
    counter += v.x;
    return v.x;
}

state advance(state s, int by)
{
    for (int k = 0; k < 4; k++) {
        s.values[k] += by * table[k];
        if (s.values[k] > 60)
            return s;
    }
    s.where = s.where.yx + ivec2(by);
    return s;
}

int sum(int list[4])
{
    int total = 0;
    for (int k = 0; k < list.length(); k++)
        total += list[k];
    list[0] = 1000;
    return total;
}

int weigh(int x) { return x * 2; }
int weigh(float x) { return int(x * 8.0); }
int weigh(ivec2 x) { return weigh(x.x) + weigh(float(x.y)); }

void change(inout int one, inout int other)
{
    one += 1;
    other *= 2;
}

void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 8u;
    int x = a[i], q, r;
    divide(x, int(i % 7u), q, r);
    c[o + 0u] = q * 1000 + r;
    ivec3 v = ivec3(x, x + 1, x + 2);
    int first = rotate(v) + rotate(v);
    c[o + 1u] = first * 100 + v.z + counter;
    state s = state(int[4](x, 2, 3, 4), ivec2(x, -x));
    state t = advance(s, 3);
    t = advance(t, x & 3);
    c[o + 2u] = sum(t.values) + t.where.x * 3 + t.where.y;
    c[o + 3u] = sum(s.values) + s.values[0];
    c[o + 4u] = weigh(ivec2(x, 3));
    int list[3] = int[3](1, 2, 3);
    change(list[1], list[2]);
    change(t.where.x, v.y);
    c[o + 5u] = list[0] + list[1] * 10 + list[2] * 100 + t.where.x + v.y;
    change(v.x, v.z);
    c[o + 6u] = v.x + v.z * 3;
    c[o + 7u] = table[i % 5u] + int(s == t) + counter;
}
