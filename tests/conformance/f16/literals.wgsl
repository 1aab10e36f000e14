// Literals, constants and zero values of f16.
//: needs f16
//: out 0:0 f16 1 65504 1.75 -2 0 0 0x1p-24 0.1
enable f16;

const quarter = 0.25h;
const vector = vec2h(1, -2);
@group(0) @binding(0) var<storage, read_write> out: array<f16>;

@compute @workgroup_size(1)
fn main() {
    out[0] = 1h;
    out[1] = 65504h;
    out[2] = quarter + 1.5h;
    out[3] = vector.y;
    out[4] = f16();
    out[5] = vec3h().z;
    out[6] = 5.9604645e-8h;
    out[7] = f16(0.1);
}
