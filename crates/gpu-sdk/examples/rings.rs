//! A fragment shader that draws rings, the narrower the farther out. On the right `fwidth` says how
//! much of a ring a pixel sees, and edges are that soft; on the left edges are hard, and patterns
//! appear that are not there.
//!
//! `cargo run --release -p gpu-sdk --example rings` writes `rings.png`.

#![expect(clippy::print_stdout, reason = "an example shows its result")]

use std::fs::File;
use std::io::BufWriter;

use gpu_sdk::{
    Vec2f, Vec3f, abs, dispatch_image, dot, fract, fwidth, mix, pack4x8unorm, saturate, smoothstep,
    step, vec3f,
};

const SIDE: u32 = 448;
/// How many rings lie between the centre and the middle of an edge.
const RINGS: f32 = 64.0;

/// The colour of the pixel whose centre is `position`.
fn shade(position: Vec2f) -> Vec3f {
    let p = position / (SIDE as f32 / 2.0) - 1.0;
    // Counts rings. Its derivative is taken before `fract`, which jumps.
    let phase = RINGS * dot(p, p);
    let width = fwidth(phase);
    // Negative on a ring, positive between rings.
    let distance = abs(fract(phase) - 0.5) - 0.25;
    let hard = step(0.0, distance);
    let soft = saturate(distance / width + 0.5);
    // The more of a ring a pixel sees, the more it sees their average.
    let soft = mix(soft, 0.5, smoothstep(0.3, 0.8, width));

    let (ink, paper) = (vec3f(0.06, 0.22, 0.42), vec3f(0.98, 0.96, 0.91));
    mix(ink, paper, if p.x < 0.0 { hard } else { soft })
}

fn draw() -> Vec<u32> {
    let mut pixels = vec![0; (SIDE * SIDE) as usize];
    dispatch_image(SIDE, &mut pixels, |builtins| {
        let position = Vec2f::new(builtins.position.x, builtins.position.y);
        pack4x8unorm(shade(position).extend(1.0))
    });
    pixels
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rgb = draw().into_iter().flat_map(|pixel| {
        let [red, green, blue, _] = pixel.to_le_bytes();
        [red, green, blue]
    });
    let rgb: Vec<u8> = rgb.collect();

    let file = BufWriter::new(File::create("rings.png")?);
    let mut encoder = png::Encoder::new(file, SIDE, SIDE);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::High);
    // Half of the picture has two colours, which pack best as they are.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.write_header()?.write_image_data(&rgb)?;
    println!("rings.png ({SIDE}x{SIDE})");
    Ok(())
}

#[test]
fn edges_are_soft_on_the_right_only() {
    let pixels = draw();
    let colours = |columns: std::ops::Range<usize>| {
        let rows = pixels.chunks_exact(SIDE as usize);
        let colours: std::collections::BTreeSet<_> =
            rows.flat_map(|row| &row[columns.clone()]).collect();
        colours.len()
    };
    let middle = SIDE as usize / 2;
    assert_eq!(colours(0..middle), 2);
    assert!(colours(middle..SIDE as usize) > 100);
}
