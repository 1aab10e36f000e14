@group(0) @binding(0) var<storage,read_write> o: array<vec4<f32>>;
@group(0) @binding(1) var<uniform> u: array<mat4x3<f32>, 3>;
@group(0) @binding(2) var<uniform> w: mat4x3<f32>;
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) { let i = id.x; let m = u; o[0] = vec4<f32>(m[i][i], 1.0); o[1] = vec4<f32>(u[i][1], w[i][i]); let t = transpose(w); o[2] = t[i]; var l = u; l[i][i].x = 3.0; o[3] = vec4<f32>(l[1][2], 1.0); let k = u[i]; o[4] = vec4<f32>(k[i], k[1][i]); }