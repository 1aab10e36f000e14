// A function may return a struct with vectors, matrices and arrays in it.
//: in  0:0 f32 2
//: out 0:1 f32 2 4 8   2 0 0 2   1 2
@group(0) @binding(0) var<storage, read> x: f32;
@group(0) @binding(1) var<storage, read_write> out: array<f32, 9>;

struct Bundle {
    powers: vec3<f32>,
    scale: mat2x2<f32>,
    list: array<f32, 2>,
}

fn bundle(x: f32) -> Bundle {
    return Bundle(vec3(x, x * x, x * x * x), mat2x2(x, 0.0, 0.0, x), array(1.0, x));
}

@compute @workgroup_size(1)
fn main() {
    let b = bundle(x);
    out[0] = b.powers.x;
    out[1] = b.powers.y;
    out[2] = b.powers.z;
    out[3] = b.scale[0][0];
    out[4] = b.scale[0][1];
    out[5] = b.scale[1].x;
    out[6] = b.scale[1].y;
    out[7] = b.list[0];
    out[8] = b.list[1];
}
