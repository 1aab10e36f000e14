struct V { @builtin(position) @invariant p: vec4<f32>, @location(7) c: vec3<f32>, @location(2) @interpolate(flat) k: vec2<u32> }
@vertex fn v(@builtin(vertex_index) i: u32) -> V { var o: V; if i == 1u { return o; } for (var k = 0; k < 3; k++) { if i == 2u { o.c = vec3<f32>(1.0); return o; } } switch i { case 5u { return V(); } default {} } o.p.x = 1.0; return o; }
@fragment fn f(in: V) -> @location(3) vec3<f32> { loop { if in.k.x > 3u { return in.c; } break; } return in.p.xyz; }
@fragment fn g(@location(7) c: vec3<f32>) -> @location(0) f32 { return c.x; }
@compute @workgroup_size(2, 3, 4) fn k(@builtin(workgroup_id) a: vec3<u32>, @builtin(local_invocation_id) b: vec3<u32>, @builtin(num_workgroups) c: vec3<u32>) { w[b.x] = a + c; }
var<workgroup> w: array<vec3<u32>, 2>;
