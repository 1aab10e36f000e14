#version 450
layout(set = 0, binding = 0) buffer B { int d[]; } b;
void main() {
    int n = b.d[0] & 7;
    for (int i = 0; i < n; i++) if (i % 3 == 1) b.d[i] += i % 2;
    uint u = uint(b.d[1]);
    b.d[2] = int(u % 5u);
    b.d[3] = (b.d[4] & 255) % 10;
}
