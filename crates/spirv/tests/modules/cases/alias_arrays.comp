// buffer: 0 0 0 0
// buffers: 1 2 3 4 | 1084227584 1086324736 1088421888 1090519040
// expect: 7 9 11 9
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(std430, binding = 1) buffer A { float a[]; } as[2];
layout(std430, binding = 1) buffer B { uint b[]; } bs[2];
void main() {
    uint i = gl_GlobalInvocationID.x;
    results[i] = bs[0].b[i] + uint(as[1].a[(i + 1u) % 4u]);
}
