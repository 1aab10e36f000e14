// normalize of f16 is within the bound of x / length(x).
//: needs f16
//: in  0:0 f16 3 4
//: out 0:1 f16 within F16_NORMALIZE_ULP_15_5 0.6 0.8
enable f16;

@group(0) @binding(0) var<storage, read> a: vec2<f16>;
@group(0) @binding(1) var<storage, read_write> out: vec2<f16>;

@compute @workgroup_size(1)
fn main() {
    out = normalize(a);
}
