// Hexadecimal and decimal float literals name exact values.
//: in  0:0 f32 0.0
//: out 0:1 f32 0x1p-149 0x1.fffffep127 0x1.8p3 0.1 16777216 0x1p-10 1e-38
@group(0) @binding(0) var<storage, read> zero: f32;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 7>;

@compute @workgroup_size(1)
fn main() {
    out[0] = 0x1p-149 + zero;
    out[1] = 0x1.fffffep+127f + zero;
    out[2] = 0x1.8p3 + zero;
    out[3] = 1e-1 + zero;
    out[4] = 16777217.0 + zero;
    out[5] = 0x0.4p-8 + zero;
    out[6] = 1e-38 + zero;
}
