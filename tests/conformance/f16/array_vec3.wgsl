// Elements of an array of vec3<f16> are 8 bytes apart, and padding is not written.
//: needs f16
//: in  0:0 f16 1 2 3 91 0 0 0 92 5 6 7 93
//: out 0:0 f16 1 8 3 91 2 4 6 92 5 6 2 93
enable f16;

@group(0) @binding(0) var<storage, read_write> a: array<vec3<f16>>;

@compute @workgroup_size(1)
fn main() {
    a[1] = a[0] + vec3h(1, 2, 3);
    a[2].z = a[0].y;
    a[0][arrayLength(&a) - 2u] = 8h;
}
