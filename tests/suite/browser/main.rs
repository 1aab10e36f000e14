//! Tests in a real browser, with real WebGPU: Chromium on SwiftShader.

mod batches;
mod driver;
mod pages;
mod tint;
