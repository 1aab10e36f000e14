struct In { @location(0) @interpolate(flat) a: u32, @builtin(sample_mask) mask: u32, @builtin(position) p: vec4<f32>, @builtin(front_facing) f: bool }
struct Out { @builtin(sample_mask) mask: u32, @builtin(frag_depth) d: f32, @location(1) c: vec2<f32> }
@fragment fn main(in: In) -> Out { return Out(in.mask & in.a, in.p.z, select(vec2<f32>(0.0), in.p.xy, in.f)); }
