// Immediate data is read at the offsets of its struct.
//: immediates u32 5 i32 -3 f32 0.5 0.25
//: out 0:0 u32 5 i32 -3 f32 0.75
@group(0) @binding(0) var<storage, read_write> out: Out;

struct Settings {
    count: u32,
    shift: i32,
    scale: vec2<f32>,
}

struct Out {
    count: u32,
    shift: i32,
    sum: f32,
}

var<immediate> settings: Settings;

@compute @workgroup_size(1)
fn main() {
    out = Out(settings.count, settings.shift, settings.scale.x + settings.scale.y);
}
