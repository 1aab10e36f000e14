@group(0) @binding(0) var<uniform> a: f32;
@group(0) @binding(1) var<uniform> b: vec3<u32>;
@group(0) @binding(2) var<uniform> c: mat2x2<f32>;
@group(0) @binding(3) var<uniform> d: array<vec4<f32>, 3>;
@group(0) @binding(4) var<storage, read_write> e: f32;
@group(0) @binding(5) var<storage, read_write> f: atomic<u32>;
@group(0) @binding(6) var<storage, read_write> g: array<atomic<i32>, 4>;
@compute @workgroup_size(1) fn main(@builtin(num_workgroups) n: vec3<u32>) { e = a + f32(b.y) + c[1].x + d[n.x].y; atomicAdd(&f, 1u); atomicMax(&g[n.x], 3); }
