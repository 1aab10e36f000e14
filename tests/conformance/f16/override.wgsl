// An override of f16 takes the value that it is given.
//: needs f16
//: constant scale = 1.5
//: out 0:0 f16 1.5 2
enable f16;

override scale: f16 = 2.0;
override other: f16 = 0.5;
@group(0) @binding(0) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(1)
fn main() {
    out[0] = scale;
    out[1] = other * 4h;
}
