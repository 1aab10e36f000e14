override scale: f32 = 2.0;
@vertex fn v(@location(0) p: vec4<f32>) -> @builtin(position) vec4<f32> { return p * scale; }
@fragment fn f() -> @location(0) vec4<f32> { return vec4<f32>(scale); }
