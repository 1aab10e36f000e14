// A loop over f64 keeps the bits that f32 would lose.
//: needs f64
//: out 0:0 f64 1.0000000009094947 6
@group(0) @binding(0) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(1)
fn main() {
    var sum = 1lf;
    for (var i = 0; i < 1000; i++) {
        sum += 0x1p-40lf;
    }
    out[0] = sum;
    var steps = 0lf;
    while steps * 0.5lf < 3lf {
        steps += 1lf;
    }
    out[1] = steps;
}
