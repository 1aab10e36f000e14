// NaN goes through arithmetic and through most builtins.
//: in  0:0 f32 nan 1.0
//: out 0:1 f32 nan*9
//: deviates lavapipe "folds x * 0 and x - x into 0" 0:1 f32 =*2 0.0 =*5 0.0
@group(0) @binding(0) var<storage, read> x: array<f32, 2>;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 9>;

@compute @workgroup_size(1)
fn main() {
    let n = x[0];
    let one = x[1];
    out[0] = n + one;
    out[1] = one - n;
    out[2] = n * 0.0;
    out[3] = n / one;
    out[4] = sqrt(n);
    out[5] = floor(n);
    out[6] = abs(-n);
    out[7] = fma(one, n, one);
    out[8] = n - n;
}
