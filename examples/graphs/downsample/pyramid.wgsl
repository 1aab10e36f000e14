// Where the versions of the picture lie, and how four pixels become one.
@group(0) @binding(0) var<storage, read_write> picture: array<u32>;

// The square of the tile that a workgroup is at.
var<workgroup> square: array<u32, 1024>;

fn write_pixel(version: u32, pixel: vec2<u32>, colour: u32) {
    var corner = vec2<u32>(0u);
    if version > 0u {
        // 256 rows, 128 rows, and so on below each other.
        corner = vec2<u32>(512u, 512u - (1024u >> version));
    }
    let at = corner + pixel;
    picture[at.y * 768u + at.x] = colour;
}

// The mean of four pixels, each channel by itself, rounded.
fn mean(a: u32, b: u32, c: u32, d: u32) -> u32 {
    let even = vec4<u32>(a, b, c, d) & vec4<u32>(0x00ff00ffu);
    let odd = (vec4<u32>(a, b, c, d) >> vec4<u32>(8u)) & vec4<u32>(0x00ff00ffu);
    let even_sum = even.x + even.y + even.z + even.w + 0x00020002u;
    let odd_sum = odd.x + odd.y + odd.z + odd.w + 0x00020002u;
    return ((even_sum >> 2u) & 0x00ff00ffu) | (((odd_sum >> 2u) & 0x00ff00ffu) << 8u);
}

// The picture itself: rings on a chequered ground.
fn original(pixel: vec2<u32>) -> u32 {
    let to = vec2<i32>(pixel) - vec2<i32>(256);
    let ring = u32((to.x * to.x + to.y * to.y) / 512) & 63u;
    let dark = ((pixel.x / 32u + pixel.y / 32u) & 1u) * 60u;
    let red = min(pixel.x / 2u, 255u);
    let green = min(4u * ring, 255u);
    let blue = min(40u + dark + pixel.y / 4u, 255u);
    return red | (green << 8u) | (blue << 16u) | 0xff000000u;
}

// Halves the square until one pixel is left, and writes every version. The square has rows of `side`
// pixels at its beginning; it is the part at `part` of the version.
fn halve(me: u32, first: u32, side: u32, part: vec2<u32>) {
    var version = first;
    for (var half = side / 2u; half > 0u; half /= 2u) {
        version++;
        let x = me % half;
        let y = me / half;
        var colour = 0u;
        if y < half {
            let at = 4u * y * half + 2u * x;
            colour = mean(square[at], square[at + 1u], square[at + 2u * half], square[at + 2u * half + 1u]);
            write_pixel(version, part * half + vec2<u32>(x, y), colour);
        }
        workgroupBarrier();
        if y < half { square[me] = colour; }
        workgroupBarrier();
    }
}
