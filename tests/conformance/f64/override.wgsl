// An override of f64 takes the value that it is given, with all its bits.
//: needs f64
//: constant scale = 0.1
//: out 0:0 f64 0.1 2
override scale: f64 = 2.0lf;
override other: f64 = 0.5lf;
@group(0) @binding(0) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(1)
fn main() {
    out[0] = scale;
    out[1] = other * 4lf;
}
