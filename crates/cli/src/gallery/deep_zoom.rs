//! The Mandelbrot set in a view that is 1e-30 wide, computed in guarded batches: two are in flight while the host reads
//! how far the pixels are.
//!
//! In: the size of the picture. Out: the picture. What is verified: every batch was applied exactly once.

use std::time::Instant;

use anywarp::{Device, read_buffer};
use anywarp_batch::Batch;
use bytemuck::{Pod, Zeroable};

use super::example::{Measured, Place};
use super::failure::Failure;
use super::sources;
use crate::image;
use crate::specs::{ElementType, Pixels, PngPicture};

const SHADER: &str = "examples/gallery/deep-zoom.wgsl";

/// The picture, in the gallery's folder.
pub(super) const PICTURE: &str = "deep-zoom.png";

/// Steps of each pixel in a batch, and the most batches.
const STEPS: u32 = 16;
const MAX_BATCHES: u32 = 64;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Params {
    size: [u32; 2],
    batch: u32,
    steps: u32,
}

/// The buffers of the shader.
struct Buffers {
    pixels: wgpu::Buffer,
    progress: wgpu::Buffer,
    picture: wgpu::Buffer,
}

/// How many pixels have escaped, and how many batches were applied.
type Progress = [u32; 2];

/// Submits batches until no pixel escapes any more, and returns the number of batches.
fn iterate(device: &Device, size: [u32; 2], buffers: &Buffers) -> Result<Progress, Failure> {
    let grid = [size[0].div_ceil(8), size[1].div_ceil(8), 1];
    let shader = sources::text(SHADER);
    let mut batch = Batch::builder(device, device.queue())
        .params::<Params>()
        .bind(1, 0, &buffers.pixels)
        .bind(1, 1, &buffers.progress)
        .bind(1, 2, &buffers.picture)
        .pass(shader, "iterate", grid)
        .pass(shader, "draw", grid)
        .read_back::<Progress>(&buffers.progress)
        .build()?;
    let mut submitted = 0;
    let mut progress = [0; 2];
    let submit = |batch: &mut Batch<Params, _>, submitted: &mut u32| -> Result<(), Failure> {
        let params = Params {
            size,
            batch: *submitted,
            steps: STEPS,
        };
        batch.submit(&params)?;
        *submitted += 1;
        Ok(())
    };
    // One more is always in flight, so that the device works while the host looks at the results.
    submit(&mut batch, &mut submitted)?;
    while submitted < MAX_BATCHES && progress[0] < size[0] * size[1] {
        submit(&mut batch, &mut submitted)?;
        if let Some(outcome) = batch.wait() {
            progress = last(&outcome?.results, progress);
        }
    }
    while let Some(outcome) = batch.wait() {
        progress = last(&outcome?.results, progress);
    }
    if progress[1] != submitted {
        let applied = progress[1];
        let problem = format!("{submitted} batches were submitted, {applied} applied");
        return Err(Failure::Wrong(problem));
    }
    Ok(progress)
}

fn last(results: &[Progress], before: Progress) -> Progress {
    results.last().copied().unwrap_or(before)
}

/// Runs the example.
pub(super) fn run(place: &Place) -> Result<Measured, Failure> {
    let size = place.size.choose([576, 384], [96, 64]);
    let pixels = u64::from(size[0]) * u64::from(size[1]);
    let device = Device::open(&place.adapter)?.for_program(SHADER);
    let buffers = Buffers {
        pixels: buffer(&device, "pixels", pixels * 16),
        progress: buffer(&device, "progress", 8),
        picture: buffer(&device, "picture", pixels * 4),
    };
    device.check()?;
    let started = Instant::now();
    let [escaped, batches] = iterate(&device, size, &buffers)?;
    let run = started.elapsed();
    let bytes = read_buffer(&device, &buffers.picture, buffers.picture.size())?;
    let path = place.path(PICTURE);
    let picture = PngPicture {
        path: path.clone(),
        width: size[0],
        height: size[1],
        pixels: Pixels::Rgba8,
    };
    image::write_png(&picture, &bytes, ElementType::U32)
        .map_err(|source| crate::error::Error::Write { path, source })?;
    Ok(Measured {
        run,
        verified: Some(format!(
            "{batches} batches of {STEPS} steps were applied once each; {escaped} of {pixels} pixels escaped"
        )),
        ..Default::default()
    })
}

/// A storage buffer of zeros that can be read back.
fn buffer(device: &Device, name: &str, bytes: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(name),
        size: bytes,
        usage: wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
