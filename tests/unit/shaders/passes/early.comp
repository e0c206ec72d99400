#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { int x[]; };
int inner(int a) {
    if (a < 0) return -a;
    for (int i = 0; i < a; i++) {
        if (x[i] == a) return i;
        if (x[i] > a) break;
    }
    return a * 2;
}
int outer(int a, inout int b) {
    if (a == 3) { b = 5; return 1; }
    int r = inner(a) + inner(a + 1);
    b += r;
    if (r > 10) return 7;
    return r;
}
void main() {
    uint id = gl_GlobalInvocationID.x;
    int b = 2;
    int v = outer(int(id), b);
    x[id] = v + b;
}
