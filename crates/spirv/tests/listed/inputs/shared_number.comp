#version 450
// The size of the workgroup and a constant have one number.
// expect: @id(1) override
// expect: @compute @workgroup_size(B)
layout(local_size_x = 8, local_size_x_id = 1) in;
layout(constant_id = 1) const uint B = 8;
layout(binding = 0) buffer D { uint d[]; };
void main() { d[gl_LocalInvocationIndex] = B; }
