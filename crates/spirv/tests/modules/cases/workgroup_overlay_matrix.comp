// buffer: 0 0 0 0
// expect: 4 5 6 4
#version 460
#extension GL_EXT_shared_memory_block : require
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer Results { uint results[]; };
shared A { layout(row_major) mat3x3 m; };
shared B { float b[12]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i == 0u) { for (int k = 0; k < 12; k++) b[k] = float(k); } barrier(); results[i] = uint(m[i % 3u][1]);
}
