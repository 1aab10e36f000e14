// An unsigned integer rounds to the nearest even float.
//: in  0:0 u32   0   1 0x1000001     0x1000003    MAX 0x80000000 0x80000080    0x80000180
//: out 0:1 f32 0.0 1.0    0x1p24 0x1.000004p24 0x1p32     0x1p31     0x1p31 0x1.000004p31
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = f32(a[i]);
}
