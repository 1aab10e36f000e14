//! Compiles the entry point of a plan for a device, and fills its resources.

use anywarp::{Device, Resident, ResourceDescriptor, SamplerData};
use anywarp_program::{Constants, Program};

use super::contents::random_bytes;
use super::plan::{Plan, Planned};
use super::samplers;
use super::textures::{InitialTexels, PlannedTexture};
use crate::error::Error;

/// Creates all resources; the first error of the device is returned.
pub(super) fn create(
    device: &Device,
    program: &Program,
    constants: &Constants,
    plan: &Plan,
) -> Result<Resident, Error> {
    let descriptors: Vec<_> = plan.resources.iter().map(descriptor).collect();
    let interface = plan.interface.clone();
    let immediates = plan.immediate.clone();
    let mut resident = Resident::new(
        device,
        program,
        constants,
        interface,
        &descriptors,
        immediates,
    )?;
    resident.prepare(plan.repeat, &plan.swaps)?;
    for (position, planned) in plan.resources.iter().enumerate() {
        match planned {
            Planned::Buffer(buffer) => {
                let mut result = Ok(());
                buffer
                    .initial
                    .for_each_piece(buffer.bytes, PIECE, |offset, piece| {
                        if result.is_ok() {
                            result = resident.write_range(position, offset, piece);
                        }
                        if buffer.bytes > PIECE as u64 {
                            device.queue().submit([]);
                        }
                    });
                result?;
            }
            Planned::Texture(texture) => fill(&resident, position, texture)?,
            Planned::Sampler(_) => {}
        }
    }
    Ok(resident)
}

/// Large data is generated and written in pieces, so that wgpu's staging copy stays small.
const PIECE: usize = 64 << 20;

fn descriptor(planned: &Planned) -> ResourceDescriptor {
    match planned {
        Planned::Buffer(buffer) => ResourceDescriptor::Buffer {
            bytes: buffer.bytes,
        },
        Planned::Texture(texture) => ResourceDescriptor::Texture(texture.descriptor),
        Planned::Sampler(spec) => {
            let sampler: SamplerData = samplers::descriptor(spec);
            ResourceDescriptor::Sampler(Box::new(sampler))
        }
    }
}

fn fill(resident: &Resident, position: usize, texture: &PlannedTexture) -> Result<(), Error> {
    match &texture.initial {
        InitialTexels::Zeros => {}
        InitialTexels::Fill(color) => resident.fill_texels(position, *color)?,
        InitialTexels::Random { seed } => resident.upload_texels(position, |offset, length| {
            // Each piece has its own seed.
            random_bytes(length as u64, seed.wrapping_add(offset))
        })?,
        InitialTexels::Data(data) => resident.write_at(position, data)?,
    }
    Ok(())
}
