#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { int x[]; };
layout(push_constant) uniform P { int n; int m; } p;
void main() {
    uint id = gl_GlobalInvocationID.x;
    int sum = 0;
    for (int i = 0; i < p.n; i++) {
        for (int k = i; k < p.m; k += 2) {
            switch (x[k]) {
            case 0:
                sum += 1;
            case 1:
                sum += 2;
                if (sum > 100) break;
                sum += k;
                break;
            case 5: case 6:
                if (k == 7) continue;
                sum -= 3;
                break;
            case 8:
                sum ^= 5;
            default:
                sum *= 2;
                continue;
            }
            if (sum < 0) break;
            x[id] = k;
        }
        if (sum == 77) continue;
        x[id + 1] = i;
    }
    x[id] = sum;
}
