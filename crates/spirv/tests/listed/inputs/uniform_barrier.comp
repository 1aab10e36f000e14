#version 450
// expect: fn main_inner(gl_NumWorkGroups: vec3<u32>, gl_WorkGroupID: vec3<u32>)
// expect: if gl_WorkGroupID_1.x > 1u
// expect: global.data[e1] = sum(gl_WorkGroupID_1.x, gl_NumWorkGroups)
// expect: i++
layout(local_size_x=8) in;
layout(binding=0) buffer B { uint data[]; };
shared uint s[8];
uint sum(uint n) {
    uint r = 0;
    for (uint i = 0; i < gl_NumWorkGroups.x + n; i++) {
        barrier();
        r += s[(gl_LocalInvocationID.x + i) % 8];
    }
    return r;
}
void main() {
    s[gl_LocalInvocationIndex] = gl_GlobalInvocationID.x;
    barrier();
    if (gl_WorkGroupID.x > 1) { barrier(); s[gl_LocalInvocationIndex] += 3; }
    for (uint i = 0; i < gl_WorkGroupID[gl_WorkGroupID.x & 1]; i++) { barrier(); s[gl_LocalInvocationIndex] += 1; }
    barrier();
    data[gl_GlobalInvocationID.x] = sum(gl_WorkGroupID.x);
}
