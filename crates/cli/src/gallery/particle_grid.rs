//! A million particles in a uniform grid: a program in passes, which uses nothing but wgpu and runs on any device.
//!
//! In: the number of particles and time steps. Out: a picture. What is verified: the counting sort has put every particle
//! in the cell where it is, once.

use std::time::Instant;

use anywarp::Device;

use super::commands::engine_of;
use super::example::{Measured, Place};
use super::failure::Failure;
use super::passes::Passes;
use super::sources;
use crate::image;
use crate::specs::{ElementType, Pixels, PngPicture};

const SHADER: &str = "examples/gallery/particle-grid.wgsl";

/// The picture, in the gallery's folder.
pub(super) const PICTURE: &str = "particle-grid.png";

/// Words of a particle, and the place of its number in them.
const PARTICLE_WORDS: usize = 6;
const ID: usize = 4;

/// The sizes of a simulation.
struct Simulation {
    /// Cells on each side of the grid, and pixels.
    grid: u32,
    particles: u32,
    steps: u32,
}

impl Simulation {
    /// The passes that sort the particles into the grid.
    fn sort(&self) -> [(&'static str, [u32; 2]); 4] {
        let cells = self.grid * self.grid / 256;
        let particles = self.particles / 256;
        [
            ("clear", [cells, 1]),
            ("count", [particles, 1]),
            ("scan", [1, 1]),
            ("scatter", [particles, 1]),
        ]
    }

    fn run(&self, passes: &Passes<'_>) -> Result<(), Failure> {
        let particles = [self.particles / 256, 1];
        passes.run(&[("start", particles)])?;
        for _ in 0..self.steps {
            passes.run(&self.sort())?;
            passes.run(&[("push", particles)])?;
        }
        passes.run(&self.sort())?;
        passes.run(&[("draw", [self.grid / 8; 2])])
    }

    /// Checks that each particle is in the list once, in the cell of its position.
    fn verify(&self, passes: &Passes<'_>) -> Result<String, Failure> {
        let firsts = passes.read("firsts")?;
        let sorted = passes.read("sorted")?;
        let mut is_listed = vec![false; self.particles as usize];
        let cell_of = |particle: &[u32]| {
            let axis = |axis: usize| (f32::from_bits(particle[axis]) as u32).min(self.grid - 1);
            axis(1) * self.grid + axis(0)
        };
        for (cell, first) in (0..).zip(&firsts) {
            let end = firsts.get(cell as usize + 1).copied();
            let end = end.unwrap_or(self.particles) as usize;
            let begin = *first as usize * PARTICLE_WORDS;
            let places = sorted.get(begin..end * PARTICLE_WORDS);
            for particle in places.unwrap_or_default().chunks_exact(PARTICLE_WORDS) {
                let is_new = is_listed.get_mut(particle[ID] as usize);
                let is_new = is_new.is_some_and(|is_listed| !std::mem::replace(is_listed, true));
                if !is_new || cell_of(particle) != cell {
                    let problem =
                        format!("particle {} is in the list of cell {cell}", particle[ID]);
                    return Err(Failure::Wrong(problem));
                }
            }
        }
        match is_listed.iter().position(|is_listed| !is_listed) {
            Some(particle) => Err(Failure::Wrong(format!("particle {particle} is in no list"))),
            None => Ok(format!(
                "each of {} particles is in the list of its cell",
                self.particles
            )),
        }
    }
}

/// Runs the example.
pub(super) fn run(place: &Place) -> Result<Measured, Failure> {
    let simulation = Simulation {
        grid: place.size.choose(512, 64),
        particles: place.size.choose(1 << 20, 1 << 14),
        steps: place.size.choose(48, 4),
    };
    let (cells, particles) = (
        u64::from(simulation.grid).pow(2),
        u64::from(simulation.particles),
    );
    let device = Device::open(&place.adapter)?.for_program(SHADER);
    let passes = Passes::new(
        &device,
        SHADER,
        sources::text(SHADER),
        &[("GRID", f64::from(simulation.grid))],
        &[
            ("particles", particles * PARTICLE_WORDS as u64 * 4),
            ("sorted", particles * PARTICLE_WORDS as u64 * 4),
            ("counts", cells * 4),
            ("firsts", cells * 4),
            ("picture", cells * 4),
        ],
    )?;
    let started = Instant::now();
    simulation.run(&passes)?;
    let run = started.elapsed();
    let path = place.path(PICTURE);
    let picture = PngPicture {
        path: path.clone(),
        width: simulation.grid,
        height: simulation.grid,
        pixels: Pixels::Rgba8,
    };
    let pixels = passes.read("picture")?;
    image::write_png(&picture, bytemuck::cast_slice(&pixels), ElementType::U32)
        .map_err(|source| crate::error::Error::Write { path, source })?;
    Ok(Measured {
        run,
        engine: engine_of(passes.program(), "push", place),
        verified: Some(simulation.verify(&passes)?),
        printed: Vec::new(),
    })
}
