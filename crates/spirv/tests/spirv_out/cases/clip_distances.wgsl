enable clip_distances;
struct Out { @builtin(position) p: vec4<f32>, @builtin(clip_distances) d: array<f32, 2> }
@vertex fn main(@location(0) p: vec4<f32>) -> Out { return Out(p, array<f32, 2>(p.x, p.y)); }
