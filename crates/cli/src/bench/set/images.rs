//! Rows that filter pictures: `blur` and `sobel`.

use super::super::reference::{images as reference, xorshift};
use super::super::task::{Contents, Task};
use super::Size;
use super::parts::{exactly, floats, nearly, pass, sized};

/// A picture of whole brightnesses from 0 to 255.
fn picture(pixels: usize) -> Vec<f32> {
    let pixel = |word: u32| (word >> 24) as f32;
    xorshift(7).take(pixels).map(pixel).collect()
}

pub(super) fn blur(name: &'static str, size: Size) -> Task {
    let (width, height) = size.choose((2048, 2048), (128, 64));
    let pixels = (width * height) as usize;
    let source = picture(pixels);
    let expected = reference::blur(&source, width as usize);
    let shaders = [
        include_str!("../../../benches/kernels/blur_x.wgsl"),
        include_str!("../../../benches/kernels/blur_y.wgsl"),
    ];
    let groups = [width / 16, height / 16];
    Task {
        name,
        shaders: shaders
            .map(|text| sized(text, &[("W", width), ("H", height)]))
            .into(),
        buffers: vec![
            floats(&source),
            Contents::Zeros(pixels),
            Contents::Zeros(pixels),
        ],
        passes: vec![pass(0, &[0, 1], groups), pass(1, &[1, 2], groups)],
        // Brightnesses of 8 bits times two weights of 8 bits: all products and sums are exact.
        check: exactly(2, bytemuck::cast_slice(&expected)),
        work: pixels as f64,
        repeats: 1,
    }
}

pub(super) fn sobel(name: &'static str, size: Size) -> Task {
    let (width, height) = size.choose((4096, 4096), (128, 64));
    let pixels = (width * height) as usize;
    let source = picture(pixels);
    let expected = reference::sobel(&source, width as usize);
    let text = include_str!("../../../benches/kernels/sobel.wgsl");
    Task {
        name,
        shaders: vec![sized(text, &[("W", width), ("H", height)])],
        buffers: vec![floats(&source), Contents::Zeros(pixels)],
        passes: vec![pass(0, &[0, 1], [width / 8, height / 8])],
        // Only the square roots are rounded.
        check: nearly(1, &expected, 1e-6),
        work: pixels as f64,
        repeats: 1,
    }
}
