#version 450
// The length of a variable that no workgroup shares: its constant keeps its default everywhere.
// expect: array<u32, 6>
// expect: i < 3u
layout(constant_id = 1) const uint S = 3;
layout(binding = 0) buffer B { uint d[]; };
void main() {
    uint a[S * 2];
    for (uint i = 0; i < S; i++) a[i] = i;
    d[0] = a[d[1]];
}
