// sin, cos, tan and their inverses of f64 are computed in f64.
//: needs f64
//: in  0:0 f64 0.5 -0.25 0.75 0.9375
//: out 0:1 f64 within F64_ULP_4 0.479425538604203 -0.24740395925452294 0.6816387600233341
//:: 0.806081108260693 0.8775825618903728 0.9689124217106447 0.7316888688738209 0.5918050750924775
//:: 0.5463024898437905 -0.25534192122103627 0.9315964599440725 1.3620719763762281
//:: 0.5235987755982989 -0.25268025514207865 0.848062078981481 1.2153751251046732 1.0471975511965979
//:: 1.8234765819369754 0.7227342478134157 0.3554212016902235 0.4636476090008061
//:: -0.24497866312686414 0.6435011087932844 0.7531512809621944
//: deviates lavapipe "SPIR-V has the function for 16 and 32 bits only" skip
@group(0) @binding(0) var<storage, read> a: array<f64, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i + 0u] = sin(a[i]);
    out[i + 4u] = cos(a[i]);
    out[i + 8u] = tan(a[i]);
    out[i + 12u] = asin(a[i]);
    out[i + 16u] = acos(a[i]);
    out[i + 20u] = atan(a[i]);
}
