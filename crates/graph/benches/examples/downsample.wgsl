// The smaller versions of a picture in two passes: tiles down to one pixel each, then these.
@group(1) @binding(0) var<storage, read_write> tiles: array<u32>;

@compute @workgroup_size(16, 16)
fn bottom(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    for (var i = me; i < 1024u; i += 256u) {
        let small = vec2<u32>(i % 32u, i / 32u);
        let large = 64u * group.xy + 2u * small;
        var four: array<u32, 4>;
        for (var k = 0u; k < 4u; k++) {
            let pixel = large + vec2<u32>(k % 2u, k / 2u);
            four[k] = original(pixel);
            write_pixel(0u, pixel, four[k]);
        }
        let colour = mean(four[0], four[1], four[2], four[3]);
        square[i] = colour;
        write_pixel(1u, 32u * group.xy + small, colour);
    }
    workgroupBarrier();
    halve(me, 1u, 32u, group.xy);
    if me == 0u { tiles[64u * group.z + 8u * group.y + group.x] = square[0]; }
}

@compute @workgroup_size(16, 16)
fn top(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) me: u32) {
    if me < 64u { square[me] = tiles[64u * group.x + me]; }
    workgroupBarrier();
    halve(me, 6u, 8u, vec2<u32>(0u));
}
