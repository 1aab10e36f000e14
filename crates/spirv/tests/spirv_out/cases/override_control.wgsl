override mode: u32 = 1;
override big: bool = false;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(1) fn main() {
    var x: u32 = mode;
    let y = mode * 3u;
    switch mode { case 0u: { x = 1u; } case 1u, 2u: { x = y; } default: { x = 9u; } }
    if big && mode > 2u { x += 1u; }
    loop { if x > 10u { break; } continuing { x += mode + 1u; break if mode == 5u; } }
    out[mode] = x;
    let v = vec4<u32>(mode, 1u, 2u, 3u);
    out[1] = v[mode] + dot(v, v);
}
