// f16 keeps NaN and infinities through arithmetic.
//: needs f16
//: in  0:0 f16 nan inf
//: out 0:1 f16 nan nan -inf 0.0
//: deviates lavapipe "x - x is 0" 0:1 f16 = 0.0 = =
enable f16;

@group(0) @binding(0) var<storage, read> a: array<f16>;
@group(0) @binding(1) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(1)
fn main() {
    out[0] = a[0] + 1h;
    out[1] = a[1] - a[1];
    out[2] = a[1] * -2h;
    out[3] = 1h / a[1];
}
