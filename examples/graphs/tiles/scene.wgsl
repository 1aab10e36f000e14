// Balls before a sky, in integers, so that every device draws the same picture.
@group(0) @binding(0) var<storage, read_write> picture: array<u32>;
@group(0) @binding(1) var<storage, read> balls: array<vec4<i32>>;

const NONE: i32 = -1;
// Positions are counted in quarters of a pixel.
const UNIT: i32 = 4;

// The ball at a position, or NONE.
fn ball_at(position: vec2<i32>) -> i32 {
    var found = NONE;
    for (var i = 0; i < i32(arrayLength(&balls)); i++) {
        let to = position - UNIT * balls[i].xy;
        let radius = UNIT * balls[i].z;
        if to.x * to.x + to.y * to.y < radius * radius { found = i; }
    }
    return found;
}

fn channels(colour: u32) -> vec3<u32> {
    return vec3<u32>(colour >> 16u, colour >> 8u, colour) & vec3<u32>(255u);
}

// Darker to the lower right.
fn ball_colour(ball: i32, position: vec2<i32>) -> vec3<u32> {
    let to = position - UNIT * balls[ball].xy;
    let radius = UNIT * balls[ball].z;
    let light = clamp(160 - 96 * (to.x + to.y) / radius, 24, 256);
    return channels(u32(balls[ball].w)) * u32(light) / 256u;
}

fn sky_colour(position: vec2<i32>) -> vec3<u32> {
    let height = u32(position.y) / 16u;
    return vec3<u32>(20u + height / 2u, 28u + height / 2u, 60u + height);
}

fn colour_at(position: vec2<i32>) -> vec3<u32> {
    let ball = ball_at(position);
    if ball == NONE { return sky_colour(position); }
    return ball_colour(ball, position);
}

fn write_pixel(pixel: vec2<u32>, colour: vec3<u32>) {
    let value = min(colour, vec3<u32>(255u));
    picture[pixel.y * 512u + pixel.x] = value.x | (value.y << 8u) | (value.z << 16u) | 0xff000000u;
}
