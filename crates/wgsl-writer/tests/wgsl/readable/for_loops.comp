#version 450
layout(set = 0, binding = 0) buffer B { int d[]; } b;
void main() {
    int n = b.d[0] & 15;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        if ((i & 3) == 1) continue;
        sum += i;
        if (sum == 21) break;
    }
    for (int i = n; i > 0; i -= 2) {
        for (int k = 0; k < i; ++k) sum += b.d[k & 7];
    }
    int steps = 0;
    while (sum > 1 && steps < 40) {
        sum /= 2;
        steps++;
    }
    do { steps--; } while (steps > 3);
    int last = 0;
    for (last = 2; last < n; last++) sum ^= last;
    b.d[1] = sum;
    b.d[2] = steps;
    b.d[3] = last;
}
