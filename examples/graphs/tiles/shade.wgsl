// One shader for each kind of tile. A workgroup is a tile of 16x16 pixels.
fn sky(global_id: vec3<u32>) {
    let pixel = 16u * load_input_tile() + global_id.xy;
    write_pixel(pixel, sky_colour(UNIT * vec2<i32>(pixel)));
}

// Inside a ball there is always one; which one differs where a smaller one lies before it.
fn ball(global_id: vec3<u32>) {
    let pixel = 16u * load_input_tile() + global_id.xy;
    let position = UNIT * vec2<i32>(pixel);
    write_pixel(pixel, ball_colour(ball_at(position), position));
}

// Sixteen samples of each pixel.
fn edge(global_id: vec3<u32>) {
    let pixel = 16u * load_input_tile() + global_id.xy;
    var sum = vec3<u32>(8u);
    for (var i = 0; i < 16; i++) {
        sum += colour_at(UNIT * vec2<i32>(pixel) + vec2<i32>(i % 4, i / 4));
    }
    write_pixel(pixel, sum / 16u);
}
