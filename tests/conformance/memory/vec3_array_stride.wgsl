// Elements of an array of vec3 are 16 bytes apart; storing one leaves the padding untouched.
//: in  0:0 u32 10 11 12 13 20 21 22 23
//: out 0:0 u32 11 12 13 13 21 22 23 23
@group(0) @binding(0) var<storage, read_write> a: array<vec3<u32>>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    a[i] = a[i] + vec3(1u);
}
