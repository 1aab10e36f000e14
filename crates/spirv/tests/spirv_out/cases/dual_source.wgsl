enable dual_source_blending;
struct Out { @location(0) @blend_src(0) a: vec4<f32>, @location(0) @blend_src(1) b: vec4<f32> }
@fragment fn main() -> Out { return Out(vec4<f32>(1.0), vec4<f32>(0.5)); }
