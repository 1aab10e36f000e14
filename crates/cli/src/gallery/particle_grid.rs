//! A million particles in a uniform grid: entry points that share buffers, as passes on any device.
//!
//! In: the number of particles and time steps. Out: a picture. What is verified: the counting sort has put every particle
//! in the cell where it is, once.

use std::time::Instant;

use anywarp::{Data, Device, Resident, Shader, ShaderError};

use super::commands::engine_of;
use super::example::{Measured, Place};
use super::failure::Failure;
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
    /// Workgroups for the particles, and for the cells.
    fn workgroups(&self) -> ([u32; 3], [u32; 3]) {
        let cells = self.grid * self.grid;
        ([self.particles / 256, 1, 1], [cells / 256, 1, 1])
    }

    fn run(&self, passes: &mut Passes) -> Result<(), Failure> {
        let (particles, _) = self.workgroups();
        passes.start.enqueue(particles)?;
        for _ in 0..self.steps {
            self.sort(passes)?;
            passes.push.dispatch(particles)?;
        }
        self.sort(passes)?;
        Ok(passes.draw.dispatch([self.grid / 8, self.grid / 8, 1])?)
    }

    /// Sorts the particles into the grid.
    fn sort(&self, passes: &mut Passes) -> Result<(), Failure> {
        let (particles, cells) = self.workgroups();
        passes.clear.enqueue(cells)?;
        passes.count.enqueue(particles)?;
        passes.scan.enqueue([1, 1, 1])?;
        Ok(passes.scatter.enqueue(particles)?)
    }

    /// Checks that each particle is in the list once, in the cell of its position.
    fn verify(&self, passes: &Passes) -> Result<String, Failure> {
        let firsts = passes.scatter.read::<u32>("firsts")?;
        let sorted = passes.scatter.read::<u32>("sorted")?;
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

/// The entry points of the shader. Each variable is one buffer, whichever of them use it.
struct Passes {
    start: Resident,
    clear: Resident,
    count: Resident,
    scan: Resident,
    scatter: Resident,
    push: Resident,
    draw: Resident,
}

impl Passes {
    fn new(shader: &Shader, device: &Device, simulation: &Simulation) -> Result<Self, ShaderError> {
        let cells = u64::from(simulation.grid).pow(2) * 4;
        let particles = u64::from(simulation.particles) * PARTICLE_WORDS as u64 * 4;
        let entry = |name| {
            let entry = shader.entry(name)?;
            Ok::<_, ShaderError>(entry.constant("GRID", f64::from(simulation.grid)))
        };
        let start = entry("start")?.bind("particles", Data::zeros(particles));
        let start = start.upload(device)?;
        let count = entry("count")?.bind("counts", Data::zeros(cells));
        let count = count.upload_beside(&start)?;
        let scan = entry("scan")?.bind("firsts", Data::zeros(cells));
        let scan = scan.upload_beside(&count)?;
        let scatter = entry("scatter")?.bind("sorted", Data::zeros(particles));
        let scatter = scatter.upload_beside(&scan)?;
        let draw = entry("draw")?.bind("picture", Data::zeros(cells));
        Ok(Self {
            clear: entry("clear")?.upload_beside(&count)?,
            push: entry("push")?.upload_beside(&scatter)?,
            draw: draw.upload_beside(&scatter)?,
            start,
            count,
            scan,
            scatter,
        })
    }
}

/// Runs the example.
pub(super) fn run(place: &Place) -> Result<Measured, Failure> {
    let simulation = Simulation {
        grid: place.size.choose(512, 64),
        particles: place.size.choose(1 << 20, 1 << 14),
        steps: place.size.choose(48, 4),
    };
    let device = Device::open(&place.adapter)?.for_program(SHADER);
    let shader = Shader::wgsl_named(SHADER, sources::text(SHADER))?;
    let mut passes = Passes::new(&shader, &device, &simulation)?;
    let started = Instant::now();
    simulation.run(&mut passes)?;
    let run = started.elapsed();
    let path = place.path(PICTURE);
    let picture = PngPicture {
        path: path.clone(),
        width: simulation.grid,
        height: simulation.grid,
        pixels: Pixels::Rgba8,
    };
    let pixels = passes.draw.read::<u32>("picture")?;
    image::write_png(&picture, bytemuck::cast_slice(&pixels), ElementType::U32)
        .map_err(|source| crate::error::Error::Write { path, source })?;
    Ok(Measured {
        run,
        engine: engine_of(shader.program(), "push", place),
        verified: Some(simulation.verify(&passes)?),
        printed: Vec::new(),
    })
}
