#version 450
layout(set = 0, binding = 0) buffer B { int d[]; } b;
int few(int x) {
    int r = 0;
    switch (x) {
        case 0: r += 1;
        case 1: r += 10; break;
        case 2: r = 5;
        default: r += 100 + (x - 3) % 3;
    }
    return r;
}
int early(int x) {
    int r = 0;
    switch (x) {
        case 0: if (b.d[3] == 4) { r = 3; break; } r = 7;
        case 1: r += 2;
    }
    return r;
}
int many(int x) {
    int r = x;
    switch (x & 3) {
        case 0: for (int j = 0; j < 4; j++) { r += j * x; r ^= 3; if (r == 9) r += 2; b.d[j] += r * 3 + j; }
        case 1: for (int j = 0; j < 8; j++) { r += j * x; r ^= 3; if (r == 9) r += 2; b.d[j] += r * 3 + j; r ^= r * 7 - 4; }
        case 2: for (int j = 0; j < 8; j++) { r += j * x; r ^= 3; if (r == 9) r += 2; b.d[j] += r * 3 + j; r ^= r * 7 - 4; }
        default: r += 100;
    }
    return r;
}
void main() {
    for (int i = 0; i < 8; i++) b.d[i] = few(b.d[i] & 3) + 1000 * early(i & 1) + 100000 * many(b.d[i]);
}
