// buffer: 0 0 0 0
// buffers: 0 0 0 0 | 0 0 0 0
// expect: 0 1065353216 1073741824 1077936128
#version 460
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
layout(std430, binding = 1) buffer A { float a[]; } as[2];
layout(std430, binding = 1) buffer B { uint b[]; } bs[2];
void main() {
    uint i = gl_GlobalInvocationID.x;
    as[1].a[i] = float(i); results[i] = bs[1].b[i];
}
