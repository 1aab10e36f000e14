#version 450
// Two views of one binding.
// expect: @group(0) @binding(1) var<storage, read_write> global: array<u32>;
layout(set = 0, binding = 1) buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer C { vec4 c[]; };
void main() { a[0] = uint(c[1].y); }
