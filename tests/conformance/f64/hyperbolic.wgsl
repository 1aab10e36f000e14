// sinh, cosh, tanh and their inverses of f64 are computed in f64.
//: needs f64
//: in  0:0 f64 0.5 -0.25 0.75 0.9375
//: out 0:1 f64 within F64_ULP_4 0.5210953054937474 -0.2526123168081683 0.82231673193583
//:: 1.080991915693064 1.1276259652063807 1.0314130998795732 1.2946832846768448 1.472597542369863
//:: 0.46211715726000974 -0.24491866240370913 0.6351489523872873 0.7340715196043416
//:: 0.48121182505960347 -0.24746646154726346 0.6931471805599453 0.8364818689255533
//:: 0.5493061443340548 -0.25541281188299536 0.9729550745276566 1.7169936022425731
//: deviates lavapipe "SPIR-V has the function for 16 and 32 bits only" skip
@group(0) @binding(0) var<storage, read> a: array<f64, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i + 0u] = sinh(a[i]);
    out[i + 4u] = cosh(a[i]);
    out[i + 8u] = tanh(a[i]);
    out[i + 12u] = asinh(a[i]);
    out[i + 16u] = atanh(a[i]);
}
