@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn f(i: u32) -> bool { out[i] += 1u; return out[i] > 2u; }
@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if f(0u) && f(1u) || f(2u) && (f(3u) || f(4u)) { out[5] = 1u; }
    while i < 4u && f(i) || f(7u) { out[6] += 1u; }
    for (var j = 0u; j < 3u && out[j] < 4u; j++) { out[8] = select(1u, 2u, f(1u) && j > 1u); }
    loop { continuing { break if f(2u) && f(3u); } }
}
