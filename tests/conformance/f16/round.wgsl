// round of f16 takes ties to the even integer.
//: needs f16
//: in  0:0 f16 0.5 1.5 -2.5 2.5 3.75 1023.5 65504.0 -1.5
//: out 0:1 f16 0.0 2.0 -2.0 2.0 4.0 1024.0 65504.0 -2.0
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = round(a[i]);
}
