struct sin {
    max: f32,
    loop_: f32,
    fract: f32,
}

@group(0) @binding(0) var<storage, read_write> read: array<f32>;
@group(0) @binding(1) var<uniform> größe: vec4<f32>;

fn min_(max_1: f32) -> f32 {
    let cos = max_1 + 1.0;
    return cos * 2.0;
}

fn shadow(read: f32) -> f32 {
    let abs_1 = -read;
    return abs_1;
}

fn abs_used(x: f32) -> f32 {
    return abs(x);
}

@compute @workgroup_size(1)
fn main() {
    let size = größe.x;
    var s = sin(1.0, 2.0, 3.0);
    let e1 = s.max;
    let e2 = min_(s.fract);
    let e3 = shadow(size);
    read[0] = e1 + e2 + e3 + abs_used(s.loop_);
    let main_1 = read[1];
    read[2] = main_1;
}
