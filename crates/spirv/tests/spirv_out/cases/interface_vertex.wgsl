struct In { @location(0) a: vec3<f32>, @location(3) b: vec2<u32>, @builtin(vertex_index) v: u32 }
struct Out { @builtin(position) p: vec4<f32>, @location(0) c: vec4<f32>, @location(1) @interpolate(flat) i: u32, @location(2) @interpolate(linear, centroid) l: vec2<f32>, @location(3) @interpolate(perspective, sample) m: f32, @location(4) @interpolate(flat, either) n: vec3<i32> }
@vertex fn main(in: In, @builtin(instance_index) k: u32, @location(5) w: i32) -> Out {
    if k == 3u { return Out(); }
    return Out(vec4<f32>(in.a, 1.0), vec4<f32>(f32(in.b.x)), in.v + k, in.a.xy, 1.0, vec3<i32>(w));
}
