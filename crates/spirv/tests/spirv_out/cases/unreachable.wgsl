@group(0) @binding(0) var<storage, read_write> out: array<f32>;
fn f(x: f32) -> f32 { return x; }
fn g(x: f32) -> f32 { if x > 1.0 { return 1.0; } else { return 2.0; } }
fn k(x: u32) -> f32 { switch x { case 1u: { return 1.0; } default: { return 2.0; } } }
fn m(x: u32) -> f32 { while true { if x == 1u { break; } return 2.0; } return 3.0; }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    out[0] = f(1.0) + g(f32(id.x)) + k(id.x) + m(id.x);
    loop { if id.x > 1u { continue; } out[1] = 2.0; break; }
    loop { out[2] += 1.0; continuing { break if out[2] > 9.0; } }
    switch id.x { default: { out[3] = 1.0; break; } }
    switch id.x { case 1u, default: { out[3] = 1.0; } case 2u: { return; } }
    loop { switch id.x { case 1u: { break; } case 2u: { continue; } default: {} } break; }
    if true { return; }
    out[4] = 4.0;
}
