enable f16;
struct Out { @builtin(position) p: vec4<f32>, @location(0) c: vec4<h>, @location(1) d: f16 }
alias h = f16;
@vertex fn main(@location(0) a: vec2<f16>) -> Out { return Out(vec4<f32>(1.0), vec4<f16>(a, a), a.x); }
@fragment fn frag(@location(0) c: vec4<f16>, @location(1) d: f16) -> @location(0) vec4<f16> { return c * d; }
