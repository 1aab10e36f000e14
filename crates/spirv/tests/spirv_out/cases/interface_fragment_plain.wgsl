@fragment fn main(@builtin(position) p: vec4<f32>, @location(0) @interpolate(flat, first) i: vec2<i32>) -> @location(0) vec2<i32> {
    if p.x > 2.0 { return i; }
    return i + 1;
}
@fragment fn depth(@builtin(position) p: vec4<f32>) -> @builtin(frag_depth) f32 { return p.z * 2.0; }
@fragment fn none(@builtin(position) p: vec4<f32>) { _ = p; }
