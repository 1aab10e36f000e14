enable primitive_index;
struct In { @builtin(position) p: vec4<f32>, @location(0) c: vec4<f32>, @location(1) @interpolate(flat) i: u32, @location(2) @interpolate(linear, centroid) l: vec2<f32>, @location(3) @interpolate(perspective, sample) m: f32, @location(4) @interpolate(linear) n: f32 }
struct Out { @location(0) a: vec4<f32>, @location(2) b: u32, @builtin(frag_depth) d: f32 }
@fragment fn main(in: In, @builtin(front_facing) f: bool, @builtin(primitive_index) pi: u32) -> Out {
    if !f { return Out(in.c, in.i, 0.5); }
    return Out(in.p, pi, in.m + in.l.x + in.n);
}
