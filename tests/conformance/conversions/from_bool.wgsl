// true becomes 1 and false 0 in every numeric type.
//: in  0:0 u32 0 7
//: out 0:1 i32 0 1
//: out 0:2 u32 0 1
//: out 0:3 f32 0.0 1.0
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> signed: array<i32>;
@group(0) @binding(2) var<storage, read_write> unsigned: array<u32>;
@group(0) @binding(3) var<storage, read_write> floats: array<f32>;

@compute @workgroup_size(2)
fn main(@builtin(local_invocation_index) i: u32) {
    let b = a[i] > 5u;
    signed[i] = i32(b);
    unsigned[i] = u32(b);
    floats[i] = f32(b);
}
