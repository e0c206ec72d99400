#version 450
// Takes a minimum time: 256 dependent divisions take at least a microsecond. (They are unrolled because
// lavapipe ends a kernel's loops after 65535 rounds.) The result is not used, but the compiler cannot know
// that.
layout(local_size_x = 1) in;
layout(push_constant) uniform Arguments { uint microseconds; };
shared uint seen;

#define STEP value = (4000000007u / (value | 1u)) + i;
#define FOUR(STEPS) STEPS STEPS STEPS STEPS

void main()
{
    uint value = microseconds;
    seen       = 0;
    for (uint i = 0; i < microseconds; i++) {
        FOUR(FOUR(FOUR(FOUR(STEP))))
        atomicXor(seen, value);
    }
}
