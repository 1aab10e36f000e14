// Signed addition wraps around.
//: in  0:0 i32 1 MAX MIN MIN 0 -5  123456789
//: in  0:1 i32 2   1  -1 MIN 0  5 2000000000
//: out 0:2 i32 3 MIN MAX   0 0  0 2123456789
@group(0) @binding(0) var<storage, read> a: array<i32>;
@group(0) @binding(1) var<storage, read> b: array<i32>;
@group(0) @binding(2) var<storage, read_write> out: array<i32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] + b[i];
}
