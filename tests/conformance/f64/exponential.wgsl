// exp, exp2, log, log2, radians and degrees of f64 are computed in f64.
//: needs f64
//: in  0:0 f64 0.5 3.0 10.25 700.0
//: out 0:1 f64 within F64_ULP_4 1.6487212707001282 20.085536923187668 28282.541920334977
//:: 1.0142320547350045e+304 1.4142135623730951 8.0 1217.7480857627863 5.260135901548374e+210
//:: -0.6931471805599453 1.0986122886681098 2.327277705584417 6.551080335043404 -1.0
//:: 1.584962500721156 3.357552004618084 9.451211111832329 0.008726646259971648 0.05235987755982989
//:: 0.17889624832941878 12.217304763960307 28.64788975654116 171.88733853924697 587.2817400090938
//:: 40107.04565915763
//: deviates lavapipe "SPIR-V has the function for 16 and 32 bits only" skip
@group(0) @binding(0) var<storage, read> a: array<f64, 4>;
@group(0) @binding(1) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) i: u32) {
    out[i + 0u] = exp(a[i]);
    out[i + 4u] = exp2(a[i]);
    out[i + 8u] = log(a[i]);
    out[i + 12u] = log2(a[i]);
    out[i + 16u] = radians(a[i]);
    out[i + 20u] = degrees(a[i]);
}
