// A grid of workgroups for each leaf, one for each block of 8x8 pixels.
@group(0) @binding(0) var<storage, read_write> picture: array<u32>;

fn leaf(global_id: vec3<u32>, grid: vec3<u32>) {
    let corner = load_input_corner();
    let pixel = corner + global_id.xy;
    var side = load_input_side();
    let is_outline = side == 0;
    if is_outline {
        side = side_of(pixel, 0u);
    }
    // Smaller cells are brighter.
    let depth = countLeadingZeros(grid.x) - 25u;
    var colour = select(vec3<u32>(22u, 26u, 46u), vec3<u32>(30u, 90u, 130u), side <= 0);
    colour += vec3<u32>(10u, 12u, 14u) * depth;
    if is_outline {
        colour = select(vec3<u32>(70u, 78u, 110u), vec3<u32>(255u, 190u, 80u), side <= 0);
    }
    if global_id.x == 0u || global_id.y == 0u {
        colour = colour * 5u / 8u;
    }
    let packed = colour.x | (colour.y << 8u) | (colour.z << 16u) | 0xff000000u;
    picture[pixel.y * 512u + pixel.x] = packed;
}
