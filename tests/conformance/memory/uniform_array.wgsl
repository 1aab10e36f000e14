// In the uniform address space elements are 16 bytes apart.
//: in  0:0 u32 1 2 3 4  5 6 7 8  9 10 11 12
//: out 0:1 u32 1 5 9   8 12   3
@group(0) @binding(0) var<uniform> u: array<vec4<u32>, 3>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 6>;

@compute @workgroup_size(1)
fn main() {
    for (var i = 0u; i < 3u; i++) {
        out[i] = u[i].x;
    }
    out[3] = u[1].w;
    out[4] = u[2][3];
    out[5] = u[0].z;
}
