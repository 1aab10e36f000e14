// An array of arrays has the inner array's whole size as its stride, the padding of vec3 included.
//: in  0:0 u32 1 2 3 0  4 5 6 0   7 8 9 0  10 11 12 0
//: out 0:1 u32 6 7 12
@group(0) @binding(0) var<storage, read> a: array<array<vec3<u32>, 2>, 2>;
@group(0) @binding(1) var<storage, read_write> out: array<u32, 3>;

@compute @workgroup_size(1)
fn main() {
    let one = a[0][0].x;
    out = array(a[0][one].z, a[one][0].x, a[one][one].z);
}
