// Literals, constants and zero values of f64 keep all their bits.
//: needs f64
//: out 0:0 f64 0.1 1.7976931348623157e308 0.3333333333333333 0 2 0x1.0000000000001p0
const third = 0.3333333333333333lf;
@group(0) @binding(0) var<storage, read_write> out: array<f64>;

@compute @workgroup_size(1)
fn main() {
    out[0] = 0.1lf;
    out[1] = 1.7976931348623157e308lf;
    out[2] = third;
    out[3] = f64();
    out[4] = vec3<f64>(2lf).z;
    out[5] = 0x1.0000000000001p0lf;
}
