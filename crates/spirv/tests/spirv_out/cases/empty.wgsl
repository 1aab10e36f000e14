struct E { x: u32 }
@compute @workgroup_size(1) fn main() {}
@vertex fn v() -> @builtin(position) vec4<f32> { return vec4<f32>(); }
@fragment fn f() {}
