@group(0) @binding(0) var t: texture_2d<f32>;
@group(0) @binding(1) var s: sampler;
@group(0) @binding(2) var<storage, read_write> n: atomic<u32>;
fn cut(x: f32) -> f32 { if x < 0.0 { discard; } return x * 2.0; }
fn always() -> f32 { discard; }
fn both(x: f32) -> f32 { if x < 1.0 { discard; return 1.0; } else { discard; } return 3.0; }
@fragment fn main(@location(0) p: vec4<f32>) -> @location(0) vec4<f32> {
    let c = cut(p.x);
    if p.y > 0.5 { discard; atomicAdd(&n, 1u); }
    for (var i = 0; i < 4; i++) { if p[i] > 0.7 { discard; } switch i { case 1: { discard; } default: {} } }
    if p.z > 0.9 { return vec4<f32>(always() + both(p.x)); }
    return textureSample(t, s, p.xy) + dpdx(p) * c;
}
@fragment fn nothing() { discard; }
