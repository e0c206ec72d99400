#version 450
layout(local_size_x = 64) in;
layout(std430, binding = 0) buffer X { int x[]; };

int f0(int v) { return v * 3 + 1; }
int f1(int v) { return f0(f0(v)); }
int f2(int v) { return f1(f1(v)); }
int f3(int v) { return f2(f2(v)); }
int f4(int v) { return f3(f3(v)); }
int f5(int v) { return f4(f4(v)); }
int f6(int v) { return f5(f5(v)); }
int f7(int v) { return f6(f6(v)); }
int f8(int v) { return f7(f7(v)); }
int f9(int v) { return f8(f8(v)); }
int f10(int v) { return f9(f9(v)); }
int f11(int v) { return f10(f10(v)); }
int f12(int v) { return f11(f11(v)); }
int f13(int v) { return f12(f12(v)); }
int f14(int v) { return f13(f13(v)); }
int f15(int v) { return f14(f14(v)); }
int f16(int v) { return f15(f15(v)); }
int f17(int v) { return f16(f16(v)); }
int f18(int v) { return f17(f17(v)); }
int f19(int v) { return f18(f18(v)); }
int f20(int v) { return f19(f19(v)); }
int f21(int v) { return f20(f20(v)); }

void main()
{
    x[0] = f21(x[1]);
}
