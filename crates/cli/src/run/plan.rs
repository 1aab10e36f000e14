//! Checks the command against the entry point and the device. Out: a [`Plan`] of buffers, textures and samplers with
//! their sizes and initial contents. Nothing runs without a plan.

use std::collections::BTreeMap;

use super::contents::Initial;
use super::request::ResolvedRequest;
use super::samplers::{check_filtering, samplers};
use super::sizes::{Sizes, needed_bytes};
use super::texture_out::check_texture_out;
use super::textures::{PlannedTexture, textures};
use crate::cli::RunArgs;
use crate::error::Error;
use crate::specs::{Destination, Out, SamplerSpec, Slot};
use anywarp::reflection::Shape;
use anywarp::reflection::{Binding, BindingKind, Interface};

/// A run that was checked against the entry point and the device.
pub(super) struct Plan {
    pub(super) interface: Interface,
    pub(super) workgroups: [u32; 3],
    /// One for each binding, in the same order.
    pub(super) resources: Vec<Planned>,
    pub(super) immediate: Vec<u8>,
    pub(super) repeat: u64,
    /// Pairs of indices into `resources`.
    pub(super) swaps: Vec<(usize, usize)>,
    pub(super) timing: Timing,
}

/// Whether each run is awaited and timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timing {
    EachRun,
    Total,
}

/// A resource that is not yet created.
#[derive(Debug)]
pub(super) enum Planned {
    Buffer(PlannedBuffer),
    Texture(PlannedTexture),
    Sampler(SamplerSpec),
}

/// A buffer that is not yet created.
#[derive(Debug)]
pub(super) struct PlannedBuffer {
    /// The bytes in use; the buffer's size is rounded up to a multiple of 4.
    pub(super) bytes: u64,
    pub(super) initial: Initial,
}

impl Plan {
    /// Checks the command and reads the files of `--bind`. `reached` has the number of elements of each runtime-sized
    /// array that the grid accesses.
    pub(super) fn new(
        request: &ResolvedRequest<'_>,
        interface: Interface,
        reached: &BTreeMap<Slot, u64>,
        adapter: &wgpu::Adapter,
    ) -> Result<Self, Error> {
        let (args, limits) = (request.args, adapter.limits());
        check_workgroups(args, &limits, adapter)?;
        check_groups(args, &interface, &limits, adapter)?;
        let samplers = samplers(request, &interface, adapter)?;
        let sizes = Sizes::new(request, &interface, reached, &limits)?;
        let mut textures = textures(request, &interface, adapter)?;
        check_filtering(&interface, &samplers, &textures, adapter)?;

        let mut resources = Vec::new();
        let mut given = sizes.initial;
        for binding in &interface.bindings {
            if let Some(sampler) = samplers.get(&binding.slot) {
                resources.push(Planned::Sampler(*sampler));
                continue;
            }
            if let Some(texture) = textures.remove(&binding.slot) {
                resources.push(Planned::Texture(texture));
                continue;
            }
            let bytes = sizes.bytes[&binding.slot];
            check_limits(binding, bytes, &limits)?;
            let zeros = Initial::Zeros { bytes: Some(bytes) };
            let initial = given.remove(&binding.slot).unwrap_or(zeros);
            resources.push(Planned::Buffer(PlannedBuffer { bytes, initial }));
        }
        let plan = Self {
            workgroups: args.workgroups.unwrap_or_default().0,
            immediate: immediate(args, &interface, &limits)?,
            repeat: args.repeat,
            swaps: Vec::new(),
            timing: if args.time {
                Timing::EachRun
            } else {
                Timing::Total
            },
            resources,
            interface,
        };
        plan.check_outs(request)?;
        plan.with_swaps(&request.swaps)
    }

    /// The index of a slot in `resources`.
    pub(super) fn index(&self, slot: Slot) -> Option<usize> {
        self.interface.bindings.iter().position(|b| b.slot == slot)
    }

    fn check_outs(&self, request: &ResolvedRequest<'_>) -> Result<(), Error> {
        for (slot, out) in &request.outs {
            let Some(index) = self.index(*slot) else {
                continue;
            };
            let binding = &self.interface.bindings[index];
            match &self.resources[index] {
                Planned::Buffer(buffer) => check_buffer_out(out, binding, buffer.bytes)?,
                Planned::Texture(texture) => check_texture_out(out, binding, texture)?,
                Planned::Sampler(_) => {
                    let reason = format!("--out {out}: a sampler holds no data");
                    return Err(super::textures::wrong(binding, reason));
                }
            }
        }
        Ok(())
    }

    fn with_swaps(mut self, swaps: &[(Slot, Slot)]) -> Result<Self, Error> {
        for &(first, second) in swaps {
            let (Some(a), Some(b)) = (self.index(first), self.index(second)) else {
                continue;
            };
            check_swap(first, second, &self.resources[a], &self.resources[b])?;
            if self.repeat < 2 {
                return Err(Error::SwapOfOneRun(first, second));
            }
            self.swaps.push((a, b));
        }
        Ok(self)
    }
}

fn check_buffer_out(out: &Out, binding: &Binding, have: u64) -> Result<(), Error> {
    if let Destination::Png(picture) = &out.destination
        && picture.of_buffer().is_none()
    {
        return Err(Error::BufferPicture {
            target: out.target.clone(),
            wanted: out.destination.to_string(),
        });
    }
    check_count(out, binding)?;
    let Some(needed) = needed_bytes(binding, &out.destination) else {
        return Ok(());
    };
    // With any other size the picture would be skewed or cut off.
    let is_picture = out.destination.path().is_some();
    if needed > have || (is_picture && needed != have) {
        return Err(Error::OutSize {
            target: out.target.clone(),
            name: binding.name.clone(),
            wanted: out.destination.to_string(),
            needed,
            have,
        });
    }
    Ok(())
}

/// A count without a type counts elements, which only arrays have.
fn check_count(out: &Out, binding: &Binding) -> Result<(), Error> {
    let Destination::Print {
        element: None,
        count: Some(count),
    } = out.destination
    else {
        return Ok(());
    };
    match binding.layout.as_ref().map(|layout| &layout.shape) {
        Some(Shape::Array { .. }) => Ok(()),
        _ => Err(Error::PrintCount {
            target: out.target.clone(),
            count,
            name: binding.name.clone(),
            ty: binding.ty.clone(),
        }),
    }
}

fn check_swap(first: Slot, second: Slot, a: &Planned, b: &Planned) -> Result<(), Error> {
    let kinds = |reason: String| Error::SwapKinds {
        first,
        second,
        reason,
    };
    match (a, b) {
        (Planned::Buffer(a), Planned::Buffer(b)) if a.bytes == b.bytes => Ok(()),
        (Planned::Buffer(a), Planned::Buffer(b)) => Err(Error::SwapSizes {
            first,
            second,
            first_bytes: a.bytes,
            second_bytes: b.bytes,
        }),
        (Planned::Texture(a), Planned::Texture(b)) if a.is_like(b) => Ok(()),
        (Planned::Sampler(a), Planned::Sampler(b)) if a == b => Ok(()),
        (Planned::Sampler(_), Planned::Sampler(_)) => {
            Err(kinds("swapped samplers need to be equal".to_owned()))
        }
        (Planned::Texture(a), Planned::Texture(b)) => {
            let (a, b) = (a.text(), b.text());
            let rule = "swapped textures need equal sizes and formats";
            Err(kinds(format!("one is {a}, the other {b}; {rule}")))
        }
        _ => Err(kinds(format!(
            "one is a {}, the other a {}; swapped bindings need the same kind",
            kind(a),
            kind(b)
        ))),
    }
}

fn kind(planned: &Planned) -> &'static str {
    match planned {
        Planned::Buffer(_) => "buffer",
        Planned::Texture(_) => "texture",
        Planned::Sampler(_) => "sampler",
    }
}

fn check_workgroups(
    args: &RunArgs,
    limits: &wgpu::Limits,
    adapter: &wgpu::Adapter,
) -> Result<(), Error> {
    let limit = limits.max_compute_workgroups_per_dimension;
    let given = args.workgroups.unwrap_or_default();
    if given.0.iter().any(|count| *count > limit) {
        return Err(Error::TooManyWorkgroups {
            given,
            limit,
            device: adapter.get_info().name,
        });
    }
    Ok(())
}

/// wgpu checks this too, but its message names neither the binding nor the device.
fn check_groups(
    args: &RunArgs,
    interface: &Interface,
    limits: &wgpu::Limits,
    adapter: &wgpu::Adapter,
) -> Result<(), Error> {
    let limit = limits.max_bind_groups;
    match interface.bindings.iter().find(|b| b.slot.group >= limit) {
        None => Ok(()),
        Some(binding) => Err(Error::GroupOverLimit {
            slot: binding.slot,
            name: binding.name.clone(),
            file: args.file.display().to_string(),
            limit,
            device: adapter.get_info().name,
        }),
    }
}

fn check_limits(binding: &Binding, bytes: u64, limits: &wgpu::Limits) -> Result<(), Error> {
    let (bound, bound_name) = match binding.kind {
        BindingKind::Uniform(_) => (
            limits.max_uniform_buffer_binding_size,
            "max_uniform_buffer_binding_size",
        ),
        _ => (
            limits.max_storage_buffer_binding_size,
            "max_storage_buffer_binding_size",
        ),
    };
    for (limit, limit_name) in [
        (bound, bound_name),
        (limits.max_buffer_size, "max_buffer_size"),
    ] {
        if bytes > limit {
            return Err(Error::BufferTooLarge {
                slot: binding.slot,
                name: binding.name.clone(),
                bytes,
                limit,
                limit_name,
            });
        }
    }
    Ok(())
}

fn immediate(
    args: &RunArgs,
    interface: &Interface,
    limits: &wgpu::Limits,
) -> Result<Vec<u8>, Error> {
    let Some(variable) = &interface.immediate else {
        return match args.immediate {
            None => Ok(Vec::new()),
            Some(_) => Err(Error::NoImmediate {
                entry: interface.entry.clone(),
            }),
        };
    };
    let needed = u64::from(variable.bytes);
    let Some(contents) = &args.immediate else {
        return Ok(vec![0; needed as usize]);
    };
    let given = Initial::read(contents, variable.layout.as_deref(), limits)
        .map_err(|error| error.about_immediate(&variable.name))?;
    if let Some(given) = given.bytes().filter(|given| *given != needed) {
        return Err(Error::ImmediateSize {
            name: variable.name.clone(),
            given,
            needed,
        });
    }
    let mut bytes = vec![0; needed as usize];
    let whole = bytes.len().next_multiple_of(8);
    given.for_each_piece(needed, whole, |_, data| {
        bytes[..data.len()].copy_from_slice(data);
    });
    Ok(bytes)
}
