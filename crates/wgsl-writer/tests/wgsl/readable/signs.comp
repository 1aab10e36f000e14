#version 450
layout(set = 0, binding = 0) buffer B { int d[]; } b;
void main() {
    int i = b.d[0];
    uint u = uint(b.d[1]);
    if (i == b.d[2]) b.d[3] = 1;
    if (i != 7) b.d[4] = 1;
    if (u == 7u) b.d[5] = 1;
    b.d[6] = int(uint(i) + uint(b.d[1]));
    b.d[7] = int(u) << 2;
}
