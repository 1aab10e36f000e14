//! Device resources of a job: buffers, and its batches.
//!
//! In: pixel coordinates, entries of the reference orbit, batches. Out: the results of each batch. What always holds:
//! the state of the pixels stays on the device, and the first batch of a view initialises it. The reference orbit may
//! grow while batches are in flight: each entry is written once, before the first batch that may read it is submitted.

use anywarp_batch::{Batch, PassShader};
use bytemuck::{Pod, Zeroable};
use wgpu::BufferUsages as Usage;

use crate::course::Report;
use crate::error::JobError;
use crate::limit::HIGHEST;
use crate::reference::{Entry, Piece, WideEntry};

/// Workgroup size in each dimension, as in the kernel.
const TILE: u32 = 8;

const KERNEL: &str = include_str!("kernel.wgsl");

/// The parameters of a batch. The kernel has the same struct.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Params {
    pub(crate) size: [u32; 2],
    pub(crate) start: u32,
    pub(crate) steps: u32,
    pub(crate) method: u32,
    pub(crate) capacity: u32,
    pub(crate) last: u32,
    pub(crate) exponent: i32,
    /// Always 0, which the kernel's compiler must not know.
    pub(crate) zero: u32,
    pub(crate) padding: u32,
}

/// State of a pixel. The kernel has the same struct.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Pixel {
    value: [f32; 2],
    exponent: i32,
    index: u32,
}

/// The header of the results.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    iterations: u32,
    reported: u32,
    waiting: u32,
    found: u32,
}

/// A pixel that finished.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Finished {
    pub(crate) pixel: u32,
    pub(crate) count: u32,
}

/// The results of a batch: the state of all pixels, and the finished pixels that fit.
#[derive(Debug)]
pub(crate) struct EarlyResults {
    pub(crate) report: Report,
    pub(crate) newly_finished: u32,
    pub(crate) finished: Vec<Finished>,
}

/// Sizes of the buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dimensions {
    pub(crate) size: [u32; 2],
    pub(crate) slots: u32,
    /// Maximal number of finished pixels that a batch reports.
    pub(crate) capacity: u32,
    /// Maximal number of entries of the reference orbit.
    pub(crate) orbit: u32,
}

impl Dimensions {
    pub(crate) fn pixels(&self) -> u32 {
        self.size[0] * self.size[1]
    }

    /// Checks that the sizes are valid, and within the limits of a device.
    pub(crate) fn check(&self, limits: &wgpu::Limits) -> Result<(), JobError> {
        let [width, height] = self.size;
        if width == 0 || height == 0 {
            return Err(JobError::NoPixels { width, height });
        }
        let room = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size);
        // Pixels are numbered by 32 bits.
        let most = (room / size_of::<Pixel>() as u64).min(u64::from(u32::MAX));
        let side = limits
            .max_compute_workgroups_per_dimension
            .saturating_mul(TILE);
        let pixels = u64::from(width) * u64::from(height);
        if pixels > most || width.max(height) > side {
            return Err(JobError::TooManyPixels {
                width,
                height,
                most,
                side,
            });
        }
        if self.capacity == 0 {
            return Err(JobError::NoCapacity);
        }
        Ok(())
    }
}

/// The highest limit for which a reference orbit fits on the device; without a reference orbit, the highest limit.
pub(crate) fn highest_limit(limits: &wgpu::Limits, has_reference: bool) -> u32 {
    let room = limits
        .max_storage_buffer_binding_size
        .min(limits.max_buffer_size);
    let entries = room / size_of::<Entry>() as u64;
    if has_reference {
        // One entry per iteration, the initial zero, and the entry that is held back.
        entries.saturating_sub(2).min(u64::from(HIGHEST)) as u32
    } else {
        HIGHEST
    }
}

#[derive(Debug)]
pub(crate) struct Engine {
    dimensions: Dimensions,
    queue: wgpu::Queue,
    places: wgpu::Buffer,
    orbit: wgpu::Buffer,
    wides: wgpu::Buffer,
    pub(crate) batch: Batch<Params, Vec<u8>>,
}

impl Engine {
    /// Creates all resources. Dimensions must have been checked.
    pub(crate) fn new(
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        dimensions: Dimensions,
    ) -> Result<Self, JobError> {
        let buffer = |label, size: u64| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage: Usage::STORAGE | Usage::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let pixels = u64::from(dimensions.pixels());
        let [width, height] = dimensions.size.map(u64::from);
        let results = size_of::<Header>() as u64
            + u64::from(dimensions.capacity) * size_of::<Finished>() as u64;
        let buffers = [
            buffer("finished", 4 * pixels),
            buffer("pixels", pixels * size_of::<Pixel>() as u64),
            buffer("results", results),
            buffer("places", 4 * (width + height)),
            buffer(
                "orbit",
                u64::from(dimensions.orbit.max(1)) * size_of::<Entry>() as u64,
            ),
            buffer(
                "wides",
                u64::from(dimensions.orbit.max(1)) * size_of::<WideEntry>() as u64,
            ),
        ];
        let kernel = || PassShader::from(KERNEL).label("kernel.wgsl");
        let [x, y] = dimensions.size.map(|side| side.div_ceil(TILE));
        let builder = Batch::builder(device, queue)
            .slots(dimensions.slots)
            .params::<Params>()
            .pass(kernel(), "begin", [1, 1, 1])
            .pass(kernel(), "advance", [x, y, 1])
            .read_back::<u8>(&buffers[2]);
        // The buffers are in the order of the kernel's bindings.
        let bound = (0..).zip(&buffers);
        let builder = bound.fold(builder, |builder, (binding, buffer)| {
            builder.bind(1, binding, buffer)
        });
        let batch = builder.build()?;
        let [_, _, _, places, orbit, wides] = buffers;
        Ok(Self {
            dimensions,
            queue: queue.clone(),
            places,
            orbit,
            wides,
            batch,
        })
    }

    pub(crate) fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// Writes the pixel coordinates for the next batches.
    pub(crate) fn write_places(&self, places: &[f32]) {
        let bytes = bytemuck::cast_slice(places);
        self.queue.write_buffer(&self.places, 0, bytes);
    }

    /// Writes a part of the reference orbit for the next batches.
    pub(crate) fn write_orbit(&self, piece: &Piece) {
        write_at(&self.queue, &self.orbit, piece.first, &piece.entries);
        write_at(&self.queue, &self.wides, piece.first_wide, &piece.wides);
    }

    /// Decodes the results of a batch.
    pub(crate) fn read(&self, results: &[u8]) -> Result<EarlyResults, JobError> {
        let split = results.split_at_checked(size_of::<Header>());
        let (header, entries) = split.ok_or(JobError::Nonsense("the header is cut off"))?;
        let header: Header = bytemuck::pod_read_unaligned(header);
        let sent = header.found.min(self.dimensions.capacity);
        let bytes = entries.get(..sent as usize * size_of::<Finished>());
        let bytes = bytes.ok_or(JobError::Nonsense("entries are missing"))?;
        let known = u64::from(header.reported) + u64::from(header.found);
        let live = u64::from(self.dimensions.pixels()).checked_sub(known);
        let live = live.ok_or(JobError::Nonsense("more pixels finished than there are"))?;
        let newly_finished = header.found.checked_sub(header.waiting);
        Ok(EarlyResults {
            report: Report {
                iterations: header.iterations,
                // At most the number of pixels.
                live: live as u32,
                waiting: header.found - sent,
            },
            newly_finished: newly_finished.ok_or(JobError::Nonsense("finished pixels are lost"))?,
            finished: bytemuck::pod_collect_to_vec(bytes),
        })
    }
}

fn write_at<T: Pod>(queue: &wgpu::Queue, buffer: &wgpu::Buffer, first: u32, entries: &[T]) {
    if entries.is_empty() {
        return;
    }
    let offset = u64::from(first) * size_of::<T>() as u64;
    queue.write_buffer(buffer, offset, bytemuck::cast_slice(entries));
}
