#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { int x[]; };
void main() {
    uint id = gl_GlobalInvocationID.x;
    int a = x[id], b = x[id + 1];
    for (int i = 0; i < 10; i++) {
        int t = a; a = b; b = t;
        if (x[i] == 3) { t = a + 1; a = b; b = t; }
    }
    x[id] = a - b;
}
