//! Tests in a real browser, with real WebGPU: Chromium on SwiftShader.

mod batches;
mod driver;
mod mandelbrot_page;
mod pages;
mod picture;
mod tint;
