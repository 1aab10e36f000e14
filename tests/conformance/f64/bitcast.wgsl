// bitcast between f64, i64 and u64 keeps the bits.
//: needs f64 int64
//: in  0:0 f64 1 -0.0 inf
//: out 0:1 u64 0x3ff0000000000000 0x8000000000000000 0x7ff0000000000000
//: out 0:2 f64 0x1.0000000000001p0 bits:8000000000000001 nan
@group(0) @binding(0) var<storage, read> a: array<f64>;
@group(0) @binding(1) var<storage, read_write> out: array<u64>;
@group(0) @binding(2) var<storage, read_write> back: array<f64>;

@compute @workgroup_size(3)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i] = bitcast<u64>(a[i]);
    back[i] = bitcast<f64>(bitcast<i64>(a[i]) + 1li);
}
