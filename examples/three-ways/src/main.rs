//! `three-ways`: runs all kernels in all ways, compares the results bitwise, and writes the ray tracer's picture.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "a command line tool talks to its user")]

use std::error::Error;
use std::fs::{self, File};
use std::io::BufWriter;
use std::time::{Duration, Instant};

use anywarp::wasm::{Engine, Module};
use three_ways::{CASES, Case, Data, Words, device, kernels, native, on_engine};

/// Default output file.
const PICTURE: &str = "ray-tracer.png";

fn main() -> Result<(), Box<dyn Error>> {
    let picture = std::env::args()
        .nth(1)
        .unwrap_or_else(|| PICTURE.to_owned());
    let bytes = fs::read(kernels()?)?;
    let translating = Instant::now();
    let virtual_machine = Module::new(&Engine::vm(), &bytes)?;
    let took = translating.elapsed();
    println!("module {} bytes, translated in {took:.2?}", bytes.len());

    let (name, device, queue) = device()?;
    let engine = pollster::block_on(Engine::gpu_interpreter(device, queue))?;
    let interpreter = Module::new(&engine, &bytes)?;
    println!("GPU interpreter on {name}\n");
    println!("kernel       native      virtual machine  GPU interpreter  results");
    for case in &CASES {
        let (first, native_time) = timed(|| Ok(native(case)))?;
        let (second, virtual_time) = timed(|| on_engine(case, &virtual_machine))?;
        let (third, gpu_time) = timed(|| on_engine(case, &interpreter))?;
        let equal = first == second && second == third;
        let verdict = if equal { "equal" } else { "DIFFERENT" };
        let times = [native_time, virtual_time, gpu_time].map(|time| format!("{time:.2?}"));
        let [a, b, c] = times;
        println!("{:<12} {a:<11} {b:<16} {c:<16} {verdict}", case.kernel);
        if !equal {
            return Err(format!("the results of `{}` differ", case.kernel).into());
        }
    }
    let large = Case {
        kernel: "ray_tracer",
        data: Data::Picture {
            width: 640,
            height: 400,
        },
    };
    let (words, took) = timed(|| on_engine(&large, &virtual_machine))?;
    write(&picture, &large, &words)?;
    println!("\n{picture}: the ray tracer with 640x400 pixels, {took:.2?} on the virtual machine");
    Ok(())
}

fn timed(
    way: impl FnOnce() -> Result<Words, Box<dyn Error>>,
) -> Result<(Words, Duration), Box<dyn Error>> {
    let start = Instant::now();
    Ok((way()?, start.elapsed()))
}

/// Writes a picture of four floats per pixel.
fn write(path: &str, case: &Case, words: &Words) -> Result<(), Box<dyn Error>> {
    let Data::Picture { width, height } = case.data else {
        return Ok(());
    };
    let byte = |word: &u32| (f32::from_bits(*word).clamp(0.0, 1.0) * 255.0).round() as u8;
    let bytes: Vec<u8> = words.iter().map(byte).collect();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), width, height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(png::ColorType::Rgba);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    writer.finish()?;
    Ok(())
}
