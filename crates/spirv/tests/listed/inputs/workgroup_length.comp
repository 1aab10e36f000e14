#version 450
// expect: @id(1) override S: u32 = 3u;
// expect: var<workgroup> a: array<u32, S>;
layout(constant_id = 1) const uint S = 3;
layout(binding = 0) buffer B { uint d[]; };
shared uint a[S];
void main() {
    a[d[1]] = 1;
    barrier();
    d[0] = a[d[2]];
}
