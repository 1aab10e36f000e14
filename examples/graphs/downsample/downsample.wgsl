// A workgroup of 256 invocations for each tile of 64x64 pixels.
fn downsample(group_id: vec3<u32>, local_index: u32) {
    // Each invocation makes four pixels of the first smaller version, from sixteen of the original.
    for (var i = local_index; i < 1024u; i += 256u) {
        let small = vec2<u32>(i % 32u, i / 32u);
        let large = 64u * group_id.xy + 2u * small;
        var four: array<u32, 4>;
        for (var k = 0u; k < 4u; k++) {
            let pixel = large + vec2<u32>(k % 2u, k / 2u);
            four[k] = original(pixel);
            write_pixel(0u, pixel, four[k]);
        }
        let colour = mean(four[0], four[1], four[2], four[3]);
        square[i] = colour;
        write_pixel(1u, 32u * group_id.xy + small, colour);
    }
    workgroupBarrier();
    halve(local_index, 1u, 32u, group_id.xy);
    if local_index == 0u {
        store_input_tiles(8u * group_id.y + group_id.x, square[0]);
    }
    // The last workgroup of the grid sees the pixels of all.
    if finished_cross_group_sharing() {
        if local_index < 64u {
            square[local_index] = load_input_tiles(local_index);
        }
        workgroupBarrier();
        halve(local_index, 6u, 8u, vec2<u32>(0u));
    }
}
