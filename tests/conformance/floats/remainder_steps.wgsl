// A remainder is three rounded steps: the quotient, its truncation times y, the difference.
//: in  0:0 f32 1.0 -1.0 0x1.2a05f2p33 5.0 nan 3.0 0.0
//: in  0:1 f32 0.0  0.0           0.1 inf 1.0 nan 0.0
//: out 0:2 f32 nan  nan           0.0 nan nan nan nan
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(7)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = a[i] % b[i];
}
