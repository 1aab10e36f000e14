//! The cases: a kernel, its grid, and its data.

use kernels::TILE_LEN;

/// A kernel and its data.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The kernel.
    pub kernel: &'static str,
    /// Its data.
    pub data: Data,
}

/// The data of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Data {
    /// A picture with one thread per pixel; width and height are the first arguments.
    Picture {
        /// Width in pixels.
        width: u32,
        /// Height in pixels.
        height: u32,
    },
    /// The number of messages to hash, one per thread.
    Messages(u32),
    /// The number of tiles to sort, one per workgroup.
    Tiles(u32),
}

/// Iteration limit of the Mandelbrot kernel.
pub(crate) const STEPS: u32 = 60;
/// The time in seconds that kernels read.
pub(crate) const CLOCK: f32 = 12.25;
/// Workgroup size of kernels that do not require one.
pub(crate) const WORKGROUP: u32 = 64;

/// The cases that `three-ways` runs.
pub const CASES: [Case; 5] = [
    Case {
        kernel: "gradient",
        data: Data::Picture {
            width: 128,
            height: 64,
        },
    },
    Case {
        kernel: "mandelbrot",
        data: Data::Picture {
            width: 96,
            height: 64,
        },
    },
    Case {
        kernel: "ray_tracer",
        data: Data::Picture {
            width: 160,
            height: 100,
        },
    },
    Case {
        kernel: "sha256",
        data: Data::Messages(128),
    },
    Case {
        kernel: "sort",
        data: Data::Tiles(8),
    },
];

impl Case {
    /// Number of workgroups, and workgroup size.
    pub(crate) fn grid(&self) -> (u32, u32) {
        match self.data {
            Data::Picture { width, height } => ((width * height).div_ceil(WORKGROUP), WORKGROUP),
            Data::Messages(count) => (count.div_ceil(WORKGROUP), WORKGROUP),
            Data::Tiles(count) => (count, TILE_LEN as u32 / 2),
        }
    }

    /// The kernel's arguments, all 32-bit integers.
    pub(crate) fn arguments(&self) -> Vec<u32> {
        match self.data {
            Data::Picture { width, height } if self.kernel == "mandelbrot" => {
                vec![width, height, STEPS]
            }
            Data::Picture { width, height } => vec![width, height],
            Data::Messages(_) | Data::Tiles(_) => Vec::new(),
        }
    }

    /// The initial buffers: group, binding, words.
    pub(crate) fn buffers(&self) -> Vec<(u16, u16, Vec<u32>)> {
        match self.data {
            Data::Picture { .. } => Vec::new(),
            Data::Messages(count) => {
                // Messages of all lengths with different contents.
                let lengths = (0..count).map(|i| i % 65).collect();
                let digests = vec![0; count as usize * 8];
                vec![
                    (0, 0, scrambled(count * 16)),
                    (0, 1, lengths),
                    (0, 2, digests),
                ]
            }
            Data::Tiles(count) => vec![(0, 0, scrambled(count * TILE_LEN as u32))],
        }
    }

    /// The buffer that holds the results.
    pub(crate) fn result(&self) -> Option<(u16, u16)> {
        match self.data {
            Data::Picture { .. } => None,
            Data::Messages(_) => Some((0, 2)),
            Data::Tiles(_) => Some((0, 0)),
        }
    }
}

/// Pseudorandom numbers.
fn scrambled(count: u32) -> Vec<u32> {
    let mix = |i: u32| (i ^ i >> 7).wrapping_mul(0x9e37_79b9).rotate_left(13) ^ i;
    (1..=count).map(mix).collect()
}
